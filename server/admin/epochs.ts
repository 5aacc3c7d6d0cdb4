/**
 * How a change reaches the caches: keys, workspaces, guardrails, provider keys and credits are held in memory and
 * dropped when their epoch changes. In this process at once; elsewhere when the store announces it, or with the
 * first request after a second without a look at the records.
 */

import type { Put, Store } from "../stores/store.ts";
import type { World } from "../world.ts";

export const epochTopics = ["keys", "workspaces", "budgets", "guardrails", "byok", "credits"] as const;
export type EpochTopic = (typeof epochTopics)[number];

/** `id` is what changed, a key's hash for one; undefined: anything may have. */
export type EpochListener = (id?: string) => void;

export interface EpochsOptions {
  readonly store: Store;
  readonly world: Pick<World, "clock" | "id" | "log">;
}

export class Epochs {
  readonly #options: EpochsOptions;
  readonly #listeners = new Map<EpochTopic, Set<EpochListener>>();

  constructor(options: EpochsOptions) {
    this.#options = options;
  }

  /** Belongs into the commit that changes what is held under the topic. */
  put(topic: EpochTopic): Put {
    return { key: ["epochs", topic], value: this.#options.world.id() };
  }

  /** To be called behind that commit: this process forgets at once. */
  changed(topic: EpochTopic, id?: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(id);
  }

  on(topic: EpochTopic, listener: EpochListener): void {
    const known = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, known.add(listener));
  }
}
