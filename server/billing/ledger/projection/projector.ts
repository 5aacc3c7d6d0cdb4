/**
 * Projects receipts behind the commits that write them, on a store that one process has to itself: nobody but this
 * process reads what is projected, and what a crash keeps from being projected is projected at the next start. A
 * request so waits for one row, its batch, instead of fifteen.
 */

import { type Store, StoreError } from "../../../storage/stores/store.ts";
import type { Cancel, Clock, Logger } from "../../../runtime.ts";
import { checkpointsPut, readShardCheckpoints, SHARD_COUNT } from "./shard_checkpoints.ts";
import { ProjectionShards } from "./shards.ts";
import {
  type ClosedBatch,
  ProjectionBuilder,
  type ProjectionCommit,
  type ProjectionOptions,
  releaseCounters,
} from "./projection.ts";
import { projectionKey } from "./projection_part.ts";
import { lastProjectedBatch, readPendingBatches, toClosedBatch } from "./pending_batches.ts";

interface ProjectorOptions extends Omit<ProjectionOptions, "log"> {
  readonly store: Store;
  readonly runtime: { readonly clock: Clock; readonly log: Logger };
  /** How long a projection is written again that the store does not answer in time, ms. */
  readonly closeMs: number;
}

/** How long a receipt waits for others to be projected with. */
const EVERY_MS = 1_000;
/**
 * When a projection is full: a batch may add some 280 rows, and a commit has room for 1,000 of them and for 80,000
 * bytes of keys.
 */
const FULL = { batches: 200, receipts: 1_000, rows: 300 } as const;
/** How long what is counted by key waits for more of its shard. */
const SHARDS_MS = 5_000;
/** Receipts after which every shard has had its turn: so many a start may have to project. */
const SHARDS_RECEIPTS = 4_000;
/** Shards whose turn has come before any is written: one write serves several. */
const TURNS = 16;

export class Projector {
  readonly #options: ProjectorOptions;
  readonly #draft: ProjectionBuilder;
  readonly #shards: ProjectionShards;
  /** Batches that are made and not written, in the order of the journal. */
  readonly #queue: ProjectionCommit[] = [];
  /** Shards whose turn has come by the number of receipts. */
  #turns = 0;
  /** The last batch that an earlier run has projected. */
  #posted = -1;
  #timer: Cancel | undefined;
  // deno-lint-ignore tollgate/kept-promises -- it goes when it settles
  #writing: Promise<void> | undefined;
  // deno-lint-ignore tollgate/kept-promises -- it goes when it settles
  #draining: Promise<void> | undefined;
  /** Set from a failure until the next look. */
  #failed = false;
  #closed = false;

  constructor(options: ProjectorOptions) {
    const { instance, scopes, parts, runtime: { log } } = options;
    const apart = parts.map((part) => ({ part, split: part.split?.() }));
    this.#options = options;
    this.#draft = new ProjectionBuilder({
      instance,
      scopes,
      log,
      parts: apart.map(({ part, split }) => split?.unsharded ?? part),
    });
    const laned = apart.flatMap(({ split }) => split ?? []);
    this.#shards = new ProjectionShards({ instance, scopes, log, parts: laned });
  }

  /** Projects what an earlier run has written and not projected. Throws a StoreError. */
  async catchUp(): Promise<void> {
    const { store, instance, scopes } = this.#options;
    this.#posted = await lastProjectedBatch(store, instance);
    const marks = await readShardCheckpoints(store, instance) ?? await this.#firstMarks();
    this.#shards.resume(marks);
    const after = Math.min(this.#posted, ...marks);
    for (const unposted of await readPendingBatches(store, { instance, after })) {
      const counts = (scope: string) => this.#shards.isBehind(scope, unposted.seq);
      this.add(await toClosedBatch(unposted, { scopes, counts }));
    }
    await this.caughtUp();
  }

  /** Its batch is in the store. */
  add(batch: ClosedBatch): void {
    if (batch.seq > this.#posted) this.#draft.add({ ...batch, closed: [] });
    const { batches, receipts, rows } = this.#draft;
    if (batches >= FULL.batches || receipts >= FULL.receipts || rows >= FULL.rows) this.#seal();
    this.#queue.push(...this.#shards.add(batch));
    this.#turns += batch.receipts.length * SHARD_COUNT / SHARDS_RECEIPTS;
    if (this.#turns >= TURNS) this.#turn();
    this.#later();
    if (this.#queue.length > 0 && !this.#failed) void this.#drain();
  }

  /** Resolves when all that was added is projected. Rejects with a StoreError when it cannot be at present. */
  async caughtUp(): Promise<void> {
    this.#seal();
    this.#queue.push(...this.#shards.seal(SHARD_COUNT));
    for (const last = this.#queue.at(-1); last !== undefined && this.#queue.includes(last);) {
      await this.#writePatiently();
    }
    if (this.#rests) this.#stopTimer();
  }

  /** Projects what is left; the rest is projected at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTimer();
    try {
      await this.caughtUp();
    } catch (error) {
      this.#options.runtime.log.warn("Receipts not yet projected; catching up at next start", {
        error: String(error),
      });
    }
  }

  /** Written before anything is projected: without marks nobody knows what of it is in the shards. */
  async #firstMarks(): Promise<readonly number[]> {
    const { store, instance } = this.#options;
    const marks = Array.from({ length: SHARD_COUNT }, () => this.#posted);
    await store.commit({ puts: [checkpointsPut(instance, marks)], small: true });
    return marks;
  }

  #seal(): void {
    const projection = this.#draft.seal();
    if (projection === undefined) return;
    const { first, last, puts } = projection;
    const mark = { key: projectionKey({ instance: this.#options.instance, first }), value: last };
    this.#queue.push({ ...projection, puts: [mark, ...puts] });
  }

  /** Puts shards into the line whose turn it is. */
  #turn(): void {
    const turns = Math.floor(this.#turns);
    this.#turns -= turns;
    this.#queue.push(...this.#shards.seal(turns));
  }

  #later(): void {
    if (this.#closed) return;
    this.#timer ??= this.#options.runtime.clock.after(EVERY_MS, () => void this.#look());
  }

  /** Nothing is left to be projected. */
  get #rests(): boolean {
    return this.#draft.batches === 0 && this.#queue.length === 0 && this.#shards.isIdle;
  }

  #stopTimer(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#seal();
    // Where nothing comes any more, nothing is waited for.
    const turns = this.#shards.quiet() ? SHARD_COUNT : Math.ceil(SHARD_COUNT * EVERY_MS / SHARDS_MS);
    this.#turns = Math.max(this.#turns, turns);
    this.#turn();
    this.#failed = false;
    await this.#drain();
    if (!this.#rests) this.#later();
  }

  /** Writes what is in the line, unless that is under way. */
  #drain(): Promise<void> {
    this.#draining ??= this.#all().finally(() => this.#draining = undefined);
    return this.#draining;
  }

  async #all(): Promise<void> {
    try {
      while (this.#queue.length > 0) await this.#write();
    } catch (error) {
      this.#options.runtime.log.warn("Cannot project receipts yet", { error: String(error) });
      this.#failed = true;
    }
  }

  /** Writes the oldest, unless that is under way. */
  #write(): Promise<void> {
    this.#writing ??= this.#first().finally(() => this.#writing = undefined);
    return this.#writing;
  }

  /** Writes the oldest, again while the store is slow: one late commit must not refuse those who read. */
  async #writePatiently(): Promise<void> {
    const { runtime: { clock }, closeMs } = this.#options;
    for (const since = clock.monotonic();;) {
      try {
        return await this.#write();
      } catch (error) {
        const slow = error instanceof StoreError && error.kind === "timeout";
        if (!slow || clock.monotonic() - since >= closeMs) throw error;
      }
    }
  }

  async #first(): Promise<void> {
    const [batch] = this.#queue;
    if (batch === undefined) return;
    await this.#commit(batch);
    this.#queue.shift();
    releaseCounters(batch);
  }

  /** Rows are absolute: writing them again, when a reply was lost, changes nothing. */
  async #commit({ puts, extra }: ProjectionCommit): Promise<void> {
    const { store, runtime: { log } } = this.#options;
    try {
      await store.commit({ puts: [...puts, ...extra], small: true });
    } catch (error) {
      const kind = error instanceof StoreError ? error.kind : undefined;
      if (kind !== "invalid" && kind !== "too_large") throw error;
      log.error("Store rejected projection rows", { error: String(error) });
      await store.commit({ puts, small: true });
    }
  }
}
