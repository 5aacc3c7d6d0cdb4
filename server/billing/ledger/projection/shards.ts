/**
 * Projects in shards what is counted by key and by scope; it may come later than the ids and the index. With many
 * keys in use nearly every receipt has rows of its own there, at random places of the store; a shard gathers those of
 * neighbouring keys, so that one write serves dozens of receipts. A shard is projected as a whole, with the mark how
 * far it has come.
 */

import type { Logger } from "../../../runtime.ts";
import { checkpointsPut, SHARD_COUNT, shardOf } from "./shard_checkpoints.ts";
import {
  ChangedCounters,
  type ClosedBatch,
  logFailure,
  type ProjectionCommit,
  sumClosedRequests,
} from "./projection.ts";
import type { ShardRows, ShardSplit } from "./projection_part.ts";
import type { CounterCache } from "../core/counters/counter_cache.ts";

interface ProjectionShardsOptions {
  readonly instance: string;
  readonly scopes: CounterCache;
  readonly parts: readonly ShardSplit[];
  readonly log: Logger;
}

/**
 * When a shard takes in no further batch: one may add 300 rows of counters, and a few of sums. A commit has room
 * for 1,000 rows and 810,000 bytes.
 */
const SHARD_FULL = { counters: 250, rows: 100, bytes: 150_000 } as const;
/** When a batch takes no further shard. */
const BATCH_FULL = { rows: 250, bytes: 300_000 } as const;

interface Shard {
  readonly counters: ChangedCounters;
  readonly parts: readonly ShardRows[];
  /** There are receipts whose rows were not given away yet. */
  counted: boolean;
  /** The last batch whose receipts are in rows that were given away. */
  sealed: number;
}

interface ReceiptRun {
  readonly shard: Shard;
  readonly run: ClosedBatch["receipts"];
}

export class ProjectionShards {
  readonly #options: ProjectionShardsOptions;
  readonly #shards: readonly Shard[];
  /** The last batch that was added. */
  #last = -1;
  #requested = -1;
  /** The last batch that marks were given for. */
  #marked = -1;
  /** Whose turn is next. */
  #turn = 0;

  constructor(options: ProjectionShardsOptions) {
    this.#options = options;
    this.#shards = Array.from({ length: SHARD_COUNT }, () => ({
      counters: new ChangedCounters(),
      parts: options.parts.map((part) => part.shard()),
      counted: false,
      sealed: -1,
    }));
  }

  /** Takes over how far an earlier run has come. */
  resume(marks: readonly number[]): void {
    this.#shards.forEach((shard, at) => shard.sealed = marks[at] ?? -1);
  }

  /** Whether what a batch says of a scope is still to be counted. */
  isBehind(scope: string, seq: number): boolean {
    return seq > this.#shardOf(scope).sealed;
  }

  /** Gives the rows of shards that must not take in more. */
  add({ seq, closed, receipts }: ClosedBatch): readonly ProjectionCommit[] {
    const touched = new Set<Shard>();
    this.#last = seq;
    for (const { counters, bucketSets, settled } of sumClosedRequests(closed)) {
      counters.forEach((counter, at) => {
        const shard = this.#shardOf(counter.scope);
        if (seq <= shard.sealed) return;
        shard.counters.count(counter, { set: bucketSets[at], settled });
        touched.add(shard);
      });
    }
    for (const { shard, run } of this.#runsOf(receipts)) {
      if (seq <= shard.sealed) continue;
      this.#addReceipts(shard, run);
      touched.add(shard);
    }
    return this.#batches([...touched].filter(isFull));
  }

  /** Nothing was added since it was asked last. */
  quiet(): boolean {
    const quiet = this.#requested === this.#last;
    this.#requested = this.#last;
    return quiet;
  }

  /** Everything that was added has been given away. */
  get isIdle(): boolean {
    return this.#marked === this.#last;
  }

  /** The rows of the next so many shards; where there is nothing but the marks to be moved, those. */
  seal(turns: number): readonly ProjectionCommit[] {
    const shards: Shard[] = [];
    for (let turn = 0; turn < Math.min(turns, SHARD_COUNT); turn++) {
      const shard = this.#shards[this.#turn];
      this.#turn = (this.#turn + 1) % SHARD_COUNT;
      if (shard !== undefined && isDirty(shard)) shards.push(shard);
    }
    const batches = this.#batches(shards);
    return this.isIdle || this.#shards.some(isDirty) ? batches : [...batches, this.#batch([])];
  }

  /** Receipts of one key that stand in a row: of a batch that is one key's, the batch's own list. */
  *#runsOf(receipts: ClosedBatch["receipts"]): Generator<ReceiptRun> {
    for (let from = 0, to = 0; from < receipts.length; from = to) {
      const key = receipts[from]?.key_hash;
      for (to = from + 1; to < receipts.length && receipts[to]?.key_hash === key;) to++;
      if (key === undefined) continue;
      yield {
        shard: this.#shardOf(key),
        run: to - from === receipts.length ? receipts : receipts.slice(from, to),
      };
    }
  }

  #addReceipts(shard: Shard, receipts: ClosedBatch["receipts"]): void {
    shard.counted = true;
    const batch = { receipts, offset: 0 };
    for (const part of shard.parts) logFailure(this.#options.log, () => part.add(batch), undefined);
  }

  #shardOf(name: string): Shard {
    const shard = this.#shards[shardOf(name)];
    if (shard === undefined) throw new Error(`There is no shard for ${name}`);
    return shard;
  }

  /** As few as have room for all of them. */
  #batches(shards: readonly Shard[]): readonly ProjectionCommit[] {
    const batches: ProjectionCommit[] = [];
    let gathered: Shard[] = [];
    let [rows, bytes] = [0, 0];
    for (const shard of shards) {
      gathered.push(shard);
      rows += shard.counters.size + rowsOf(shard);
      bytes += bytesOf(shard);
      if (rows < BATCH_FULL.rows && bytes < BATCH_FULL.bytes) continue;
      batches.push(this.#batch(gathered));
      gathered = [];
      [rows, bytes] = [0, 0];
    }
    if (gathered.length > 0) batches.push(this.#batch(gathered));
    return batches;
  }

  /** Batches are written in the order in which they are made: so says what its marks say. */
  #batch(shards: readonly Shard[]): ProjectionCommit {
    const { instance, scopes, log } = this.#options;
    const counters = new Set(shards.flatMap((shard) => [...shard.counters.take()]));
    const span = { instance, first: this.#last };
    const extra = shards.flatMap(({ parts }) =>
      parts.flatMap((part) => logFailure(log, () => part.take(span), []))
    );
    for (const shard of shards) shard.counted = false;
    let all = true;
    for (const shard of this.#shards) {
      if (isDirty(shard)) all = false;
      else shard.sealed = Math.max(shard.sealed, this.#last);
    }
    if (all) this.#marked = this.#last;
    const marks = checkpointsPut(instance, this.#shards.map(({ sealed }) => sealed));
    return { puts: [marks, ...[...counters].map((counter) => scopes.put(counter))], extra, counters };
  }
}

const isDirty = ({ counters, counted }: Shard): boolean => counted || counters.size > 0;

const isFull = (shard: Shard): boolean =>
  shard.counters.size >= SHARD_FULL.counters || rowsOf(shard) >= SHARD_FULL.rows ||
  bytesOf(shard) >= SHARD_FULL.bytes;

/** Rows of sums. */
const rowsOf = ({ parts }: Shard): number => parts.reduce((sum, { rows }) => sum + rows, 0);
const bytesOf = ({ parts }: Shard): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);
