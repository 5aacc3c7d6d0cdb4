/** Puts together what one commit writes: a journal block, and what is posted with it. */

import { OpenList } from "../../../shared/util/linked_list.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { Put, StoreKey } from "../../stores/store.ts";
import type { Clock, Log } from "../../runtime.ts";
import { encodeBatch } from "./batch_checksum.ts";
import { BLOCK_BYTES, blockKey, entryText } from "./journal_batch.ts";
import type { Journaled, Written } from "./journaled_request.ts";
import type { ClosedBlock, Posting, PostingDraft } from "../projection/projection.ts";
import { unavailable } from "../core/ledger_errors.ts";
import type { Scopes } from "../core/counter_cache.ts";
import type { Counter } from "../core/spend_counter.ts";
import { trimmed } from "./trim_receipt.ts";

/** A commit in the making: the same rows, however often it has to be tried. */
export interface GroupCommit {
  readonly seq: number;
  /** Random: tells our block from another's. */
  readonly id: string;
  readonly key: StoreKey;
  readonly items: readonly Item[];
  /** Its receipts; undefined when it has none. */
  readonly block: ClosedBlock | undefined;
  /** What is posted in this commit; undefined where that is done behind it. */
  readonly posting: Posting | undefined;
  /** The block and its counters; and what others want written with them. */
  readonly puts: readonly Put[];
  readonly extra: readonly Put[];
}

/** One request in a group, with whoever waits for that. */
export interface Item {
  readonly tab: Journaled;
  /** Also of those who come while the group is under way. */
  waiting: Written | undefined;
  readonly closed: boolean;
}

export interface BuilderOptions {
  readonly instance: string;
  readonly scopes: Scopes;
  /** Where receipts are posted with their blocks; undefined where a Poster does it behind them. */
  readonly draft: PostingDraft | undefined;
  readonly world: { readonly clock: Clock; readonly id: () => string; readonly log: Log };
  /** A request that is open for so many blocks is told again, so that recovery need not go back further. */
  readonly restateAfter: number;
}

/** For the entries of a block and what is in front of them; 200 bytes are left for what follows. */
const ROOM = BLOCK_BYTES - 200;
const MAX_RECEIPTS = 40;
/** Rows of counters in one commit; it has room for 1,000 rows in all. */
const MAX_COUNTERS = 300;
const MAX_RESTATED = 20;

/** What a character may take; one beyond the basic plane counts as two. */
const CHAR_BYTES = 3;

const encoder = new TextEncoder();

export class BlockBuilder {
  readonly #options: BuilderOptions;
  /** Requests of which the journal knows, those told longest ago first. */
  readonly #open = new OpenList<Journaled>();

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  /** Takes what fits off the line; undefined when there is nothing that can be written now. */
  take(line: Journaled[], seq: number): GroupCommit | undefined {
    this.#restate(line, seq);
    const draft = new Draft();
    const left: Journaled[] = [];
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
  async ready({ counters }: Journaled): Promise<void> {
    await Promise.all(counters.map((counter) => this.#options.scopes.load(counter)));
  }

  /** Requests that are open in the journal. */
  get open(): number {
    return this.#open.size;
  }

  /** What no block can hold must not keep the others from being written. */
  #drop(tab: Journaled): false {
    this.#options.world.log.error("A request is too large for the journal");
    tab.waiting?.reject(unavailable("it is too large to be written"));
    tab.waiting = undefined;
    tab.pendingChange = "none";
    tab.queued = false;
    tab.dropped = true;
    return false;
  }

  #restate(line: Journaled[], seq: number): void {
    let room = MAX_RESTATED;
    for (const tab of this.#open) {
      if (room-- === 0 || seq - (tab.firstSeq ?? seq) < this.#options.restateAfter) return;
      tab.change("open");
      if (tab.queued || tab.idle !== undefined) continue;
      tab.queued = true;
      line.push(tab);
    }
  }

  #enter(tab: Journaled, seq: number): Item {
    const item = { tab, waiting: tab.waiting, closed: tab.closing };
    if (tab.closing || tab.pendingChange === "open") {
      if (tab.place !== undefined) this.#open.leave(tab.place);
      tab.place = tab.closing ? undefined : this.#open.enter(tab);
      tab.firstSeq = seq;
    }
    tab.waiting = undefined;
    tab.pendingChange = "none";
    tab.queued = false;
    return item;
  }

  #group(
    draft: Draft,
    { seq, items }: { readonly seq: number; readonly items: readonly Item[] },
  ): GroupCommit {
    const { instance, draft: together, world } = this.#options;
    const id = world.id();
    const behind = together === undefined ? ',"behind":true' : "";
    const low = this.#open.first?.firstSeq ?? seq;
    const tail = `],"group":"${id}","low":${low},"at":${world.clock.now()}${behind}}`;
    const key = blockKey(instance, seq);
    const block = draft.closed.length === 0
      ? undefined
      : { seq, closed: draft.closed, receipts: draft.receipts };
    if (block) together?.add(block);
    const posting = together?.seal();
    const puts = [{ key, value: draft.finish(tail) }, ...posting?.puts ?? []];
    return { seq, id, key, items, block, posting, puts, extra: posting?.extra ?? [] };
  }
}

/** A block that is being filled. */
class Draft {
  readonly tabs: Journaled[] = [];
  readonly receipts: Receipt[] = [];
  readonly closed: Journaled[] = [];
  readonly #counters = new Set<Counter>();
  /** The last receipt as it stands here. */
  #before: Receipt | undefined;
  #text = '{"entries":[';
  /** At most; the text is encoded once, when it is whole. */
  #bytes = this.#text.length;

  /** False when there is no room left for it. */
  add(tab: Journaled): boolean {
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
    return encodeBatch(this.#text + tail);
  }

  #write(tab: Journaled, receipt: Receipt | undefined): boolean {
    const comma = this.tabs.length === 0 ? "" : ",";
    if (this.#fits(comma + entryText(tab.entry(), this.#before))) {
      this.#before = receipt ?? this.#before;
      return true;
    }
    if (this.tabs.length > 0 || !receipt) return false;
    // A receipt that no block could hold is written without what a caller has put into it.
    const short = trimmed(receipt);
    if (!this.#fits(entryText(tab.closeEntry(short)))) return false;
    this.#before = short;
    return true;
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
