/**
 * One group commit at a time (promises M5): at once when idle, and what comes during a commit is the next batch.
 * What is lazy is in none for a moment (`commit_queue.ts`): calls that are over by then need nothing but their receipt.
 * A commit checks only that its own batch is absent; whether a commit whose reply was lost has happened is read
 * from the batch. While the store fails, receipts go to the spool.
 */

import { within } from "../../../../shared/util/within.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { CommitQueue } from "./commit_queue.ts";
import type { BatchBuilder, PreparedBatch } from "./batch_builder.ts";
import { commitBatch, type CommitObserver } from "./commit_batch.ts";
import { createCommitWaiter, type JournaledRequest, rejectedCommit } from "./journaled_request.ts";
import type { CommitInFlight, CommitState } from "./commit_state.ts";
import type { UnwrittenReceipts } from "../core/ledger.ts";
import { ledgerUnavailable } from "../core/ledger_errors.ts";
import type { ReceiptSpool } from "./receipt_spool.ts";
import {
  type CommitTimeout,
  lateReceipts,
  type UncommittedRequests,
  watchCommitTimeout,
} from "./commit_timeout.ts";
import { isHeldUp, LineWait } from "./line_wait.ts";
import { type ClosedBatch, releaseCounters } from "../projection/projection.ts";
import { StallAwareTimer } from "./stall_aware_timer.ts";

interface BatchCommitOptions extends CommitObserver {
  readonly store: Store;
  readonly runtime: { readonly clock: Clock; readonly log: Logger };
  readonly builder: BatchBuilder;
  readonly spool: ReceiptSpool | undefined;
  /** The first batch to write. */
  readonly seq: number;
  /** After so many ms without a commit, nothing is admitted and receipts are spooled. */
  readonly failMs: number;
  /** After so many ms a receipt that is neither stored nor spooled is given up. */
  readonly closeMs: number;
  /** A batch with receipts is in the store. */
  readonly onCommitted: (batch: ClosedBatch) => void;
  /** A receipt is in the store. */
  readonly onClosed: (transaction: JournaledRequest) => void;
  /** Another instance has declared this one dead: nothing can be written any more. */
  readonly onFenced: () => void;
}

const notAnyMore = () => ledgerUnavailable("this instance may not write any more");

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;

export class BatchCommitLoop {
  readonly #options: BatchCommitOptions;
  readonly #queue: CommitQueue;
  #state: CommitState = "running";
  #seq: number;
  #busy = false;
  #flight: CommitInFlight | undefined;
  readonly #watch: StallAwareTimer;
  /** The watch's time when a commit was begun last, or at its last look: near enough for who comes meanwhile. */
  #seen = 0;
  #wakeUp: (() => void) | undefined;
  readonly #waits = new LineWait();
  readonly #overdue: CommitTimeout;

  constructor(options: BatchCommitOptions) {
    this.#options = options;
    this.#queue = new CommitQueue(options.runtime.clock, () => this.commitNow());
    this.#seq = options.seq;
    this.#watch = new StallAwareTimer(options.runtime.clock, () => this.#look());
    this.#overdue = watchCommitTimeout({ ...options, now: () => this.#watch.now });
  }

  get state(): CommitState {
    return this.#state;
  }

  /** Has a request written with the next batch. `lazy`: not for a moment, in which it may come to its end. */
  add(transaction: JournaledRequest, lazy = false): void {
    if (this.#over) {
      transaction.waiters?.reject(notAnyMore());
      transaction.waiters = undefined;
      return;
    }
    this.#stamp(transaction);
    if (lazy) return this.#queue.idle(transaction);
    this.#queue.enqueue(transaction);
    this.commitNow();
  }

  /**
   * Resolves when what there is to say of a request's calls is in the store, and has it written at once. Rejects
   * with an ApiError when that takes too long or cannot be.
   */
  whenDurable(transaction: JournaledRequest): Promise<void> {
    if (transaction.wasWritten(this.#seq)) return Promise.resolve();
    const at = transaction.hasUnwrittenChange
      ? transaction
      : this.#flight?.group.items.find((item) => item.request === transaction);
    if (!at || this.#over) return rejectedCommit(ledgerUnavailable("it cannot be written"));
    if (at === transaction) this.#queue.enqueue(transaction);
    at.waiters ??= createCommitWaiter();
    this.#stamp(at);
    this.commitNow();
    return at.waiters.promise;
  }

  /** Writes what is in the line, unless that is under way. */
  commitNow(): void {
    if (!this.#isAtWork) return;
    this.#watch.start();
    if (this.#busy) return;
    this.#busy = true;
    queueMicrotask(() => this.#drain());
  }

  /**
   * Resolves when nothing is left to be written. Rejects with an ApiError when it cannot be, or not for so long that
   * there is no sense in waiting; what is in the line goes on as before.
   */
  async flush(): Promise<void> {
    for (this.#queue.enqueueIdle(false); this.#isAtWork; this.#queue.enqueueIdle(false)) {
      if (this.#state !== "running") throw ledgerUnavailable("it cannot be written at the moment");
      if (isHeldUp(this.#queue.next, { ...this.#options, now: this.#watch.now })) {
        throw ledgerUnavailable("current spend cannot be read", this.#options.builder.readFailure);
      }
      this.commitNow();
      await this.#waits.next();
    }
    if (this.#over) throw notAnyMore();
  }

  /** Has the receipts spooled that are not in the store. Does not throw. */
  spoolRest(): Promise<void> {
    return this.#overdue.spoolRest(this.#uncommitted);
  }

  get unwritten(): UnwrittenReceipts {
    const late = lateReceipts(this.#uncommitted);
    const spooled = late.filter(({ transaction }) => transaction.spooled).length;
    return { spooled, lost: late.length - spooled };
  }

  /**
   * Resolves when all is committed that is under way or in the line now: nothing of it can come back. Rejects with
   * an ApiError when that takes too long.
   */
  async whenWritten(): Promise<void> {
    this.#queue.enqueueIdle(false);
    const waits = this.#queue.next.map((transaction) => transaction.written());
    for (const transaction of this.#queue.next) this.#stamp(transaction);
    this.commitNow();
    const { runtime: { clock }, closeMs } = this.#options;
    const late = () => ledgerUnavailable("what was decided before is not written yet");
    await within(Promise.all([...waits, this.#flight?.landed.promise]), { clock, ms: closeMs, late });
  }

  /** Why receipts in the line are not written although the store takes writes: counters that cannot be read. */
  get heldUpReason(): string | undefined {
    const { readFailure } = this.#options.builder;
    if (readFailure === undefined || this.#queue.next.length === 0) return undefined;
    return readFailure instanceof Error ? readFailure.message : String(readFailure);
  }

  get #isAtWork(): boolean {
    return this.#busy || this.#queue.next.length > 0;
  }

  get #uncommitted(): UncommittedRequests {
    return { inFlight: this.#flight?.group.items ?? [], queue: this.#queue.next };
  }

  get #over(): boolean {
    return this.#state === "fenced" || this.#state === "stopped";
  }

  #stamp({ waiters }: Pick<JournaledRequest, "waiters">): void {
    if (waiters && Number.isNaN(waiters.since)) waiters.since = this.#busy ? this.#seen : this.#watch.now;
  }

  /** Ends the loop, whatever is left. */
  stop(state: "fenced" | "stopped" = "stopped"): void {
    this.#state = state;
    this.#watch.stop();
    this.#wakeUp?.();
    const error = notAnyMore();
    for (const { waiters } of this.#flight?.group.items ?? []) waiters?.reject(error);
    for (const transaction of this.#queue.end()) transaction.waiters?.reject(error);
    this.#rest();
  }

  async #drain(): Promise<void> {
    for (;;) {
      const batch = this.#builderTakes();
      if (!batch) break;
      this.#seen = this.#watch.now;
      const flight: CommitInFlight = { group: batch, since: this.#seen, landed: createCommitWaiter() };
      this.#flight = flight;
      const landed = await this.#land(batch);
      this.#flight = undefined;
      if (!landed) {
        flight.landed.reject(notAnyMore());
        return this.#rest();
      }
      flight.landed.resolve();
      this.#landed(batch);
    }
    this.#rest();
    void this.#read();
  }

  /** Reads the counters that queued transactions wait for; a failure is tried again at the next look. */
  async #read(): Promise<void> {
    if (this.#queue.next.length === 0) return;
    if (await this.#options.builder.readCounters(this.#queue.next)) this.commitNow();
  }

  #builderTakes(): PreparedBatch | undefined {
    this.#queue.enqueueIdle();
    const { next } = this.#queue;
    return next.length === 0 ? undefined : this.#options.builder.take(next, this.#seq);
  }

  /** Nothing can be written at the moment. */
  #rest(): void {
    this.#busy = false;
    for (const transaction of this.#queue.next) transaction.heldUpSince ??= this.#watch.now;
    if (this.#queue.next.length > 0) return;
    this.#watch.stop();
    this.#waits.notify();
  }

  #landed({ items, batch, projection }: PreparedBatch): void {
    this.#seq++;
    if (this.#state === "failing") {
      this.#state = "running";
      this.#options.runtime.log.info("Ledger writes recovered");
    }
    if (projection) releaseCounters(projection);
    if (batch) this.#options.onCommitted(batch);
    for (const { request, waiters, closed } of items) {
      waiters?.resolve();
      if (closed) this.#options.onClosed(request);
    }
    this.#overdue.onCommitted(items);
  }

  /** Commits the batch, for as long as it takes. False when this instance may not write any more. */
  async #land(batch: PreparedBatch): Promise<boolean> {
    const { store, runtime, onCommit } = this.#options;
    let whole = true;
    for (let pause = FIRST_PAUSE_MS;; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      if (this.#over) return false;
      const outcome = await commitBatch(batch, { ...runtime, store, onCommit, whole });
      if (outcome === "landed") return true;
      if (outcome === "fenced") return this.#fence();
      if (outcome === "refused") {
        if (!whole) return this.#fence();
        whole = false;
        continue;
      }
      await this.#pause(pause);
    }
  }

  #fence(): false {
    this.#options.runtime.log.error(
      "The ledger was taken over by another instance, or is broken: nothing is admitted",
    );
    this.stop("fenced");
    this.#options.onFenced();
    return false;
  }

  #pause(ms: number): Promise<void> {
    // Ends with the clock, or with the loop.
    return new Promise((resolve) => {
      const cancel = this.#options.runtime.clock.after(ms, resolve);
      this.#wakeUp = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Runs now and then while there is something to write. */
  #look(): void {
    const { runtime: { log }, failMs } = this.#options;
    const since = this.#flight?.since;
    this.#seen = this.#watch.now;
    if (this.#state === "running" && since !== undefined && this.#seen - since >= failMs) {
      this.#state = "failing";
      log.error("Ledger cannot write; rejecting new requests until it can");
    }
    this.#overdue.look(this.#uncommitted);
    this.#waits.notify();
    this.commitNow();
  }
}
