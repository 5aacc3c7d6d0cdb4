/** Rows that are made of receipts: what finds them again, and what counts them. */

import type { Receipt } from "../../../shared/receipts.ts";
import type { Put, StoreKey } from "../../stores/store.ts";

/** The receipts of one journal block. */
export interface Group {
  /** In their order in the block; undefined for one that cannot be read. */
  readonly receipts: readonly (Receipt | undefined)[];
  /** How many blocks stand between it and the first of the posting. */
  readonly offset: number;
}

/** The blocks of one posting: those from `first` on, without a gap. */
export interface Span {
  readonly instance: string;
  readonly first: number;
}

/**
 * Takes receipts in, and gives the rows that come of them. A posting whose reply was lost is tried again with the
 * same rows. All rows are small (see `Commit.small`), and absolute: writing them twice changes nothing.
 */
export interface PostingPart {
  /** Called once for each block, in the order of the journal. */
  add(group: Group): void;
  /** Rows that `take` would give now. */
  readonly rows: number;
  /** The rows of all that was added since the last call. */
  take(span: Span): readonly Put[];
  /**
   * The same in two: what has to be posted with the ids and the index, and what is counted by key and may be posted
   * later, lane by lane. Absent where it is not counted by key.
   */
  split?(): Split;
  /** The part of a ledger that begins anew in the same process: of what was added last nobody knows whether it was written. */
  renewed?(): PostingPart;
}

export interface Split {
  readonly rest: PostingPart;
  /** Of the receipts of some keys. Called once for each lane. */
  lane(): LanePart;
}

export interface LanePart extends PostingPart {
  /** About what the rows that `take` would give now come to. */
  readonly bytes: number;
}

/** A block has at most 40 receipts. */
const PLACES = 64;

/** Where a receipt stands in a posting: places rise with the order in which receipts were closed. */
export function placeOf(offset: number, position: number): number {
  return offset * PLACES + position;
}

export interface Position {
  /** The block. */
  readonly seq: number;
  /** Among its receipts, from 0. */
  readonly position: number;
}

export function positionOf(first: number, place: number): Position {
  return { seq: first + Math.floor(place / PLACES), position: place % PLACES };
}

/** First part of the rows `["posting", instance, first]`, which hold the last block of a posting of several blocks. */
export const POSTING = "posting";

export function postingKey({ instance, first }: Span): StoreKey {
  return [POSTING, instance, first];
}
