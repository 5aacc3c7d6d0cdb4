/** Caller → rules for routing: guardrails and the workspace's own provider keys, held in memory (architecture.md, 12). */

import { Refusal } from "../../shared/errors.ts";
import type { Caller } from "../../shared/keys.ts";
import type { CallerRules, OwnKey } from "../pipeline/rules.ts";
import type { Store } from "../stores/store.ts";
import type { Epochs, EpochTopic } from "./epochs.ts";
import { Generations } from "./generations.ts";
import { guardrailsOf, policyFrom } from "./guardrail_policy.ts";
import type { KeyRing } from "./key_ring.ts";
import type { KeyRow } from "./key_rows.ts";

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
    const [guardrails, ownKeys] = await Promise.all([guardrailsOf(store, row), ownKeysOf(row)]);
    const policy = policyFrom(guardrails);
    const beyond = ownKeys.length === 0 ? undefined : await this.#options.beyond?.(ownKeys);
    const rules = policy === undefined && ownKeys.length === 0 ? noRules : { policy, ownKeys, beyond };
    if (epoch === this.#epoch) this.#held.set(hash, rules);
    return rules;
  }
}
