/** A store that dies at its n-th call and stays dead, as a process that is killed there would see it. */

import { type Store, StoreError } from "../../server/storage/stores/store.ts";
import { wrappedStore } from "./wrapped_store.ts";

export interface FailingStore {
  readonly store: Store;
  readonly calls: number;
  /** Whether it has come so far. */
  readonly failed: boolean;
  /** Begins to count; before that it works. */
  arm(): void;
}

export interface FailingOptions {
  /** From 1. */
  readonly at: number;
  /** The commit happens and its reply is lost. */
  readonly afterwards?: boolean;
}

export function failingStore(store: Store, { at, afterwards = false }: FailingOptions): FailingStore {
  let calls = 0;
  let armed = false;
  const dead = () => new StoreError("unavailable", `The store failed at call ${at}`);
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!armed || ++calls < at) return await work();
    if (calls === at && afterwards) await work();
    throw dead();
  };
  return {
    store: wrappedStore(store, run),
    arm: () => {
      armed = true;
    },
    get calls() {
      return calls;
    },
    get failed() {
      return calls >= at;
    },
  };
}
