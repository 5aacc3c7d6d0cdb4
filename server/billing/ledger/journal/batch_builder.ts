/** Puts together what one commit writes: a journal batch, and what is projected with it. */

import { LinkedList } from "../../../../shared/util/linked_list.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { StoreKey, StorePut } from "../../../storage/stores/store.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import { appendChecksum } from "./batch_checksum.ts";
import { batchKey, encodeEntry, MAX_BATCH_BYTES } from "./journal_batch.ts";
import type { CommitWaiter, JournaledRequest } from "./journaled_request.ts";
import type { ClosedBatch, ProjectionBuilder, ProjectionRows } from "../projection/projection.ts";
import { ledgerUnavailable } from "../core/ledger_errors.ts";
import type { CounterCache } from "../core/counters/counter_cache.ts";
import type { SpendCounter } from "../core/counters/spend_counter.ts";
import { trimReceipt } from "./trim_receipt.ts";

/** A commit in the making: the same rows, however often it has to be tried. */
export interface PreparedBatch {
  readonly seq: number;
  /** Random: tells our batch from another's. */
  readonly id: string;
  readonly key: StoreKey;
  readonly items: readonly BatchItem[];
  /** Its receipts; undefined when it has none. */
  readonly batch: ClosedBatch | undefined;
  /** Rows that are projected in this commit; undefined where that is done behind it. */
  readonly projection: ProjectionRows | undefined;
  /** The batch and its counters; and what others want written with them. */
  readonly puts: readonly StorePut[];
  readonly extra: readonly StorePut[];
}

/** One request in a batch, with anyone who waits for that. */
export interface BatchItem {
  readonly request: JournaledRequest;
  /** Also of those who come while the batch is under way. */
  waiters: CommitWaiter | undefined;
  readonly closed: boolean;
}

interface BatchBuilderOptions {
  readonly instance: string;
  readonly scopes: CounterCache;
  /** Where receipts are projected with their batches; undefined where a Projector does it behind them. */
  readonly draft: ProjectionBuilder | undefined;
  readonly runtime: { readonly clock: Clock; readonly id: () => string; readonly log: Logger };
  /** A request that is open for so many batches is told again, so that recovery need not go back further. */
  readonly restateAfter: number;
}

/** For the entries of a batch and what is in front of them; 200 bytes are left for what follows. */
const ROOM = MAX_BATCH_BYTES - 200;
const MAX_RECEIPTS = 40;
/** Rows of counters in one commit; it has room for 1,000 rows in all. */
const MAX_COUNTERS = 300;
const MAX_RESTATED = 20;

/** Most bytes of a character; one beyond the basic plane counts as two characters. */
const CHAR_BYTES = 3;

const encoder = new TextEncoder();

export class BatchBuilder {
  readonly #options: BatchBuilderOptions;
  /** Requests of which the journal knows, those told longest ago first. */
  readonly #open = new LinkedList<JournaledRequest>();
  #readFailure: unknown;

  constructor(options: BatchBuilderOptions) {
    this.#options = options;
  }

  /** Takes what fits off the line; undefined when there is nothing that can be written now. */
  take(queue: JournaledRequest[], seq: number): PreparedBatch | undefined {
    this.#restate(queue, seq);
    const draft = new BatchDraft();
    const left: JournaledRequest[] = [];
    let full = false;
    for (const transaction of queue) {
      const ready: boolean = !full && (!transaction.closing || transaction.countable);
      full ||= ready && !draft.add(transaction);
      if (full && draft.transactions.length === 0) full = this.#drop(transaction);
      else if (!ready || full) left.push(transaction);
    }
    queue.splice(0, queue.length, ...left);
    if (draft.transactions.length === 0) return undefined;
    const items = draft.transactions.map((transaction) => this.#enter(transaction, seq));
    return this.#batch(draft, { seq, items });
  }

  /** Reads the counters that receipts wait for: whether any could be read. */
  async readCounters(queue: readonly JournaledRequest[]): Promise<boolean> {
    const missing = new Set(queue.flatMap(({ counters }) => counters.filter(({ loaded }) => !loaded)));
    const reads = await Promise.allSettled([...missing].map((counter) => this.#options.scopes.load(counter)));
    const failure: unknown = reads.find((read) => read.status === "rejected")?.reason;
    if (failure !== undefined && String(failure) !== String(this.#readFailure)) {
      this.#options.runtime.log.warn("Cannot read spend counters", { error: String(failure) });
    }
    this.#readFailure = failure;
    return reads.some(({ status }) => status === "fulfilled");
  }

  /** Why a counter could not be read when that was tried last. */
  get readFailure(): unknown {
    return this.#readFailure;
  }

  /** Requests that are open in the journal. */
  get open(): number {
    return this.#open.size;
  }

  /** Leaves out an entry that no batch can hold, so that the others are written. */
  #drop(transaction: JournaledRequest): false {
    this.#options.runtime.log.error("Request too large for the journal");
    transaction.waiters?.reject(ledgerUnavailable("it is too large to be written"));
    transaction.waiters = undefined;
    transaction.pendingChange = "none";
    transaction.queued = false;
    transaction.dropped = true;
    return false;
  }

  #restate(queue: JournaledRequest[], seq: number): void {
    let room = MAX_RESTATED;
    for (const transaction of this.#open) {
      if (room-- === 0 || seq - (transaction.firstSeq ?? seq) < this.#options.restateAfter) return;
      transaction.change("open");
      if (transaction.queued || transaction.idle !== undefined) continue;
      transaction.queued = true;
      queue.push(transaction);
    }
  }

  #enter(transaction: JournaledRequest, seq: number): BatchItem {
    const item = { request: transaction, waiters: transaction.waiters, closed: transaction.closing };
    if (transaction.closing || transaction.pendingChange === "open") {
      if (transaction.place !== undefined) this.#open.remove(transaction.place);
      transaction.place = transaction.closing ? undefined : this.#open.add(transaction);
      transaction.firstSeq = seq;
    }
    transaction.waiters = undefined;
    transaction.pendingChange = "none";
    transaction.queued = false;
    transaction.heldUpSince = undefined;
    return item;
  }

  #batch(
    draft: BatchDraft,
    { seq, items }: { readonly seq: number; readonly items: readonly BatchItem[] },
  ): PreparedBatch {
    const { instance, draft: together, runtime } = this.#options;
    const id = runtime.id();
    const behind = together === undefined ? ',"behind":true' : "";
    const low = this.#open.first?.firstSeq ?? seq;
    const tail = `],"group":"${id}","low":${low},"at":${runtime.clock.now()}${behind}}`;
    const key = batchKey(instance, seq);
    const batch = draft.closed.length === 0
      ? undefined
      : { seq, closed: draft.closed, receipts: draft.receipts };
    if (batch) together?.add(batch);
    const projection = together?.seal();
    const puts = [{ key, value: draft.finish(tail) }, ...projection?.puts ?? []];
    return {
      seq,
      id,
      key,
      items,
      batch,
      projection,
      puts,
      extra: projection?.extra ?? [],
    };
  }
}

/** A batch that is being filled. */
class BatchDraft {
  readonly transactions: JournaledRequest[] = [];
  readonly receipts: Receipt[] = [];
  readonly closed: JournaledRequest[] = [];
  readonly #counters = new Set<SpendCounter>();
  #text = '{"entries":[';
  /** At most; the text is encoded once, when it is whole. */
  #bytes = this.#text.length;

  /** False when there is no room left for it. */
  add(transaction: JournaledRequest): boolean {
    if (this.receipts.length >= MAX_RECEIPTS || this.#counters.size >= MAX_COUNTERS) return false;
    const { receipt } = transaction;
    if (!this.#write(transaction, receipt)) return false;
    this.transactions.push(transaction);
    if (!receipt) return true;
    this.receipts.push(receipt);
    this.closed.push(transaction);
    for (const counter of transaction.counters) this.#counters.add(counter);
    return true;
  }

  finish(tail: string): Uint8Array {
    return appendChecksum(this.#text + tail);
  }

  #write(transaction: JournaledRequest, receipt: Receipt | undefined): boolean {
    const comma = this.transactions.length === 0 ? "" : ",";
    if (this.#fits(comma + encodeEntry(transaction.entry()))) return true;
    if (this.transactions.length > 0 || !receipt) return false;
    // A receipt that no batch could hold is written without what a caller has put into it.
    const short = trimReceipt(receipt);
    return this.#fits(encodeEntry(transaction.closeEntry(short)));
  }

  #fits(text: string): boolean {
    let bytes = this.#bytes + text.length * CHAR_BYTES;
    if (bytes > ROOM) bytes = encoder.encode(this.#text).length + encoder.encode(text).length;
    if (bytes > ROOM) return false;
    this.#bytes = bytes;
    this.#text += text;
    return true;
  }
}
