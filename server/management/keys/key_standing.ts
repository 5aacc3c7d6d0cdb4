/**
 * Checks whether a key may still be used while a request of it runs (faults B3). Each look-up of a caller looks here
 * first: a key that is disabled, expired or deleted, or whose workspace is being deleted, makes no further call.
 * Mostly that is a look into memory.
 */

import { ApiError } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import type { Clock } from "../../runtime.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import type { KeyCache } from "./key_cache.ts";
import type { KeyRow } from "./key_rows.ts";

interface KeyStandingOptions {
  readonly keyCache: Pick<KeyCache, "findByHash" | "rowOf">;
  /** Sees what other instances have changed. */
  readonly cacheVersions: Pick<CacheVersions, "refresh">;
  readonly clock: Pick<Clock, "now">;
}

/** Looks up what is known of a caller: at once where it is in memory. */
type CallerLookup<T> = (caller: Caller) => T | Promise<T>;

export class KeyStanding {
  readonly #options: KeyStandingOptions;

  constructor(options: KeyStandingOptions) {
    this.#options = options;
  }

  /**
   * The same look-up for callers whose key may be used now. Throws, or rejects with, an ApiError: 401 where the key may
   * not be used any more, 503 where the store does not answer.
   */
  whileUsable<T>(lookup: CallerLookup<T>): CallerLookup<T> {
    const { keyCache, cacheVersions } = this.#options;
    const checked = (caller: Caller, [hash, ...others]: readonly string[]): ReturnType<typeof lookup> => {
      if (hash === undefined) return lookup(caller);
      const judge = (usable: Caller | undefined) =>
        usable === undefined ? this.#refuse(hash) : checked(caller, others);
      const found = keyCache.findByHash(hash);
      return found instanceof Promise ? found.then(judge) : judge(found);
    };
    const find = (caller: Caller) => checked(caller, keysOf(caller));
    return (caller) => {
      const looking = cacheVersions.refresh();
      return looking instanceof Promise ? looking.then(() => find(caller)) : find(caller);
    };
  }

  async #refuse(hash: string): Promise<never> {
    const row = await this.#options.keyCache.rowOf(hash);
    throw new ApiError("unauthorized", `${reasonOf(row, this.#options.clock.now())}.`);
  }
}

/** Every key that has to be usable: also the one for whose session of the console another is used. */
const keysOf = (caller: Caller): readonly string[] =>
  caller.kind === "api" && caller.managementKeyHash !== undefined
    ? [caller.keyHash, caller.managementKeyHash]
    : [caller.keyHash];

function reasonOf(row: KeyRow | undefined, now: number): string {
  if (row === undefined) return "The key was deleted while the request was running";
  if (row.disabled) return "The key was disabled while the request was running";
  if (row.expires_at !== null && Date.parse(row.expires_at) <= now) {
    return "The key expired while the request was running";
  }
  return "The key's workspace was deleted while the request was running";
}
