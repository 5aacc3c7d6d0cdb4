/**
 * Handles requests whose batch is not committed in time (promises M4, M5): a reservation fails, a receipt
 * goes to the spool, and without one it is given up after a while.
 */

import { ledgerUnavailable } from "../core/ledger_errors.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { Logger } from "../../../runtime.ts";
import type { BatchItem } from "./batch_builder.ts";
import type { CommitWaiter, JournaledRequest } from "./journaled_request.ts";
import type { ReceiptSpool } from "./receipt_spool.ts";

interface CommitTimeoutOptions {
  readonly runtime: { readonly log: Logger };
  /** The watch's time, ms. */
  readonly now: () => number;
  readonly spool: ReceiptSpool | undefined;
  readonly failMs: number;
  readonly closeMs: number;
}

/** The requests that are not in the store yet: in the commit that is under way, and waiting for the next. */
export interface UncommittedRequests {
  readonly inFlight: readonly BatchItem[];
  readonly queue: readonly JournaledRequest[];
}

export interface CommitTimeout {
  look(unwritten: UncommittedRequests): void;
  /** Spools every receipt that is not in the store. Does not throw. */
  spoolRest(unwritten: UncommittedRequests): Promise<void>;
  /** These are in the store now. */
  onCommitted(items: readonly BatchItem[]): void;
}

interface LateReceipt {
  readonly transaction: JournaledRequest;
  readonly waiting: CommitWaiter | undefined;
}

/** Receipts that would be lost with this run, whether somebody waits for them or not. */
export function lateReceipts({ inFlight, queue }: UncommittedRequests): readonly LateReceipt[] {
  const flying = inFlight.filter(({ closed }) => closed)
    .map(({ request, waiters }) => ({ transaction: request, waiting: waiters }));
  const standing = queue.filter(({ closing }) => closing)
    .map((transaction) => ({ transaction, waiting: transaction.waiters }));
  return [...flying, ...standing].filter(({ transaction }) => !transaction.isRecovered);
}

export function watchCommitTimeout(options: CommitTimeoutOptions): CommitTimeout {
  return new CommitTimeoutWatch(options);
}

class CommitTimeoutWatch implements CommitTimeout {
  readonly #options: CommitTimeoutOptions;
  /** Receipts in the spool that are not in the store. */
  readonly #spooled = new Set<JournaledRequest>();
  // deno-lint-ignore tollgate/kept-promises -- it never rejects, and goes when it settles
  #spooling: Promise<void> | undefined;

  constructor(options: CommitTimeoutOptions) {
    this.#options = options;
  }

  look({ inFlight, queue }: UncommittedRequests): void {
    const { failMs, closeMs } = this.#options;
    const late: LateReceipt[] = [];
    for (const { request, waiters, closed } of inFlight) {
      if (!waiters || !this.#older(waiters, failMs)) continue;
      if (!closed) waiters.reject(ledgerUnavailable("it cannot be written at the moment"));
      else if (this.#older(waiters, closeMs)) {
        waiters.reject(ledgerUnavailable("its receipt cannot be written"));
      } else late.push({ transaction: request, waiting: waiters });
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
    if (this.#spooling === undefined) void this.#spool(late);
  }

  async spoolRest(unwritten: UncommittedRequests): Promise<void> {
    // Ends when the disk has answered, which the end of the ledger waits for two seconds for.
    await this.#spooling;
    await this.#spool(lateReceipts(unwritten));
  }

  onCommitted(items: readonly BatchItem[]): void {
    if (this.#spooled.size === 0) return;
    for (const { request, closed } of items) if (closed) this.#spooled.delete(request);
    if (this.#spooled.size > 0) return;
    this.#options.spool?.clear().catch((error: unknown) => {
      this.#options.runtime.log.error("Cannot empty receipt spool", { error: String(error) });
    });
  }

  #giveUp(transaction: JournaledRequest, error: unknown): void {
    transaction.waiters?.reject(error);
    transaction.waiters = undefined;
  }

  /** Spools the late receipts that are not spooled yet. */
  async #spool(all: readonly LateReceipt[]): Promise<void> {
    const { spool } = this.#options;
    const late = all.filter(({ transaction }) => !transaction.spooled);
    if (!spool || late.length === 0) return;
    this.#spooling = this.#append(spool, late);
    // Ends as above.
    await this.#spooling;
    this.#spooling = undefined;
  }

  /** Does not throw. */
  async #append(spool: ReceiptSpool, late: readonly LateReceipt[]): Promise<void> {
    const { runtime: { log } } = this.#options;
    for (const { transaction } of late) {
      transaction.spooled = true;
      this.#spooled.add(transaction);
    }
    try {
      await spool.append(late.map(({ transaction }) => transaction.entry()));
      for (const { waiting } of late) waiting?.resolve();
      log.warn("Receipts spooled to disk until the store recovers", { count: late.length });
    } catch (error) {
      log.error("Cannot spool receipts", { error: String(error) });
      for (const { transaction } of late) {
        transaction.spooled = false;
        this.#spooled.delete(transaction);
      }
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
