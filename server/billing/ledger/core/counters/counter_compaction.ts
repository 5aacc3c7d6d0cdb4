/**
 * Rows of instances that are gone, made one: each start of an instance on a shared store counts in rows of its own,
 * and somebody has to add them up in the end.
 */

import type { Store, StoreEntry as Stored } from "../../../../storage/stores/store.ts";
import { SPEND_ROWS, type SpendRow, toSpendRow } from "./spend_counter.ts";

/** Stands for all instances that are gone. */
const PAST = "past";
/** Rows of one scope from which on it is worth a commit. */
const MANY = 8;
/** Rows in one commit: a remote store takes ten checks. */
const MOST = 8;

/** True when there are rows enough. */
export function shouldCompact(rows: readonly Stored[]): boolean {
  return rows.length > MANY;
}

/** Adds rows of a scope up whose instances are not `live`, a list that was read after the rows. */
export async function compactRows(store: Store, { scope, rows, live }: CompactionInput): Promise<void> {
  const dead = rows.filter(({ key }) => key[2] !== PAST && !live.has(String(key[2]))).slice(0, MOST);
  if (dead.length === 0) return;
  const past = rows.find(({ key }) => key[2] === PAST);
  const key = [SPEND_ROWS, scope, PAST];
  const all = past ? [past, ...dead] : dead;
  // An instance that compacts at the same time has changed one of them; then there is nothing left to do.
  await store.commit({
    checks: [
      ...dead.map(({ key, version }) => ({ key, version })),
      { key, version: past?.version ?? null },
    ],
    puts: [{ key, value: sumSpendRows(all.map(({ value }) => toSpendRow(scope, value))) }],
    deletes: dead.map(({ key }) => key),
    small: true,
  });
}

interface CompactionInput {
  readonly scope: string;
  readonly rows: readonly Stored[];
  readonly live: ReadonlySet<string>;
}

/** Every bucket once, without all but the latest two of each kind. */
export function sumSpendRows(rows: readonly SpendRow[]): SpendRow {
  const sums = new Map<string, readonly [number, number]>();
  for (const [bucket, cost, byok] of rows.flat()) {
    const [oldCost, oldByok] = sums.get(bucket) ?? [0, 0];
    sums.set(bucket, [oldCost + cost, oldByok + byok]);
  }
  const names = [...sums.keys()].sort();
  return names.filter((name, at) => names[at + 2]?.[0] !== name[0])
    .map((name) => [name, ...sums.get(name) ?? [0, 0]]);
}
