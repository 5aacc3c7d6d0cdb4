/** State that the journal keeps of each request in it. */

import type { ListNode } from "../../../../shared/util/linked_list.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { SpendBuckets, SpendCounter } from "../core/counters/spend_counter.ts";
import type { CloseEntry, JournalEntry } from "./journal_batch.ts";
import type { Settlement } from "../core/ledger.ts";

/** Kinds of change in rising order: a later one includes the earlier ones. */
const ranks = { none: 0, progress: 1, open: 2, close: 3 } as const;
type JournalChange = keyof typeof ranks;

/** Somebody who waits for a batch to be committed. */
export interface CommitWaiter {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** Ms of the time that the journal's watch counts; set by the journal. */
  since: number;
}

/** Stands in no batch's line yet, because it may be over before it has to. */
export interface IdlePosition {
  /** Ms since the epoch: asking the clock that never steps back takes several times as long. */
  readonly since: number;
  readonly place: ListNode<JournaledRequest>;
}

export abstract class JournaledRequest {
  /** Change that the next batch has to write of it. */
  pendingChange: JournalChange = "none";
  /** Stands in the line for the next batch. */
  queued = false;
  /** Waits until it stands there. */
  idle: IdlePosition | undefined;
  /** The oldest batch that knows of it; undefined before it is in one. */
  firstSeq: number | undefined;
  /** Where it stands among those that are open in the journal. */
  place: ListNode<JournaledRequest> | undefined;
  /** Caller that waits for the next batch. */
  waiters: CommitWaiter | undefined;
  /** Since when no batch could take it from the line, ms of the journal's watch: its counters are not read. */
  heldUpSince: number | undefined;
  /** True when its entry fits into no batch. */
  dropped = false;
  /** In the spool, and not yet in the store. */
  spooled = false;
  /** It is found again at another start, in the journal or the spool where it was found. */
  readonly isRecovered: boolean = false;

  /** Counters, buckets and sums of its receipt. */
  abstract readonly counters: readonly SpendCounter[];
  abstract readonly bucketSets: readonly SpendBuckets[];
  abstract readonly settled: Settlement;
  /** Undefined while the request is open. */
  abstract readonly receipt: Receipt | undefined;
  /** Makes the entry that is to be written now. */
  abstract entry(): JournalEntry;
  abstract closeEntry(receipt: Receipt): CloseEntry;

  get closing(): boolean {
    return this.receipt !== undefined;
  }

  /** True when the counters know their rows, so that the receipt can be counted. */
  get countable(): boolean {
    return this.counters.every(({ loaded }) => loaded);
  }

  /** Replaces the receipt of a request whose client was told that it failed, unless it is being written. */
  abstract replace(change: (receipt: Receipt) => Receipt): void;

  /** Its calls are still to be told. */
  get hasUnwrittenChange(): boolean {
    return (this.queued || this.idle !== undefined) &&
      (this.pendingChange === "open" || this.pendingChange === "close");
  }

  /** All its calls are told in the batches before this one. */
  wasWritten(seq: number): boolean {
    return !this.hasUnwrittenChange && !this.dropped && this.firstSeq !== undefined && this.firstSeq < seq;
  }

  change(change: JournalChange): void {
    if (ranks[change] > ranks[this.pendingChange]) this.pendingChange = change;
  }

  /** Resolves when the next batch that holds it is committed. */
  written(): Promise<void> {
    this.waiters ??= createCommitWaiter();
    return this.waiters.promise;
  }
}

/** For something that is written later. */
export function createCommitWaiter(): CommitWaiter {
  // Ends with the commit, or with what commit_timeout.ts does to those who wait for too long.
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: unknown) => {
    promise.catch(ignoreRejection);
    reject(error);
  };
  return { promise, resolve, reject: fail, since: NaN };
}

function ignoreRejection(): void {
  // A failure is told to everyone who waits for it; nobody has to.
}

/** For what will not be written. */
export function rejectedCommit(error: unknown): Promise<void> {
  const { promise, reject } = createCommitWaiter();
  reject(error);
  return promise;
}
