/**
 * What becomes of requests whose group is not committed in time (promises M4, M5): a reservation fails, a receipt
 * goes to the spool, and without one it is given up after a while.
 */

import { ledgerUnavailable } from "../core/ledger_errors.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { Logger } from "../../runtime.ts";
import type { BatchItem } from "./batch_builder.ts";
import type { CommitWaiter, JournaledRequest } from "./journaled_request.ts";
import type { ReceiptSpool } from "./receipt_spool.ts";

export interface CommitTimeoutOptions {
  readonly runtime: { readonly log: Logger };
  /** The watch's time, ms. */
  readonly now: () => number;
  readonly spool: ReceiptSpool | undefined;
  readonly failMs: number;
  readonly closeMs: number;
}

/** What is not in the store yet: in the commit that is under way, and waiting for the next. */
export interface UncommittedRequests {
  readonly inFlight: readonly BatchItem[];
  readonly queue: readonly JournaledRequest[];
}

export interface CommitTimeout {
  look(unwritten: UncommittedRequests): void;
  /** These are in the store now. */
  onCommitted(items: readonly BatchItem[]): void;
}

export function watchCommitTimeout(options: CommitTimeoutOptions): CommitTimeout {
  return new CommitTimeoutWatch(options);
}

class CommitTimeoutWatch implements CommitTimeout {
  readonly #options: CommitTimeoutOptions;
  /** Receipts in the spool that are not in the store. */
  readonly #spooled = new Set<JournaledRequest>();
  #spooling = false;

  constructor(options: CommitTimeoutOptions) {
    this.#options = options;
  }

  look({ inFlight: flying, queue }: UncommittedRequests): void {
    const { failMs, closeMs } = this.#options;
    const late: { readonly transaction: JournaledRequest; readonly waiting: CommitWaiter }[] = [];
    for (const { request: transaction, waiters: waiting, closed } of flying) {
      if (!waiting || !this.#older(waiting, failMs)) continue;
      if (!closed) waiting.reject(ledgerUnavailable("it cannot be written at the moment"));
      else if (this.#older(waiting, closeMs)) {
        waiting.reject(ledgerUnavailable("its receipt cannot be written"));
      } else late.push({ transaction, waiting });
    }
    for (const transaction of queue) {
      const { waiters: waiting } = transaction;
      if (!waiting || !this.#older(waiting, failMs)) continue;
      if (!transaction.closing) {
        this.#giveUp(transaction, ledgerUnavailable("it cannot be written at the moment"));
      } else if (!this.#older(waiting, closeMs) || transaction.spooled) late.push({ transaction, waiting });
      else {
        transaction.replace(interrupted);
        this.#giveUp(transaction, ledgerUnavailable("its receipt cannot be written"));
      }
    }
    void this.#spool(late.filter(({ transaction }) => !transaction.spooled));
  }

  onCommitted(items: readonly BatchItem[]): void {
    if (this.#spooled.size === 0) return;
    for (const { request: transaction, closed } of items) if (closed) this.#spooled.delete(transaction);
    if (this.#spooled.size > 0) return;
    this.#options.spool?.clear().catch((error: unknown) => {
      this.#options.runtime.log.error("Cannot empty receipt spool", { error: String(error) });
    });
  }

  #giveUp(transaction: JournaledRequest, error: unknown): void {
    transaction.waiters?.reject(error);
    transaction.waiters = undefined;
  }

  async #spool(
    late: readonly { readonly transaction: JournaledRequest; readonly waiting: CommitWaiter }[],
  ): Promise<void> {
    const { spool, runtime: { log } } = this.#options;
    if (!spool || this.#spooling || late.length === 0) return;
    this.#spooling = true;
    for (const { transaction } of late) {
      transaction.spooled = true;
      this.#spooled.add(transaction);
    }
    try {
      await spool.append(late.map(({ transaction }) => transaction.entry()));
      for (const { waiting } of late) waiting.resolve();
      log.warn("Receipts spooled to disk until the store recovers", { count: late.length });
    } catch (error) {
      log.error("Cannot spool receipts", { error: String(error) });
      for (const { transaction } of late) {
        transaction.spooled = false;
        this.#spooled.delete(transaction);
      }
    } finally {
      this.#spooling = false;
    }
  }

  #older({ since }: CommitWaiter, ms: number): boolean {
    return this.#options.now() - since >= ms;
  }
}

/** The client of this request was told that it failed: its receipt must not say that it was completed. */
function interrupted(receipt: Receipt): Receipt {
  return { ...receipt, status: "interrupted" };
}
