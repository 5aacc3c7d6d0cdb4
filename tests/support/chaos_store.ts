/**
 * A store that fails as stores fail in life: late, before the work, after it (it happened, the caller hears an
 * error), twice, or never. What happens to which call is a plan; there is no chance in it.
 */

import type { Clock } from "../../server/runtime.ts";
import {
  type CommitResult,
  type ListOptions,
  type Store,
  type StoreCommit,
  type StoreEntry,
  StoreError,
  type StoreErrorKind,
  type StoreHealth,
  type StoreKey,
  type TopicListener,
} from "../../server/storage/stores/store.ts";

export type StoreCall = "get" | "getMany" | "list" | "commit";

export type Fault =
  /** The call begins so many milliseconds later. */
  | { readonly type: "delay"; readonly ms: number }
  /** An error, and nothing happened. */
  | { readonly type: "before"; readonly kind?: StoreErrorKind }
  /** It happened, and the caller hears an error: the reply was lost. */
  | { readonly type: "after"; readonly kind?: StoreErrorKind }
  /** A commit is applied twice, as a network that repeats requests does; the second reply counts. */
  | { readonly type: "twice" }
  /** It never ends; `happens` says whether a commit does. A deadline around the store ends the wait. */
  | { readonly type: "hang"; readonly happens: boolean };

/** One call, as a plan sees it. */
export interface Called {
  /** 1 for the first call of the store, whatever it asks. */
  readonly index: number;
  readonly call: StoreCall;
  /** The same, counted among calls of this kind. */
  readonly nth: number;
  readonly keys: readonly StoreKey[];
}

/** Picks the fault of a call; undefined: none. */
export type ChaosPlan = (called: Called) => Fault | undefined;

export interface ChaosStore extends Store {
  /** Calls so far. */
  readonly calls: readonly Called[];
  /** Calls that a fault has met. */
  readonly met: number;
  /** Follows another plan from now on. */
  follow(plan: ChaosPlan): void;
}

export interface ChaosOptions {
  readonly clock: Clock;
  readonly plan?: ChaosPlan;
}

export function chaosStore(inner: Store, options: ChaosOptions): ChaosStore {
  return new Chaos(inner, options);
}

export interface NthOptions {
  /** Only calls of these kinds count; all, by default. */
  readonly of?: readonly StoreCall[];
  /** How many calls fail, from the n-th on. */
  readonly times?: number;
}

/** The n-th call fails, and `times - 1` calls after it. */
export function failNth(n: number, fault: Fault, { of, times = 1 }: NthOptions = {}): ChaosPlan {
  let count = 0;
  return ({ call }) => {
    if (of && !of.includes(call)) return undefined;
    count++;
    return count >= n && count < n + times ? fault : undefined;
  };
}

/** Faults by the index of the call. */
export function faultsAt(faults: Readonly<Record<number, Fault>>): ChaosPlan {
  return ({ index }) => faults[index];
}

const none: ChaosPlan = () => undefined;

class Chaos implements ChaosStore {
  readonly calls: Called[] = [];
  readonly listen: Store["listen"];
  readonly #inner: Store;
  readonly #clock: Clock;
  #plan: ChaosPlan;
  #met = 0;

  constructor(inner: Store, { clock, plan = none }: ChaosOptions) {
    this.#inner = inner;
    this.#clock = clock;
    this.#plan = plan;
    this.listen = inner.listen && ((listener: TopicListener) => listenOn(inner, listener));
  }

  get met(): number {
    return this.#met;
  }

  follow(plan: ChaosPlan): void {
    this.#plan = plan;
  }

  get(key: StoreKey): Promise<StoreEntry | undefined> {
    return this.#through({ call: "get", keys: [key], work: () => this.#inner.get(key) });
  }

  getMany(keys: readonly StoreKey[]): Promise<readonly (StoreEntry | undefined)[]> {
    return this.#through({ call: "getMany", keys, work: () => this.#inner.getMany(keys) });
  }

  list(prefix: StoreKey, options?: ListOptions): Promise<readonly StoreEntry[]> {
    return this.#through({ call: "list", keys: [prefix], work: () => this.#inner.list(prefix, options) });
  }

  commit(commit: StoreCommit): Promise<CommitResult> {
    const { checks = [], puts = [], deletes = [] } = commit;
    const keys = [...checks.map(({ key }) => key), ...puts.map(({ key }) => key), ...deletes];
    return this.#through({ call: "commit", keys, work: () => this.#inner.commit(commit) });
  }

  health(): Promise<StoreHealth> {
    return this.#inner.health();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #through<T>({ call, keys, work }: Work<T>): Promise<T> {
    const nth = this.calls.filter((one) => one.call === call).length + 1;
    const called = { index: this.calls.length + 1, call, nth, keys };
    this.calls.push(called);
    const fault = this.#plan(called);
    if (!fault) return work();
    this.#met++;
    return this.#struck(fault, { call, keys, work });
  }

  async #struck<T>(fault: Fault, { call, work }: Work<T>): Promise<T> {
    switch (fault.type) {
      case "delay":
        await new Promise<void>((resolve) => this.#clock.after(fault.ms, resolve));
        return await work();
      case "before":
        throw failure(fault.kind);
      case "after":
        await work();
        throw failure(fault.kind);
      case "twice":
        if (call === "commit") await work();
        return await work();
      case "hang":
        if (fault.happens) await work();
        return await new Promise<never>(() => {});
      default:
        return fault satisfies never;
    }
  }
}

interface Work<T> {
  readonly call: StoreCall;
  readonly keys: readonly StoreKey[];
  readonly work: () => Promise<T>;
}

function failure(kind: StoreErrorKind = "unavailable"): StoreError {
  return new StoreError(kind, "The store failed: chaos");
}

function listenOn(inner: Store, listener: TopicListener): Promise<() => Promise<void>> {
  if (!inner.listen) throw new StoreError("invalid", "This store has no signals");
  return inner.listen(listener);
}
