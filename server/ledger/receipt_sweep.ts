/** Removes receipts when their time is over, once an hour. */

import type { Store } from "../stores/store.ts";
import type { Cancel, World } from "../world.ts";
import { retire } from "./retire.ts";

const EVERY_MS = 3_600_000;
/** Blocks in one sweep: so that a long pause does not end in a long burst. */
const MOST = 2_000;

export interface ReceiptSweepOptions {
  readonly store: Store;
  readonly world: Pick<World, "clock" | "log">;
  /** How long a receipt is kept, ms. */
  readonly keepMs: number;
}

/** Sweeps from an hour after it was made until it is closed. */
export class ReceiptSweep {
  readonly #options: ReceiptSweepOptions;
  #cancel: Cancel;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ReceiptSweepOptions) {
    this.#options = options;
    this.#cancel = this.#later();
  }

  /** Waits for a sweep that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#running;
  }

  #later(): Cancel {
    return this.#options.world.clock.after(EVERY_MS, () => {
      this.#running = this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { store, world: { clock, log }, keepMs } = this.#options;
    try {
      const count = await retire(store, { before: clock.now() - keepMs, most: MOST });
      if (count > 0) log.info("Old receipts were removed", { count });
    } catch (error) {
      log.warn("Old receipts cannot be removed: tried again in an hour", { error: String(error) });
    }
    if (!this.#closed) this.#cancel = this.#later();
  }
}
