/**
 * `GET /receipts/tail`: receipts as they are written, to a bounded number of readers. What a reader
 * takes more slowly, or what comes more often than it is told, is counted and left out, so that none of them holds
 * more than a second's receipts.
 */

import { ApiError } from "../../../shared/errors.ts";
import type { EventFeed, FeedEvent } from "../../../shared/management/operation.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { Ledger } from "../../billing/ledger/core/ledger.ts";
import type { Cancel, Clock } from "../../runtime.ts";
import { passesFilter, type ReceiptFilter } from "./receipt_filter.ts";
import { serializeReceipt } from "./serialize_receipt.ts";

/** Readers at a time, in one process. */
export const MAX_TAIL_READERS = 20;
/** Receipts that a reader is told of in a second. */
export const MAX_TAIL_RECEIPTS = 50;
const SECOND_MS = 1_000;

interface ReceiptTailOptions {
  readonly ledger: Pick<Ledger, "followAll">;
  readonly clock: Clock;
}

export class ReceiptTail {
  readonly #options: ReceiptTailOptions;
  readonly #readers = new Set<TailReader>();
  #unfollow: () => void = () => {};
  #isClosed = false;

  constructor(options: ReceiptTailOptions) {
    this.#options = options;
  }

  /** Throws an ApiError: 429 where there are as many readers as may be, 503 while the gateway stops. */
  open(filter: ReceiptFilter): EventFeed {
    if (this.#isClosed) throw new ApiError("not_ready", "Cannot follow receipts: the gateway is stopping.");
    if (this.#readers.size >= MAX_TAIL_READERS) throw tooManyReaders();
    const { ledger, clock } = this.#options;
    if (this.#readers.size === 0) this.#unfollow = ledger.followAll((receipt) => this.#tell(receipt));
    const reader: TailReader = new TailReader({ clock, filter, closed: () => this.#forget(reader) });
    this.#readers.add(reader);
    return reader;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Ends every reader's stream, and lets no more in. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.close();
  }

  #forget(reader: TailReader): void {
    if (this.#readers.delete(reader) && this.#readers.size === 0) this.#unfollow();
  }

  #tell(receipt: Receipt): void {
    let made: FeedEvent | undefined;
    // Written once for all who read it.
    const event = () => made ??= { event: "receipt", data: JSON.stringify(serializeReceipt(receipt)) };
    for (const reader of this.#readers) reader.offer(receipt, event);
  }
}

function tooManyReaders(): ApiError {
  const message =
    `Cannot follow receipts: ${MAX_TAIL_READERS} readers follow them already, which is the most ` +
    "that may at a time. Close one of them, or list receipts by GET /receipts.";
  return new ApiError("rate_limited", message, { retryAfter: 10, metadata: { limit: MAX_TAIL_READERS } });
}

interface TailReaderOptions {
  readonly clock: Clock;
  readonly filter: ReceiptFilter;
  readonly closed: () => void;
}

class TailReader implements EventFeed {
  readonly #options: TailReaderOptions;
  #pending: FeedEvent[] = [];
  /** Receipts that were left out and not told of yet; they are told of at the end of their second. */
  #leftOut = 0;
  #isDue = false;
  /** When the second began in which receipts are counted, monotonic ms, and how many it has had. */
  #second = -Infinity;
  #told = 0;
  #timer: Cancel | undefined;
  #deliver: ((events: readonly FeedEvent[] | undefined) => void) | undefined;
  #isClosed = false;

  constructor(options: TailReaderOptions) {
    this.#options = options;
  }

  offer(receipt: Receipt, event: () => FeedEvent): void {
    const { clock, filter } = this.#options;
    if (!isInRange(receipt, filter) || !passesFilter(receipt, filter)) return;
    const now = clock.monotonic();
    if (now - this.#second >= SECOND_MS) {
      this.#second = now;
      this.#told = 0;
    }
    if (this.#told >= MAX_TAIL_RECEIPTS || this.#pending.length >= MAX_TAIL_RECEIPTS) {
      this.#leftOut++;
      this.#timer ??= clock.after(this.#second + SECOND_MS - now, () => this.#endSecond());
      return;
    }
    this.#told++;
    this.#pending.push(event());
    this.#wake();
  }

  next(): Promise<readonly FeedEvent[] | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const events = this.#take();
    if (events.length > 0) return Promise.resolve(events);
    const { promise, resolve } = Promise.withResolvers<readonly FeedEvent[] | undefined>();
    this.#deliver = resolve;
    return promise;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.();
    this.#pending = [];
    this.#deliver?.(undefined);
    this.#options.closed();
  }

  #endSecond(): void {
    this.#timer = undefined;
    this.#isDue = true;
    this.#wake();
  }

  #wake(): void {
    if (this.#deliver === undefined) return;
    this.#deliver(this.#take());
    this.#deliver = undefined;
  }

  #take(): readonly FeedEvent[] {
    const events = this.#pending;
    this.#pending = [];
    if (!this.#isDue) return events;
    const data = JSON.stringify({ count: this.#leftOut });
    this.#leftOut = 0;
    this.#isDue = false;
    return [...events, { event: "left_out", data }];
  }
}

/** Whether it ended in the filter's range of time. */
function isInRange({ ended_at }: Receipt, { since = -Infinity, until = Infinity }: ReceiptFilter): boolean {
  const ended = Date.parse(ended_at);
  return ended >= since && ended < until;
}
