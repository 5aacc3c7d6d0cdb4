/** Rows that are made of receipts: what finds them again, and what counts them. */

import type { Receipt } from "../../../../shared/receipts.ts";
import type { StoreKey, StorePut } from "../../../storage/stores/store.ts";

/** The receipts of one journal batch. */
export interface BatchReceipts {
  /** In their order in the batch; undefined for one that cannot be read. */
  readonly receipts: readonly (Receipt | undefined)[];
  /** How many batches stand between it and the first of the projection. */
  readonly offset: number;
}

/** The batches of one projection: those from `first` on, without a gap. */
export interface BatchRange {
  readonly instance: string;
  readonly first: number;
}

/**
 * Takes receipts in, and gives the rows that come of them. A projection whose reply was lost is tried again with
 * the same rows. All rows are small (`small` of a commit), and absolute: writing them twice changes nothing.
 */
export interface ProjectionPart {
  /** Called once for each batch, in the order of the journal. */
  add(batch: BatchReceipts): void;
  /** Rows that `take` would give now. */
  readonly rows: number;
  /** The rows of all that was added since the last call. */
  take(span: BatchRange): readonly StorePut[];
  /**
   * The same in two: what has to be projected with the ids and the index, and what is counted by key and may be
   * projected later, shard by shard. Absent where it is not counted by key.
   */
  split?(): ShardSplit;
  /** The part of a ledger that begins anew in the same process: of what was added last nobody knows whether it was written. */
  renewed?(): ProjectionPart;
}

export interface ShardSplit {
  readonly unsharded: ProjectionPart;
  /** Makes the rows of the receipts of some keys. Called once for each shard. */
  shard(): ShardRows;
}

export interface ShardRows extends ProjectionPart {
  /** About what the rows that `take` would give now come to. */
  readonly bytes: number;
}

/** A batch has at most 40 receipts. */
const PLACES = 64;

/** Where a receipt stands in a projection: places rise with the order in which receipts were closed. */
export function receiptPosition(offset: number, position: number): number {
  return offset * PLACES + position;
}

export interface BatchPosition {
  /** The batch. */
  readonly seq: number;
  /** Among its receipts, from 0. */
  readonly position: number;
}

export function batchPositionOf(first: number, place: number): BatchPosition {
  return { seq: first + Math.floor(place / PLACES), position: place % PLACES };
}

/**
 * First part of the rows `["projection", instance, first]`, which hold the last batch of a projection of several
 * batches.
 */
export const PROJECTION_ROWS = "posting";

export function projectionKey({ instance, first }: BatchRange): StoreKey {
  return [PROJECTION_ROWS, instance, first];
}
