/** Which calls of a key are under way in this process, so that disabling it can end them when asked to. */

import { LinkedList } from "../../../shared/util/linked_list.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { keyCollection } from "./key_rows.ts";

/** Keys held before those without calls are forgotten. */
const SWEEP_AT = 1_024;

export class OpenCalls {
  /** A key that has no calls at the moment mostly has some again soon. */
  readonly #calls = new Map<string, LinkedList<() => void>>();
  #sweepAt = SWEEP_AT;

  /** `end` is called at most once and must not throw. The function given back forgets it; harmless twice. */
  add(keyHash: string, end: () => void): () => void {
    const calls = this.#calls.get(keyHash) ?? this.#begin(keyHash);
    const place = calls.add(end);
    return () => {
      calls.remove(place);
    };
  }

  /** Ends every call of the key and says how many there were. */
  abortCalls(keyHash: string): number {
    const ends = this.#calls.get(keyHash)?.all() ?? [];
    this.#calls.delete(keyHash);
    for (const end of ends) end();
    return ends.length;
  }

  #begin(keyHash: string): LinkedList<() => void> {
    if (this.#calls.size >= this.#sweepAt) this.#sweep();
    const calls = new LinkedList<() => void>();
    this.#calls.set(keyHash, calls);
    return calls;
  }

  #sweep(): void {
    for (const [hash, { size }] of this.#calls) if (size === 0) this.#calls.delete(hash);
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#calls.size);
  }

  /** How many calls are under way. */
  get size(): number {
    let sum = 0;
    for (const { size } of this.#calls.values()) sum += size;
    return sum;
  }

  /** The keys that have calls under way. */
  keys(): readonly string[] {
    return [...this.#calls].flatMap(([hash, { size }]) => size > 0 ? [hash] : []);
  }
}

interface AbortCallsDeps {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "log">;
  readonly openCalls: OpenCalls;
}

/** Another instance was asked to end the calls of a key: those of every key that is disabled or gone end here too. */
export async function abortDisabledKeys({ store, runtime, openCalls }: AbortCallsDeps): Promise<void> {
  const rows = keyCollection(store);
  try {
    for (const hash of openCalls.keys()) {
      const found = await rows.get(hash);
      if (found === undefined || found.record.disabled) openCalls.abortCalls(hash);
    }
  } catch (error) {
    runtime.log.warn("Cannot look up open calls of disabled key", { error: String(error) });
  }
}
