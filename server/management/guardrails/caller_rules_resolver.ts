/** Caller → rules for routing: guardrails and the workspace's own provider keys, held in memory (architecture.md, 12). */

import { Refusal } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import { providerSortSchema } from "../../../shared/workspaces.ts";
import type { CallerRules, Defaults, OwnKey } from "../../pipeline/caller_rules.ts";
import type { Store } from "../../stores/store.ts";
import type { Epochs, EpochTopic } from "../core/cache_versions.ts";
import { Generations } from "../core/generational_cache.ts";
import { guardrailsOf, policyFrom } from "./guardrail_policy.ts";
import type { KeyRing } from "../keys/key_cache.ts";
import type { KeyRow } from "../keys/key_rows.ts";
import { refuseForStore } from "../core/store_errors.ts";
import { workspaceRows } from "../workspaces/workspace_rows.ts";

export interface RuleBookOptions {
  readonly store: Store;
  readonly keys: Pick<KeyRing, "rowOf">;
  readonly epochs: Pick<Epochs, "on">;
  /** Provider keys that are for this key, in order. */
  readonly ownKeysOf: (key: KeyRow) => readonly OwnKey[] | Promise<readonly OwnKey[]>;
  /** What keys reach beyond the gateway's own providers; undefined where they reach nothing more. */
  readonly beyond?: (keys: readonly OwnKey[]) => Promise<CallerRules["beyond"]>;
  /** Callers held in memory. */
  readonly maxCallers?: number;
}

/** For callers of whom nothing is laid down, which is most of them. */
const noRules: CallerRules = { ownKeys: [] };

const topics: readonly EpochTopic[] = ["guardrails", "workspaces", "byok"];

export class RuleBook {
  readonly #options: RuleBookOptions;
  readonly #held: Generations<CallerRules>;
  /** Counts changes: what was looked up before one must not be remembered after it. */
  #epoch = 0;

  constructor(options: RuleBookOptions) {
    this.#options = options;
    this.#held = new Generations(options.maxCallers ?? 100_000);
    options.epochs.on("keys", (hash) => this.#forget(hash));
    for (const topic of topics) options.epochs.on(topic, () => this.#forget());
  }

  /** At once for a key that is in use; else a promise, which rejects with a Refusal when the store does not answer. */
  rulesOf({ keyHash }: Caller): CallerRules | Promise<CallerRules> {
    return this.#held.get(keyHash) ?? this.#load(keyHash);
  }

  #forget(hash?: string): void {
    this.#epoch++;
    if (hash === undefined) this.#held.clear();
    else this.#held.delete(hash);
  }

  async #load(hash: string): Promise<CallerRules> {
    const epoch = this.#epoch;
    const { store, keys, ownKeysOf } = this.#options;
    const row = await keys.rowOf(hash);
    if (row === undefined) throw new Refusal("unauthorized", "The key was removed a moment ago.");
    const [guardrails, ownKeys, defaults] = await Promise.all([
      guardrailsOf(store, row),
      row.self_test ? [] : ownKeysOf(row),
      defaultsOf(store, row),
    ]);
    const policy = policyFrom(guardrails);
    const beyond = ownKeys.length === 0 ? undefined : await this.#options.beyond?.(ownKeys);
    const builtInOnly = row.self_test;
    const none = policy === undefined && ownKeys.length === 0 && defaults === undefined && !builtInOnly;
    const rules = none ? noRules : { policy, ownKeys, beyond, defaults, builtInOnly };
    if (epoch === this.#epoch) this.#held.set(hash, rules);
    return rules;
  }
}

/** What the key's workspace takes where a request says nothing; undefined where it says nothing either. */
async function defaultsOf(store: Store, { workspace_id }: KeyRow): Promise<Defaults | undefined> {
  const found = await workspaceRows(store).get(workspace_id).catch(refuseForStore);
  if (found === undefined) return undefined;
  const { default_text_model: text, default_image_model: image, default_provider_sort: sort } = found.record;
  const { data: known } = providerSortSchema.safeParse(sort);
  if (text === null && image === null && known === undefined) return undefined;
  return { textModel: text ?? undefined, imageModel: image ?? undefined, sort: known };
}
