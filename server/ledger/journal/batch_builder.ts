/** Puts together what one commit writes: a journal block, and what is posted with it. */

import { LinkedList } from "../../../shared/util/linked_list.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { StoreKey, StorePut } from "../../stores/store.ts";
import type { Clock, Logger } from "../../runtime.ts";
import { appendChecksum } from "./batch_checksum.ts";
import { batchKey, encodeEntry, MAX_BATCH_BYTES } from "./journal_batch.ts";
import type { CommitWaiter, JournaledRequest } from "./journaled_request.ts";
import type { ClosedBatch, ProjectionBuilder, ProjectionRows } from "../projection/projection.ts";
import { ledgerUnavailable } from "../core/ledger_errors.ts";
import type { CounterCache } from "../core/counter_cache.ts";
import type { SpendCounter } from "../core/spend_counter.ts";
import { trimReceipt } from "./trim_receipt.ts";

/** A commit in the making: the same rows, however often it has to be tried. */
export interface PreparedBatch {
  readonly seq: number;
  /** Random: tells our block from another's. */
  readonly id: string;
  readonly key: StoreKey;
  readonly items: readonly BatchItem[];
  /** Its receipts; undefined when it has none. */
  readonly batch: ClosedBatch | undefined;
  /** What is posted in this commit; undefined where that is done behind it. */
  readonly projection: ProjectionRows | undefined;
  /** The block and its counters; and what others want written with them. */
  readonly puts: readonly StorePut[];
  readonly extra: readonly StorePut[];
}

/** One request in a group, with whoever waits for that. */
export interface BatchItem {
  readonly request: JournaledRequest;
  /** Also of those who come while the group is under way. */
  waiters: CommitWaiter | undefined;
  readonly closed: boolean;
}

export interface BatchBuilderOptions {
  readonly instance: string;
  readonly scopes: CounterCache;
  /** Where receipts are posted with their blocks; undefined where a Poster does it behind them. */
  readonly draft: ProjectionBuilder | undefined;
  readonly world: { readonly clock: Clock; readonly id: () => string; readonly log: Logger };
  /** A request that is open for so many blocks is told again, so that recovery need not go back further. */
  readonly restateAfter: number;
}

/** For the entries of a block and what is in front of them; 200 bytes are left for what follows. */
const ROOM = MAX_BATCH_BYTES - 200;
const MAX_RECEIPTS = 40;
/** Rows of counters in one commit; it has room for 1,000 rows in all. */
const MAX_COUNTERS = 300;
const MAX_RESTATED = 20;

/** What a character may take; one beyond the basic plane counts as two. */
const CHAR_BYTES = 3;

const encoder = new TextEncoder();

export class BatchBuilder {
  readonly #options: BatchBuilderOptions;
  /** Requests of which the journal knows, those told longest ago first. */
  readonly #open = new LinkedList<JournaledRequest>();

  constructor(options: BatchBuilderOptions) {
    this.#options = options;
  }

  /** Takes what fits off the line; undefined when there is nothing that can be written now. */
  take(line: JournaledRequest[], seq: number): PreparedBatch | undefined {
    this.#restate(line, seq);
    const draft = new BatchDraft();
    const left: JournaledRequest[] = [];
    let full = false;
    for (const tab of line) {
      const ready: boolean = !full && (!tab.closing || tab.countable);
      full ||= ready && !draft.add(tab);
      if (full && draft.tabs.length === 0) full = this.#drop(tab);
      else if (!ready || full) left.push(tab);
    }
    line.splice(0, line.length, ...left);
    if (draft.tabs.length === 0) return undefined;
    const items = draft.tabs.map((tab) => this.#enter(tab, seq));
    return this.#group(draft, { seq, items });
  }

  /** Resolves when a receipt that waits for its counters can be counted. */
  async ready({ counters }: JournaledRequest): Promise<void> {
    await Promise.all(counters.map((counter) => this.#options.scopes.load(counter)));
  }

  /** Requests that are open in the journal. */
  get open(): number {
    return this.#open.size;
  }

  /** What no block can hold must not keep the others from being written. */
  #drop(tab: JournaledRequest): false {
    this.#options.world.log.error("Request too large for the journal");
    tab.waiters?.reject(ledgerUnavailable("it is too large to be written"));
    tab.waiters = undefined;
    tab.pendingChange = "none";
    tab.queued = false;
    tab.dropped = true;
    return false;
  }

  #restate(line: JournaledRequest[], seq: number): void {
    let room = MAX_RESTATED;
    for (const tab of this.#open) {
      if (room-- === 0 || seq - (tab.firstSeq ?? seq) < this.#options.restateAfter) return;
      tab.change("open");
      if (tab.queued || tab.idle !== undefined) continue;
      tab.queued = true;
      line.push(tab);
    }
  }

  #enter(tab: JournaledRequest, seq: number): BatchItem {
    const item = { request: tab, waiters: tab.waiters, closed: tab.closing };
    if (tab.closing || tab.pendingChange === "open") {
      if (tab.place !== undefined) this.#open.remove(tab.place);
      tab.place = tab.closing ? undefined : this.#open.add(tab);
      tab.firstSeq = seq;
    }
    tab.waiters = undefined;
    tab.pendingChange = "none";
    tab.queued = false;
    return item;
  }

  #group(
    draft: BatchDraft,
    { seq, items }: { readonly seq: number; readonly items: readonly BatchItem[] },
  ): PreparedBatch {
    const { instance, draft: together, world } = this.#options;
    const id = world.id();
    const behind = together === undefined ? ',"behind":true' : "";
    const low = this.#open.first?.firstSeq ?? seq;
    const tail = `],"group":"${id}","low":${low},"at":${world.clock.now()}${behind}}`;
    const key = batchKey(instance, seq);
    const block = draft.closed.length === 0
      ? undefined
      : { seq, closed: draft.closed, receipts: draft.receipts };
    if (block) together?.add(block);
    const posting = together?.seal();
    const puts = [{ key, value: draft.finish(tail) }, ...posting?.puts ?? []];
    return { seq, id, key, items, batch: block, projection: posting, puts, extra: posting?.extra ?? [] };
  }
}

/** A block that is being filled. */
class BatchDraft {
  readonly tabs: JournaledRequest[] = [];
  readonly receipts: Receipt[] = [];
  readonly closed: JournaledRequest[] = [];
  readonly #counters = new Set<SpendCounter>();
  #text = '{"entries":[';
  /** At most; the text is encoded once, when it is whole. */
  #bytes = this.#text.length;

  /** False when there is no room left for it. */
  add(tab: JournaledRequest): boolean {
    if (this.receipts.length >= MAX_RECEIPTS || this.#counters.size >= MAX_COUNTERS) return false;
    const { receipt } = tab;
    if (!this.#write(tab, receipt)) return false;
    this.tabs.push(tab);
    if (!receipt) return true;
    this.receipts.push(receipt);
    this.closed.push(tab);
    for (const counter of tab.counters) this.#counters.add(counter);
    return true;
  }

  finish(tail: string): Uint8Array {
    return appendChecksum(this.#text + tail);
  }

  #write(tab: JournaledRequest, receipt: Receipt | undefined): boolean {
    const comma = this.tabs.length === 0 ? "" : ",";
    if (this.#fits(comma + encodeEntry(tab.entry()))) return true;
    if (this.tabs.length > 0 || !receipt) return false;
    // A receipt that no block could hold is written without what a caller has put into it.
    return this.#fits(encodeEntry(tab.closeEntry(trimReceipt(receipt))));
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
