/**
 * Changes of stored records from one schema to the next. A store's schema stands in its mark; the steps that it
 * lacks run once, in their order, while nobody else uses it.
 */

import { bindStore } from "./bound_store.ts";
import { IDENTITY_KEY, readIdentity, type StoreIdentity, TOO_OLD } from "./store_identity.ts";
import { type Store, StoreError } from "./store.ts";

export interface Migration {
  /** The schema that it leads to: 2 for the first, each one more than the one before. */
  readonly schema: number;
  /** Change in words, for the operator. */
  readonly description: string;
  /** Stores from before it are refused: nothing reads what they hold. It is run on none. */
  readonly breaks?: true;
  /** Changes the records. It may have been stopped half-way before, so a record that is changed stays so. */
  readonly run: (store: Store) => Promise<void>;
}

/** Schemas 1 to 3 were those of builds before the first release. */
export const migrations: readonly Migration[] = [
  { schema: 2, description: "journal batches have checksums", breaks: true, run: () => Promise.resolve() },
  { schema: 3, description: "receipts have another encoding", breaks: true, run: () => Promise.resolve() },
  { schema: 4, description: "use is summed by the hour", breaks: true, run: () => Promise.resolve() },
];

/** The oldest schema that a Tollgate with these steps can bring up to date. */
function oldestOf(list: readonly Migration[]): number {
  return list.findLast(({ breaks }) => breaks === true)?.schema ?? 1;
}

/** The schema that a Tollgate with these steps reads and writes. */
export function latestSchema(list: readonly Migration[]): number {
  list.forEach(({ schema }, at) => {
    if (schema !== at + 2) throw new Error(`Migration ${at + 1} leads to schema ${schema}, not ${at + 2}`);
  });
  return list.length + 1;
}

/** Finds the schemas that a start takes. */
export function schemasOf(list: readonly Migration[]): { readonly known: number; readonly oldest: number } {
  return { known: latestSchema(list), oldest: oldestOf(list) };
}

/** Throws a StoreError `corrupt` for a store that no step can bring up to date. */
export function assertNotTooOld(list: readonly Migration[], schema: number): void {
  if (schema < oldestOf(list)) throw new StoreError("corrupt", `The store ${TOO_OLD}`);
}

/** The steps that a store of that schema lacks. */
export function pendingMigrations(list: readonly Migration[], schema: number): readonly Migration[] {
  return list.filter(({ schema: to }) => to > schema);
}

/** Runs the steps that the store lacks and raises its mark behind each; gives back those that ran. */
export async function migrate(store: Store, list: readonly Migration[]): Promise<readonly Migration[]> {
  const mark = await readIdentity(store);
  if (!mark) return [];
  assertNotTooOld(list, mark.schema);
  const steps = pendingMigrations(list, mark.schema);
  for (const { schema, description, run } of steps) {
    try {
      await run(store);
      await raise(store, { ...mark, schema });
    } catch (cause) {
      const kind = cause instanceof StoreError ? cause.kind : "corrupt";
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new StoreError(kind, `Cannot bring the store to schema ${schema} (${description}): ${why}`, {
        cause,
      });
    }
  }
  return steps;
}

async function raise(store: Store, mark: StoreIdentity): Promise<void> {
  await store.commit({ puts: [{ key: IDENTITY_KEY, value: mark }], small: true });
}

/** A store that counts the records that are put and deleted through it. */
export function countingStore(inner: Store): { readonly store: Store; readonly count: () => number } {
  let records = 0;
  const store: Store = {
    ...bindStore(inner),
    commit: async (commit) => {
      const result = await inner.commit(commit);
      if (result.type === "ok") records += (commit.puts?.length ?? 0) + (commit.deletes?.length ?? 0);
      return result;
    },
  };
  return { store, count: () => records };
}
