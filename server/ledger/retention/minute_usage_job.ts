/** Removes the rows of minutes that nobody may ask for any more. */

import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import { rowSpan, spanOf, spans } from "../usage/usage_rows.ts";
import { Sweep } from "./retention_job.ts";

/** Minutes can be asked for over the last 24 hours. */
export const MINUTES_KEPT_MS = spans.day;
/** For requests that were on their way when the minute was asked for. */
const MARGIN_MS = spans.hour;

const PAGE = 500;

export interface MinutesOptions {
  /** Ms since the epoch. */
  readonly now: number;
  /** Rows removed at most. */
  readonly most: number;
}

/** Tells how many rows it removed. Rows of every process; two that sweep at once harm nothing. */
export async function sweepMinutes(store: Store, { now, most }: MinutesOptions): Promise<number> {
  const end = spanOf("minute", now - MINUTES_KEPT_MS - MARGIN_MS);
  let removed = 0;
  while (removed < most) {
    const entries = await store.list(["usage_minute"], { limit: Math.min(PAGE, most - removed) });
    const old = entries.filter((entry) => rowSpan(entry) < end);
    if (old.length > 0) await store.commit({ deletes: old.map(({ key }) => key), small: true });
    removed += old.length;
    if (old.length < PAGE) return removed;
  }
  return removed;
}

const EVERY_MS = 60_000;
/** Rows in one step. */
const MOST = 5_000;

export interface MinuteSweepOptions {
  readonly store: Store;
  readonly world: Pick<World, "clock" | "log">;
}

/** Once a minute. */
export function minuteSweep({ store, world: { clock, log } }: MinuteSweepOptions): Sweep {
  const step = async () => {
    try {
      return await sweepMinutes(store, { now: clock.now(), most: MOST }) >= MOST;
    } catch (error) {
      log.warn("Cannot remove old rows of minutes: tried again in a minute", { error: String(error) });
      return false;
    }
  };
  return new Sweep({ clock, everyMs: EVERY_MS, step });
}
