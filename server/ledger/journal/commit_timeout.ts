/**
 * What becomes of requests whose group is not committed in time (promises M4, M5): a reservation fails, a receipt
 * goes to the spool, and without one it is given up after a while.
 */

import { unavailable } from "../core/ledger_errors.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { Log } from "../../runtime.ts";
import type { Item } from "./batch_builder.ts";
import type { Journaled, Written } from "./journaled_request.ts";
import type { Spool } from "./receipt_spool.ts";

export interface OverdueOptions {
  readonly world: { readonly log: Log };
  /** The watch's time, ms. */
  readonly now: () => number;
  readonly spool: Spool | undefined;
  readonly failMs: number;
  readonly closeMs: number;
}

/** What is not in the store yet: in the commit that is under way, and waiting for the next. */
export interface Unwritten {
  readonly flying: readonly Item[];
  readonly line: readonly Journaled[];
}

export interface Overdue {
  look(unwritten: Unwritten): void;
  /** These are in the store now. */
  landed(items: readonly Item[]): void;
}

export function watchOver(options: OverdueOptions): Overdue {
  return new OverdueWatch(options);
}

class OverdueWatch implements Overdue {
  readonly #options: OverdueOptions;
  /** Receipts in the spool that are not in the store. */
  readonly #spooled = new Set<Journaled>();
  #spooling = false;

  constructor(options: OverdueOptions) {
    this.#options = options;
  }

  look({ flying, line }: Unwritten): void {
    const { failMs, closeMs } = this.#options;
    const late: { readonly tab: Journaled; readonly waiting: Written }[] = [];
    for (const { tab, waiting, closed } of flying) {
      if (!waiting || !this.#older(waiting, failMs)) continue;
      if (!closed) waiting.reject(unavailable("it cannot be written at the moment"));
      else if (this.#older(waiting, closeMs)) waiting.reject(unavailable("its receipt cannot be written"));
      else late.push({ tab, waiting });
    }
    for (const tab of line) {
      const { waiting } = tab;
      if (!waiting || !this.#older(waiting, failMs)) continue;
      if (!tab.closing) this.#giveUp(tab, unavailable("it cannot be written at the moment"));
      else if (!this.#older(waiting, closeMs) || tab.spooled) late.push({ tab, waiting });
      else {
        tab.replace(interrupted);
        this.#giveUp(tab, unavailable("its receipt cannot be written"));
      }
    }
    void this.#spool(late.filter(({ tab }) => !tab.spooled));
  }

  landed(items: readonly Item[]): void {
    if (this.#spooled.size === 0) return;
    for (const { tab, closed } of items) if (closed) this.#spooled.delete(tab);
    if (this.#spooled.size > 0) return;
    this.#options.spool?.clear().catch((error: unknown) => {
      this.#options.world.log.error("The ledger's spool cannot be emptied", { error: String(error) });
    });
  }

  #giveUp(tab: Journaled, error: unknown): void {
    tab.waiting?.reject(error);
    tab.waiting = undefined;
  }

  async #spool(late: readonly { readonly tab: Journaled; readonly waiting: Written }[]): Promise<void> {
    const { spool, world: { log } } = this.#options;
    if (!spool || this.#spooling || late.length === 0) return;
    this.#spooling = true;
    for (const { tab } of late) {
      tab.spooled = true;
      this.#spooled.add(tab);
    }
    try {
      await spool.append(late.map(({ tab }) => tab.entry()));
      for (const { waiting } of late) waiting.resolve();
      log.warn("Receipts are in the spool until the store answers", { count: late.length });
    } catch (error) {
      log.error("Receipts cannot be written to the spool", { error: String(error) });
      for (const { tab } of late) {
        tab.spooled = false;
        this.#spooled.delete(tab);
      }
    } finally {
      this.#spooling = false;
    }
  }

  #older({ since }: Written, ms: number): boolean {
    return this.#options.now() - since >= ms;
  }
}

/** The client of this request was told that it failed: its receipt must not say that it was completed. */
function interrupted(receipt: Receipt): Receipt {
  return { ...receipt, status: "interrupted" };
}
