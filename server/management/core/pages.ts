/**
 * Reading collections from one end to the other, and the pages that lists answer with (specification, Pagination
 * conventions).
 */

import type * as z from "zod";
import { DEFAULT_PAGE_SIZE } from "../../../shared/management/operation.ts";
import type { Collection, StoredRecord } from "../../storage/stores/collection.ts";
import type { KeyPart, StoreKey } from "../../storage/stores/store.ts";

const PAGE = 500;

/** Every record below `within`, in the order of the keys, a page at a time. */
export async function* iterateRecords<S extends z.ZodType>(
  rows: Collection<S>,
  within: readonly KeyPart[] = [],
): AsyncGenerator<StoredRecord<z.output<S>>> {
  let after: StoreKey | undefined;
  do {
    const page = await rows.list({ within, after, limit: PAGE });
    yield* page;
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
}

/** The records themselves. */
export async function readAllRecords<S extends z.ZodType>(
  rows: Collection<S>,
  within: readonly KeyPart[] = [],
): Promise<z.output<S>[]> {
  const all: z.output<S>[] = [];
  for await (const { record } of iterateRecords(rows, within)) all.push(record);
  return all;
}

export interface PageQuery {
  readonly offset?: number;
  readonly limit?: number;
}

interface PagedList<T> {
  readonly data: T[];
  readonly total_count: number;
}

export function paginate<T>(
  all: readonly T[],
  { offset = 0, limit = DEFAULT_PAGE_SIZE }: PageQuery,
): PagedList<T> {
  return { data: all.slice(offset, offset + limit), total_count: all.length };
}

interface Dated {
  readonly created_at: string;
  readonly id: string;
}

/** Oldest first; those of one moment by their ids, so that pages never overlap. */
export function compareByAge(one: Dated, other: Dated): number {
  const [mine, theirs] = [one.created_at + one.id, other.created_at + other.id];
  if (mine === theirs) return 0;
  return mine < theirs ? -1 : 1;
}
