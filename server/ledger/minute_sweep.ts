/** Removes the rows of minutes that nobody may ask for any more. */

import type { Store } from "../stores/store.ts";
import type { Cancel, World } from "../world.ts";
import { readRow, spanOf, spans } from "./aggregate_rows.ts";

/** Minutes can be asked for over the last 24 hours. */
export const MINUTES_KEPT_MS = spans.day;
/** For requests that were on their way when the minute was asked for. */
const MARGIN_MS = spans.hour;

const PAGE = 500;

export interface SweepOptions {
  /** Ms since the epoch. */
  readonly now: number;
  /** Rows removed at most. */
  readonly most: number;
}

/** Tells how many rows it removed. Rows of every process; two that sweep at once harm nothing. */
export async function sweepMinutes(store: Store, { now, most }: SweepOptions): Promise<number> {
  const end = spanOf("minute", now - MINUTES_KEPT_MS - MARGIN_MS);
  let removed = 0;
  while (removed < most) {
    const entries = await store.list(["usage_minute"], { limit: Math.min(PAGE, most - removed) });
    const old = entries.filter((entry) => readRow(entry).at < end);
    if (old.length > 0) await store.commit({ deletes: old.map(({ key }) => key), small: true });
    removed += old.length;
    if (old.length < PAGE) return removed;
  }
  return removed;
}

const EVERY_MS = 60_000;
const MOST = 5_000;

export interface MinuteSweepOptions {
  readonly store: Store;
  readonly world: Pick<World, "clock" | "log">;
}

/** Sweeps once a minute, from a minute after it was made until it is closed. */
export class MinuteSweep {
  readonly #options: MinuteSweepOptions;
  #cancel: Cancel;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: MinuteSweepOptions) {
    this.#options = options;
    this.#cancel = this.#later();
  }

  #later(): Cancel {
    return this.#options.world.clock.after(EVERY_MS, () => {
      this.#running = this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { store, world: { clock, log } } = this.#options;
    try {
      await sweepMinutes(store, { now: clock.now(), most: MOST });
    } catch (error) {
      log.warn("Cannot remove old rows of minutes: tried again in a minute", { error: String(error) });
    }
    if (!this.#closed) this.#cancel = this.#later();
  }

  /** Waits for a sweep that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#running;
  }
}
