/** Reads receipts in the order in which the journals have them, from a place on: a reader that keeps its place loses none. */

import * as z from "zod";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { Store, StoreEntry, StoreKey } from "../../../storage/stores/store.ts";
import { EMBEDDED_INSTANCE } from "../projection/shard_checkpoints.ts";
import { liveInstances } from "../quota/instances.ts";
import { batchKey, JOURNAL_ROWS, parseBatch } from "./journal_batch.ts";
import { readBatch, unlessDamaged } from "./receipt_reader.ts";

/** Every instance that has ever written, without reading what. */
export async function* instancesWithJournal(store: Store): AsyncGenerator<string> {
  let after: StoreKey | undefined;
  for (;;) {
    const [first] = await store.list([JOURNAL_ROWS], { after, limit: 1 });
    if (!first) return;
    const instance = String(first.key[1]);
    yield instance;
    after = batchKey(instance, Number.MAX_SAFE_INTEGER);
  }
}

/** A journal as it was at a look. */
export interface JournalHead {
  readonly instance: string;
  /** Number of its newest batch. */
  readonly newest: number;
  /** When that was written, where its gateway has ended: ms since the epoch. */
  readonly endedAt?: number;
}

/** A part of a journal, in whole batches. */
export interface JournalPart {
  /** Number of its last batch. */
  readonly to: number;
  /** Without those that cannot be read any more. */
  readonly receipts: readonly Receipt[];
  /** Workspaces of these, as far as they can be told. */
  readonly unread: readonly string[];
}

interface PartOptions {
  readonly instance: string;
  /** Number of the last batch before it; -1: from the beginning. */
  readonly after: number;
  /** Number of its last batch; absent: it ends where it has enough receipts. */
  readonly to?: number;
}

/** Receipts after which a part ends, and batches that it has at most. */
const ENOUGH = 100;
const MOST_BATCHES = 50;

const writtenSchema = z.object({ at: z.int() });

/** Journals that are over are looked for this often, and whenever a gateway ends. */
const OVER_MS = 60_000;

interface JournalTailDeps {
  readonly store: Store;
  readonly clock: { monotonic(): number };
}

export class JournalTail {
  readonly #store: Store;
  readonly #clock: JournalTailDeps["clock"];
  /** Journals that nobody writes any more, as they were found, and when that was by the monotonic clock. */
  #over: readonly JournalHead[] = [];
  #foundAt = -Infinity;
  #live: ReadonlySet<string> = new Set();

  constructor({ store, clock }: JournalTailDeps) {
    this.#store = store;
    this.#clock = clock;
  }

  /** All journals. Throws a StoreError. */
  async look(): Promise<readonly JournalHead[]> {
    const live = new Set([...await liveInstances(this.#store), EMBEDDED_INSTANCE]);
    const now = this.#clock.monotonic();
    if (now - this.#foundAt >= OVER_MS || !this.#live.isSubsetOf(live)) {
      this.#over = await this.#findOver(live);
      this.#foundAt = now;
    }
    this.#live = live;
    const heads = await Promise.all([...live].map(async (instance) => {
      const entry = await this.#newest(instance);
      return entry && { instance, newest: seqOf(entry) };
    }));
    return [...heads.filter((head) => head !== undefined), ...this.#over];
  }

  async #findOver(live: ReadonlySet<string>): Promise<readonly JournalHead[]> {
    const over: JournalHead[] = [];
    for await (const instance of instancesWithJournal(this.#store)) {
      const entry = live.has(instance) ? undefined : await this.#newest(instance);
      if (entry === undefined) continue;
      over.push({ instance, newest: seqOf(entry), endedAt: await writtenAt(entry) ?? Infinity });
    }
    return over;
  }

  async #newest(instance: string): Promise<StoreEntry | undefined> {
    const [newest] = await this.#store.list([JOURNAL_ROWS, instance], { reverse: true, limit: 1 });
    return newest;
  }

  /** The number of the last batch that was written before a moment (ms since the epoch); -1 where there is none. */
  async lastBefore(instance: string, moment: number): Promise<number> {
    let after: StoreKey | undefined;
    for (;;) {
      const options = { reverse: true, limit: MOST_BATCHES, after };
      const page = await this.#store.list([JOURNAL_ROWS, instance], options);
      for (const entry of page) {
        const at = await writtenAt(entry);
        if (at !== undefined && at < moment) return seqOf(entry);
      }
      if (page.length < MOST_BATCHES) return -1;
      after = page.at(-1)?.key;
    }
  }

  /** Undefined where nothing is there. Throws a StoreError. */
  async read({ instance, after, to }: PartOptions): Promise<JournalPart | undefined> {
    const receipts: Receipt[] = [];
    const unread: string[] = [];
    const options = { after: batchKey(instance, after), limit: MOST_BATCHES };
    let last: number | undefined;
    for (const entry of await this.#store.list([JOURNAL_ROWS, instance], options)) {
      const seq = seqOf(entry);
      if (to !== undefined && seq > to) break;
      last = seq;
      const batch = await unlessDamaged(() => readBatch(entry));
      receipts.push(...batch?.receipts ?? []);
      unread.push(...batch?.unread ?? []);
      if (to === undefined && receipts.length >= ENOUGH) break;
    }
    return last === undefined ? undefined : { to: last, receipts, unread };
  }
}

const seqOf = ({ key }: Pick<StoreEntry, "key">): number => Number(key[2]);

/** Ms since the epoch; undefined for a damaged batch. */
const writtenAt = (entry: StoreEntry): Promise<number | undefined> =>
  unlessDamaged(() => writtenSchema.safeParse(parseBatch(entry)).data?.at);
