/** Puts together what one commit writes: a journal block, the counters it changes, and the rows that go with it. */

import type { Receipt } from "../../shared/receipts.ts";
import type { Put, StoreKey } from "../stores/store.ts";
import type { Clock, Log } from "../world.ts";
import { book, type Counter } from "./counter.ts";
import { BLOCK_BYTES, blockKey } from "./entries.ts";
import type { GroupPart } from "./group_part.ts";
import type { Journaled, Written } from "./journaled.ts";
import { unavailable } from "./refusals.ts";
import type { Scopes } from "./scopes.ts";
import { trimmed } from "./trim.ts";

/** First part of the rows `["receipt", id]`, which say in which block a receipt stands. */
export const RECEIPT = "receipt";

/** A commit in the making: the same rows, however often it has to be tried. */
export interface GroupCommit {
  readonly seq: number;
  /** Random: tells our block from another's. */
  readonly id: string;
  readonly key: StoreKey;
  readonly items: readonly Item[];
  readonly counters: ReadonlySet<Counter>;
  /** The block and the counters; and what others want written with them. */
  readonly puts: readonly Put[];
  readonly extra: readonly Put[];
}

/** One request in a group, with whoever waits for that. */
export interface Item {
  readonly tab: Journaled;
  readonly waiting: Written | undefined;
  readonly closed: boolean;
}

export interface BuilderOptions {
  readonly instance: string;
  readonly scopes: Scopes;
  readonly parts: readonly GroupPart[];
  readonly world: { readonly clock: Clock; readonly id: () => string; readonly log: Log };
  /** A request that is open for so many blocks is told again, so that recovery need not go back further. */
  readonly restateAfter: number;
}

/** Room for what follows the entries in a block. */
const TAIL_BYTES = 200;
const MAX_RECEIPTS = 40;
/** Rows of counters in one commit; it has room for 1,000 rows in all. */
const MAX_COUNTERS = 300;
const MAX_RESTATED = 20;

const encoder = new TextEncoder();
const buffer = new Uint8Array(BLOCK_BYTES);

export class BlockBuilder {
  readonly #options: BuilderOptions;
  /** Requests of which the journal knows, those told longest ago first. */
  readonly #open = new Set<Journaled>();

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
    return false;
  }

  #restate(line: Journaled[], seq: number): void {
    let room = MAX_RESTATED;
    for (const tab of this.#open) {
      if (room-- === 0 || seq - (tab.firstSeq ?? seq) < this.#options.restateAfter) return;
      tab.change("open");
      if (tab.queued) continue;
      tab.queued = true;
      line.push(tab);
    }
  }

  #enter(tab: Journaled, seq: number): Item {
    const item = { tab, waiting: tab.waiting, closed: tab.closing };
    if (tab.closing || tab.pendingChange === "open") {
      this.#open.delete(tab);
      if (!tab.closing) this.#open.add(tab);
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
    const { instance, scopes, world } = this.#options;
    const [oldest] = this.#open;
    const id = world.id();
    const tail = `],"group":"${id}","low":${oldest?.firstSeq ?? seq},"at":${world.clock.now()}}`;
    const key = blockKey(instance, seq);
    for (const counter of draft.counters) counter.writing++;
    const receipts = draft.receipts;
    const puts: Put[] = [{ key, value: draft.finish(tail) }];
    for (const counter of draft.counters) puts.push(scopes.put(counter));
    for (const receipt of receipts) puts.push({ key: [RECEIPT, receipt.id], value: [instance, seq] });
    return { seq, id, key, items, counters: draft.counters, puts, extra: this.#extra(receipts, key) };
  }

  /** A part that fails must not cost a receipt. */
  #extra(receipts: readonly Receipt[], block: StoreKey): readonly Put[] {
    if (receipts.length === 0) return [];
    const { instance, parts, world: { log } } = this.#options;
    return parts.flatMap((part) => {
      try {
        return part.puts({ receipts, block, instance });
      } catch (error) {
        log.error("Rows beside receipts cannot be made", { error: String(error) });
        return [];
      }
    });
  }
}

/** A block that is being filled. */
class Draft {
  readonly tabs: Journaled[] = [];
  readonly receipts: Receipt[] = [];
  readonly counters = new Set<Counter>();
  #bytes = write('{"entries":[', 0);

  /** False when there is no room left for it. */
  add(tab: Journaled): boolean {
    if (this.receipts.length >= MAX_RECEIPTS || this.counters.size >= MAX_COUNTERS) return false;
    const { receipt } = tab;
    if (!this.#write(tab, receipt)) return false;
    this.tabs.push(tab);
    if (!receipt) return true;
    const { cost, byok } = tab.settled;
    this.receipts.push(receipt);
    if (cost === 0 && byok === 0) return true;
    for (const set of tab.sets) book(set, tab.settled);
    for (const counter of tab.counters) this.counters.add(counter);
    return true;
  }

  finish(tail: string): Uint8Array {
    return buffer.slice(0, write(tail, this.#bytes));
  }

  #write(tab: Journaled, receipt: Receipt | undefined): boolean {
    const comma = this.tabs.length === 0 ? "" : ",";
    if (this.#fits(comma + JSON.stringify(tab.entry()))) return true;
    if (this.tabs.length > 0 || !receipt) return false;
    // A receipt that no block could hold is written without what a caller has put into it.
    return this.#fits(JSON.stringify(tab.closeEntry(trimmed(receipt))));
  }

  #fits(text: string): boolean {
    const end = write(text, this.#bytes);
    if (end > BLOCK_BYTES - TAIL_BYTES) return false;
    this.#bytes = end;
    return true;
  }
}

/** Where the text ends in the buffer; beyond it when there is no room. */
function write(text: string, at: number): number {
  const { read, written } = encoder.encodeInto(text, buffer.subarray(at));
  return read === text.length ? at + written : BLOCK_BYTES + 1;
}
