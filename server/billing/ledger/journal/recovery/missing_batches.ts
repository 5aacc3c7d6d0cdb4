/** Batches of the journal whose rows are gone. Batches are counted without a gap, and removed from the oldest on. */

import * as z from "zod";
import type { Store } from "../../../../storage/stores/store.ts";

/**
 * First part of `["retired", instance]`: the last batch that was removed; anyone who removes the next one checks
 * it.
 */
export const RETIRED_ROWS = "retired";

/** The last batch of an instance that was removed because its time was over; -1 before the first. */
export async function lastRetired(store: Pick<Store, "get">, instance: string): Promise<number> {
  return toSeq((await store.get([RETIRED_ROWS, instance]))?.value);
}

/** The number of a batch as a row says it; -1 for a row that is not there. */
export const toSeq = (value: unknown): number => z.int().safeParse(value).data ?? -1;

/** A batch whose row is there, with those before it. */
interface FoundBatch {
  readonly seq: number;
  /** The batch before it whose row is there; undefined at the first of its instance. */
  readonly before: number | undefined;
  /** Read after the rows were: rows go while a reader is on its way. */
  readonly retired: number;
}

/** The batches before this one whose rows are gone before their time. */
export function missingBefore({ seq, before = -1, retired }: FoundBatch): readonly number[] {
  const first = Math.max(before, retired) + 1;
  return first >= seq ? [] : Array.from({ length: Math.min(seq - first, MOST_NAMED) }, (_, at) => first + at);
}

/** Most sequence numbers that are named of a gap. */
const MOST_NAMED = 1_000;
