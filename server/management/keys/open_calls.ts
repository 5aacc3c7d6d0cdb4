/** Which calls of a key are under way in this process, so that disabling it can end them when asked to. */

import { OpenList } from "../../../shared/util/linked_list.ts";
import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import { keyRows } from "./key_rows.ts";

/** Keys held before those without calls are forgotten. */
const SWEEP_AT = 1_024;

export class OpenCalls {
  /** A key that has no calls at the moment mostly has some again soon. */
  readonly #calls = new Map<string, OpenList<() => void>>();
  #sweepAt = SWEEP_AT;

  /** `end` is called at most once and must not throw. The function given back forgets it; harmless twice. */
  add(keyHash: string, end: () => void): () => void {
    const calls = this.#calls.get(keyHash) ?? this.#begin(keyHash);
    const place = calls.enter(end);
    return () => {
      calls.leave(place);
    };
  }

  /** Ends every call of the key and says how many there were. */
  end(keyHash: string): number {
    const ends = this.#calls.get(keyHash)?.all() ?? [];
    this.#calls.delete(keyHash);
    for (const end of ends) end();
    return ends.length;
  }

  #begin(keyHash: string): OpenList<() => void> {
    if (this.#calls.size >= this.#sweepAt) this.#sweep();
    const calls = new OpenList<() => void>();
    this.#calls.set(keyHash, calls);
    return calls;
  }

  #sweep(): void {
    for (const [hash, { size }] of this.#calls) if (size === 0) this.#calls.delete(hash);
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#calls.size);
  }

  /** The keys that have calls under way. */
  keys(): readonly string[] {
    return [...this.#calls].flatMap(([hash, { size }]) => size > 0 ? [hash] : []);
  }
}

export interface EndDeps {
  readonly store: Store;
  readonly world: Pick<World, "log">;
  readonly openCalls: OpenCalls;
}

/** Another instance was asked to end the calls of a key: those of every key that is disabled or gone end here too. */
export async function endDisabled({ store, world, openCalls }: EndDeps): Promise<void> {
  const rows = keyRows(store);
  try {
    for (const hash of openCalls.keys()) {
      const found = await rows.get(hash);
      if (found === undefined || found.record.disabled) openCalls.end(hash);
    }
  } catch (error) {
    world.log.warn("Open calls of a disabled key could not be looked for", { error: String(error) });
  }
}
