/** A deadline around every call of a store: one that hangs must not take the gateway with it. */

import { within } from "../../../shared/util/within.ts";
import type { Clock } from "../../runtime.ts";
import { systemReason } from "../../../shared/util/system_reason.ts";
import { StoreError } from "./store.ts";
import type { ListOptions, Store, StoreCommit, StoreHealth, StoreKey } from "./store.ts";

export const STORE_DEADLINE_MS = 2_000;

interface DeadlineOptions {
  readonly clock: Clock;
  readonly ms?: number;
}

/** The same store; a call without an answer after `ms` throws a StoreError `timeout`. */
export function withStoreDeadline(store: Store, options: DeadlineOptions): Store {
  return new DeadlineStore(store, options);
}

class DeadlineStore implements Store {
  readonly #inner: Store;
  readonly #clock: Clock;
  readonly #ms: number;

  readonly listen: Store["listen"];
  readonly #late = () => new StoreError("timeout", `The store did not answer within ${this.#ms} ms`);

  constructor(inner: Store, { clock, ms = STORE_DEADLINE_MS }: DeadlineOptions) {
    this.#inner = inner;
    this.listen = inner.listen?.bind(inner);
    this.#clock = clock;
    this.#ms = ms;
  }

  get(key: StoreKey) {
    return this.#within(this.#inner.get(key));
  }

  getMany(keys: readonly StoreKey[]) {
    return this.#within(this.#inner.getMany(keys));
  }

  list(prefix: StoreKey, options?: ListOptions) {
    return this.#within(this.#inner.list(prefix, options));
  }

  commit(commit: StoreCommit) {
    return this.#within(this.#inner.commit(commit));
  }

  async health(): Promise<StoreHealth> {
    try {
      return await this.#within(this.#inner.health());
    } catch (error) {
      return { ok: false, reason: systemReason(error) };
    }
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #within<T>(call: Promise<T>): Promise<T> {
    return within(call, { clock: this.#clock, ms: this.#ms, late: this.#late });
  }
}
