/** Tells processes that are gone from those that are only quiet, without trust in anybody's clock. */

import type { Clock } from "../world.ts";
import { WINDOW_MS } from "./meter.ts";
import type { ShareRow } from "./share_out.ts";

/**
 * What a process held counts for so long after its last word: it stops using its share after 10 s without a
 * confirmation, and what it has used until then counts for another minute.
 */
export const GONE_MS = 10_000 + WINDOW_MS + 5_000;
/** A holding this old by the clocks on the wall is of nobody, however far apart those are. */
const FORGOTTEN_MS = 30 * 60_000;

interface Seen {
  readonly beat: number;
  /** Monotonic ms at which it was seen first. */
  readonly since: number;
}

export class Witness {
  #seen = new Map<string, Seen>();

  /** The holdings without those of processes that have been silent for too long. */
  living(holders: ShareRow["holders"], clock: Pick<Clock, "now" | "monotonic">): ShareRow["holders"] {
    const now = clock.monotonic();
    const before = this.#seen;
    this.#seen = new Map();
    return Object.fromEntries(
      Object.entries(holders).filter(([id, { beat, at }]) => {
        const known = before.get(id);
        const seen = known?.beat === beat ? known : { beat, since: now };
        this.#seen.set(id, seen);
        return now - seen.since < GONE_MS && clock.now() - at < FORGOTTEN_MS;
      }),
    );
  }
}
