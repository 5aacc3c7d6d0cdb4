/**
 * Caller → billing context: under which scopes a key's spend is counted, and which limits stand there (promises
 * M1).
 */

import { ApiError } from "../../../shared/errors.ts";
import { joinStrings } from "../../../shared/util/text.ts";
import type { Caller } from "../../../shared/keys.ts";
import { toNanoUsd } from "../../../shared/money.ts";
import type { BillingContext, SpendingLimit, SpendScope } from "../../billing/ledger/core/ledger.ts";
import { cacheTopics, type CacheVersions } from "../core/cache_versions.ts";
import { GenerationalCache } from "../core/generational_cache.ts";
import type { KeyCache } from "../keys/key_cache.ts";
import { type KeyRow, keyScope } from "../keys/key_rows.ts";

/** Where limits come from: one source each for keys, budgets, guardrails and credits. */
export interface LimitSource {
  /** The limits that stand over a key. Rejects with an ApiError when they cannot be known. */
  limitsOf(key: KeyRow): readonly SpendingLimit[] | Promise<readonly SpendingLimit[]>;
  /** Further scopes under which the key's spend is counted, also while no limit stands there. */
  scopesOf?(key: KeyRow): readonly SpendScope[] | Promise<readonly SpendScope[]>;
}

interface LimitResolverOptions {
  readonly keyCache: Pick<KeyCache, "rowOf">;
  readonly cacheVersions: Pick<CacheVersions, "on">;
  readonly sources: readonly LimitSource[];
  /** Called when the limits of a key, or of any key, may be others. */
  readonly changed?: (keyHash?: string) => void;
  /** Billing contexts held in memory. */
  readonly maxPayers?: number;
}

/** The account as a whole: what everybody has spent, and its credits. */
export const ACCOUNT_SCOPE: SpendScope = "account";
export const workspaceScope = (workspaceId: string): SpendScope => joinStrings("workspace:", workspaceId);

/** Topics whose change may change anybody's limits. */
const general = cacheTopics.filter((topic) => topic !== "keys" && topic !== "byok" && topic !== "containers");

export class LimitResolver {
  readonly #options: LimitResolverOptions;
  readonly #payers: GenerationalCache<BillingContext>;
  /** Look-ups under way: those of one key are one. A change takes them out, and what they bring counts for nothing. */
  // deno-lint-ignore tollgate/kept-promises -- each goes when it settles, or when a change overtakes it
  readonly #loading = new Map<string, Promise<BillingContext>>();

  constructor(options: LimitResolverOptions) {
    this.#options = options;
    this.#payers = new GenerationalCache(options.maxPayers ?? 100_000);
    options.cacheVersions.on("keys", (hash) => this.#forget(hash));
    for (const topic of general) options.cacheVersions.on(topic, () => this.#forget());
  }

  /** At once for a key that is in use; else a promise, which rejects with an ApiError when the store does not answer. */
  resolve({ keyHash }: Pick<Caller, "keyHash">): BillingContext | Promise<BillingContext> {
    return this.#payers.get(keyHash) ?? this.#loading.get(keyHash) ?? this.#begin(keyHash);
  }

  #forget(hash?: string): void {
    for (const held of [this.#payers, this.#loading]) {
      if (hash === undefined) held.clear();
      else held.delete(hash);
    }
    this.#options.changed?.(hash);
  }

  #begin(hash: string): Promise<BillingContext> {
    const loading: Promise<BillingContext> = this.#load(hash)
      .then((billing) => this.#loaded(hash, { billing, current: this.#loading.get(hash) === loading }))
      .finally(() => {
        if (this.#loading.get(hash) === loading) this.#loading.delete(hash);
      });
    this.#loading.set(hash, loading);
    return loading;
  }

  /** Looks limits up again that were found before a change: nobody may spend by the old ones. */
  #loaded(
    hash: string,
    { billing, current }: { readonly billing: BillingContext; readonly current: boolean },
  ) {
    if (!current) return this.resolve({ keyHash: hash });
    this.#payers.set(hash, billing);
    return billing;
  }

  async #load(hash: string): Promise<BillingContext> {
    const row = await this.#options.keyCache.rowOf(hash);
    if (row === undefined) throw new ApiError("unauthorized", "The key was removed a moment ago.");
    return await this.resolveKey(row);
  }

  /** The same for a key that need not be stored. */
  async resolveKey(row: KeyRow): Promise<BillingContext> {
    if (row.self_test) return selfTest(row);
    const { sources } = this.#options;
    const limits = (await Promise.all(sources.map((source) => source.limitsOf(row)))).flat();
    const further = (await Promise.all(sources.map((source) => source.scopesOf?.(row) ?? []))).flat();
    const own = [keyScope(row), workspaceScope(row.workspace_id), ACCOUNT_SCOPE];
    return { scopes: [...new Set([...own, ...further, ...limits.map(({ scope }) => scope)])], limits };
  }
}

/** A key that tries the gateway pays within its own limit, and counts for nobody else. */
async function selfTest(row: KeyRow): Promise<BillingContext> {
  return { scopes: [keyScope(row)], limits: await keyLimitSource.limitsOf(row), selfTest: true };
}

const adjectives = { daily: "daily", weekly: "weekly", monthly: "monthly", lifetime: "" } as const;

/** `The key's daily limit`; one that never resets is just its limit. */
export const limitName = (owner: string, period: SpendingLimit["period"]): string =>
  `${owner}'s ${adjectives[period]} limit`.replace("  ", " ");

/** The limit of a key's own. */
export const keyLimitSource: LimitSource = {
  limitsOf: (row) => {
    if (row.limit === null) return [];
    const period = row.limit_reset ?? "lifetime";
    return [{
      source: "key",
      name: limitName("The key", period),
      scope: keyScope(row),
      period,
      amount: toNanoUsd(row.limit),
      includeByok: row.include_byok_in_limit,
    }];
  },
};
