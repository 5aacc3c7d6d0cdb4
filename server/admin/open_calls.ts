/** Which calls of a key are under way in this process, so that disabling it can end them when asked to. */

import type { Store } from "../stores/store.ts";
import type { World } from "../world.ts";
import { keyRows } from "./key_rows.ts";

export class OpenCalls {
  readonly #calls = new Map<string, Set<() => void>>();

  /** `end` is called at most once and must not throw. The function given back forgets it; harmless twice. */
  add(keyHash: string, end: () => void): () => void {
    const calls = this.#calls.get(keyHash) ?? new Set();
    this.#calls.set(keyHash, calls.add(end));
    return () => {
      calls.delete(end);
      if (calls.size === 0 && this.#calls.get(keyHash) === calls) this.#calls.delete(keyHash);
    };
  }

  /** Ends every call of the key and says how many there were. */
  end(keyHash: string): number {
    const calls = this.#calls.get(keyHash) ?? new Set();
    this.#calls.delete(keyHash);
    for (const end of calls) end();
    return calls.size;
  }

  /** The keys that have calls under way. */
  keys(): readonly string[] {
    return [...this.#calls.keys()];
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
