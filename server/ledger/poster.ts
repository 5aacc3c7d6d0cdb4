/**
 * Posts receipts behind the commits that write them, on a store that one process has to itself: nobody but this
 * process reads what is posted, and what a crash keeps from being posted is posted at the next start. A request
 * so waits for one row, its block, instead of fifteen.
 */

import { type Store, StoreError } from "../stores/store.ts";
import type { Cancel, Clock, Log } from "../world.ts";
import { type ClosedBlock, posted, type Posting, PostingDraft, type PostingOptions } from "./posting.ts";
import { postingKey } from "./posting_part.ts";
import { closedBlockOf, unpostedOf } from "./unposted.ts";

export interface PosterOptions extends Omit<PostingOptions, "log"> {
  readonly store: Store;
  readonly world: { readonly clock: Clock; readonly log: Log };
}

/** How long a receipt waits for others to be posted with. */
const EVERY_MS = 1_000;
/**
 * When a posting is full: a block may add some 600 rows, and a commit has room for 1,000 of them and for 80,000
 * bytes of keys.
 */
const FULL = { blocks: 200, receipts: 1_000, rows: 120 } as const;

export class Poster {
  readonly #options: PosterOptions;
  readonly #draft: PostingDraft;
  /** Postings that are made and not written, in the order of the journal. */
  readonly #line: Posting[] = [];
  #timer: Cancel | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: PosterOptions) {
    this.#options = options;
    this.#draft = new PostingDraft({ ...options, log: options.world.log });
  }

  /** Posts what an earlier run has written and not posted. Throws a StoreError. */
  async catchUp(): Promise<void> {
    const { store, instance, scopes } = this.#options;
    for (const unposted of await unpostedOf(store, instance)) this.add(await closedBlockOf(unposted, scopes));
    await this.posted();
  }

  /** Its block is in the store. */
  add(block: ClosedBlock): void {
    this.#draft.add(block);
    const { blocks, receipts, rows } = this.#draft;
    if (blocks >= FULL.blocks || receipts >= FULL.receipts || rows >= FULL.rows) this.#seal();
    this.#later();
  }

  /** Resolves when all that was added is posted. Rejects with a StoreError when it cannot be at present. */
  async posted(): Promise<void> {
    this.#seal();
    for (const last = this.#line.at(-1); last !== undefined && this.#line.includes(last);) {
      await this.#write();
    }
    if (this.#rests) this.#stopTimer();
  }

  /** Posts what is left; what cannot be is posted at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTimer();
    try {
      await this.posted();
    } catch (error) {
      this.#options.world.log.warn("Receipts are left to be posted at the next start", {
        error: String(error),
      });
    }
  }

  #seal(): void {
    const posting = this.#draft.seal();
    if (posting !== undefined) this.#line.push(posting);
  }

  #later(): void {
    if (this.#closed) return;
    this.#timer ??= this.#options.world.clock.after(EVERY_MS, () => void this.#now());
  }

  /** Nothing is left to be posted. */
  get #rests(): boolean {
    return this.#draft.blocks === 0 && this.#line.length === 0;
  }

  #stopTimer(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  async #now(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.posted();
    } catch (error) {
      this.#options.world.log.warn("Receipts cannot be posted yet", { error: String(error) });
    }
    if (!this.#rests) this.#later();
  }

  /** Writes the oldest, unless that is under way. */
  #write(): Promise<void> {
    this.#writing ??= this.#first().finally(() => this.#writing = undefined);
    return this.#writing;
  }

  async #first(): Promise<void> {
    const [posting] = this.#line;
    if (posting === undefined) return;
    await this.#commit(posting);
    this.#line.shift();
    posted(posting);
  }

  /** Rows are absolute: writing them again, when a reply was lost, changes nothing. */
  async #commit(posting: Posting): Promise<void> {
    const { store, instance, world: { log } } = this.#options;
    const { first, last, puts, extra } = posting;
    const mark = { key: postingKey({ instance, first }), value: last };
    try {
      await store.commit({ puts: [mark, ...puts, ...extra], small: true });
    } catch (error) {
      const kind = error instanceof StoreError ? error.kind : undefined;
      if (kind !== "invalid" && kind !== "too_large") throw error;
      log.error("Rows beside receipts were refused by the store", { error: String(error) });
      await store.commit({ puts: [mark, ...puts], small: true });
    }
  }
}
