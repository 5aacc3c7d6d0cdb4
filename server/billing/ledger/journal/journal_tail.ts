/** Reads receipts in the order in which the journals have them, from a place on: a reader that keeps its place loses none. */

import * as z from "zod";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { Store, StoreEntry, StoreKey } from "../../../storage/stores/store.ts";
import { EMBEDDED_INSTANCE } from "../projection/shard_checkpoints.ts";
import { liveInstances } from "../quota/instances.ts";
import { batchKey, JOURNAL_ROWS, parseBatch } from "./journal_batch.ts";
import { receiptsInBatch, unlessDamaged } from "./receipt_reader.ts";

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
  /** Whether its gateway runs, or is being closed by another. */
  readonly isLive: boolean;
}

/** A part of a journal, in whole batches. */
export interface JournalPart {
  /** Number of its last batch. */
  readonly to: number;
  /** Without those that cannot be read any more. */
  readonly receipts: readonly Receipt[];
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

export class JournalTail {
  readonly #store: Store;
  /** Instances that have written before this process looked first. */
  #before: readonly string[] | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** All journals that anything may be in. Throws a StoreError. */
  async look(): Promise<readonly JournalHead[]> {
    const store = this.#store;
    this.#before ??= await Array.fromAsync(instancesWithJournal(store));
    const live = await liveInstances(store);
    const instances = [...new Set([...this.#before, ...live, EMBEDDED_INSTANCE])];
    const heads = await Promise.all(instances.map(async (instance) => {
      const [newest] = await store.list([JOURNAL_ROWS, instance], { reverse: true, limit: 1 });
      return newest && { instance, newest: seqOf(newest), isLive: live.has(instance) };
    }));
    return heads.filter((head) => head !== undefined);
  }

  /** The number of the last batch that was written before a moment (ms since the epoch); -1 where there is none. */
  async lastBefore(instance: string, moment: number): Promise<number> {
    let after: StoreKey | undefined;
    for (;;) {
      const options = { reverse: true, limit: MOST_BATCHES, after };
      const page = await this.#store.list([JOURNAL_ROWS, instance], options);
      for (const entry of page) {
        const at = await unlessDamaged(() => writtenSchema.safeParse(parseBatch(entry)).data?.at);
        if (at !== undefined && at < moment) return seqOf(entry);
      }
      if (page.length < MOST_BATCHES) return -1;
      after = page.at(-1)?.key;
    }
  }

  /** Undefined where nothing is there. Throws a StoreError. */
  async read({ instance, after, to }: PartOptions): Promise<JournalPart | undefined> {
    const receipts: Receipt[] = [];
    const options = { after: batchKey(instance, after), limit: MOST_BATCHES };
    let last: number | undefined;
    for (const entry of await this.#store.list([JOURNAL_ROWS, instance], options)) {
      const seq = seqOf(entry);
      if (to !== undefined && seq > to) break;
      last = seq;
      receipts.push(...await unlessDamaged(() => receiptsInBatch(entry)) ?? []);
      if (to === undefined && receipts.length >= ENOUGH) break;
    }
    return last === undefined ? undefined : { to: last, receipts };
  }
}

const seqOf = ({ key }: Pick<StoreEntry, "key">): number => Number(key[2]);
