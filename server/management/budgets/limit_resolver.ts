/** Caller → payer: under which scopes a key's spend is counted, and which limits stand there (promises M1). */

import { Refusal } from "../../../shared/errors.ts";
import { joined } from "../../../shared/util/text.ts";
import type { Caller } from "../../../shared/keys.ts";
import { toNanoUsd } from "../../../shared/money.ts";
import type { Limit, Payer, ScopeId } from "../../ledger/core/ledger.ts";
import { type Epochs, type EpochTopic, epochTopics } from "../core/cache_versions.ts";
import { Generations } from "../core/generational_cache.ts";
import type { KeyRing } from "../keys/key_cache.ts";
import { type KeyRow, scopeOfKey } from "../keys/key_rows.ts";

/** Where limits come from: one source each for keys, budgets, guardrails and credits. */
export interface LimitSource {
  /** The limits that stand over a key. Rejects with a Refusal when they cannot be known. */
  limitsOf(key: KeyRow): readonly Limit[] | Promise<readonly Limit[]>;
  /** Further scopes under which the key's spend is counted, also while no limit stands there. */
  scopesOf?(key: KeyRow): readonly ScopeId[] | Promise<readonly ScopeId[]>;
}

export interface LimitBookOptions {
  readonly keys: Pick<KeyRing, "rowOf">;
  readonly epochs: Pick<Epochs, "on">;
  readonly sources: readonly LimitSource[];
  /** Called when the limits of a key, or of any key, may be others. */
  readonly changed?: (keyHash?: string) => void;
  /** Payers held in memory. */
  readonly maxPayers?: number;
}

/** The account as a whole: what everybody has spent, and its credits. */
export const ACCOUNT_SCOPE: ScopeId = "account";
export const scopeOfWorkspace = (workspaceId: string): ScopeId => joined("workspace:", workspaceId);

/** Topics whose change may change anybody's limits. */
const general: readonly EpochTopic[] = epochTopics.filter((topic) => topic !== "keys" && topic !== "byok");

export class LimitBook {
  readonly #options: LimitBookOptions;
  readonly #payers: Generations<Payer>;
  /** Look-ups under way: those of one key are one. A change takes them out, and what they bring counts for nothing. */
  readonly #loading = new Map<string, Promise<Payer>>();

  constructor(options: LimitBookOptions) {
    this.#options = options;
    this.#payers = new Generations(options.maxPayers ?? 100_000);
    options.epochs.on("keys", (hash) => this.#forget(hash));
    for (const topic of general) options.epochs.on(topic, () => this.#forget());
  }

  /** At once for a key that is in use; else a promise, which rejects with a Refusal when the store does not answer. */
  payerOf({ keyHash }: Pick<Caller, "keyHash">): Payer | Promise<Payer> {
    return this.#payers.get(keyHash) ?? this.#loading.get(keyHash) ?? this.#begin(keyHash);
  }

  #forget(hash?: string): void {
    for (const held of [this.#payers, this.#loading]) {
      if (hash === undefined) held.clear();
      else held.delete(hash);
    }
    this.#options.changed?.(hash);
  }

  #begin(hash: string): Promise<Payer> {
    const loading: Promise<Payer> = this.#load(hash)
      .then((payer) => this.#loaded(hash, { payer, current: this.#loading.get(hash) === loading }))
      .finally(() => {
        if (this.#loading.get(hash) === loading) this.#loading.delete(hash);
      });
    this.#loading.set(hash, loading);
    return loading;
  }

  /** What was looked up before a change is looked up again: nobody may spend by it. */
  #loaded(hash: string, { payer, current }: { readonly payer: Payer; readonly current: boolean }) {
    if (!current) return this.payerOf({ keyHash: hash });
    this.#payers.set(hash, payer);
    return payer;
  }

  async #load(hash: string): Promise<Payer> {
    const row = await this.#options.keys.rowOf(hash);
    if (row === undefined) throw new Refusal("unauthorized", "The key was removed a moment ago.");
    return await this.#payer(row);
  }

  async #payer(row: KeyRow): Promise<Payer> {
    if (row.self_test) return selfTest(row);
    const { sources } = this.#options;
    const limits = (await Promise.all(sources.map((source) => source.limitsOf(row)))).flat();
    const further = (await Promise.all(sources.map((source) => source.scopesOf?.(row) ?? []))).flat();
    const own = [scopeOfKey(row), scopeOfWorkspace(row.workspace_id), ACCOUNT_SCOPE];
    return { scopes: [...new Set([...own, ...further, ...limits.map(({ scope }) => scope)])], limits };
  }
}

/** A key that tries the gateway pays within its own limit, and counts for nobody else. */
async function selfTest(row: KeyRow): Promise<Payer> {
  return { scopes: [scopeOfKey(row)], limits: await keyLimits.limitsOf(row), selfTest: true };
}

const adjectives = { daily: "daily", weekly: "weekly", monthly: "monthly", lifetime: "" } as const;

/** `The key's daily limit`; one that never resets is just its limit. */
export const nameOfLimit = (owner: string, period: Limit["period"]): string =>
  `${owner}'s ${adjectives[period]} limit`.replace("  ", " ");

/** The limit of a key's own. */
export const keyLimits: LimitSource = {
  limitsOf: (row) => {
    if (row.limit === null) return [];
    const period = row.limit_reset ?? "lifetime";
    return [{
      source: "key",
      name: nameOfLimit("The key", period),
      scope: scopeOfKey(row),
      period,
      amount: toNanoUsd(row.limit),
      includeByok: row.include_byok_in_limit,
    }];
  },
};
