/**
 * What finds keys without reading all of them: one small row a key, below its workspace, in the order in which
 * keys were made, and one more below the Connect client that made it. Written in the commits that write the keys.
 */

import * as z from "zod";
import { timestampSchema } from "../../../shared/keys.ts";
import { Collection } from "../../stores/collection.ts";
import type { Store, StoreKey, StorePut } from "../../stores/store.ts";
import { keyCollection, type KeyRow } from "./key_rows.ts";

/** As much of a key as lists need to leave it out. */
const entrySchema = z.object({ disabled: z.boolean(), expires_at: timestampSchema.nullable() });

type Index = Collection<typeof entrySchema>;

const names = {
  /** API keys: workspace, created_at (ms), hash. */
  workspace: "keys_by_workspace",
  /** API keys that a Connect client made: client, created_at (ms), hash. */
  client: "keys_by_client",
  /** Management keys: created_at (ms), hash. */
  management: "management_keys",
  /** API keys by the guardrail that was given to them: guardrail, created_at (ms), hash. */
  guardrail: "keys_by_guardrail",
  /** Secrets of Connect clients: client, created_at (ms), hash. */
  secret: "client_secrets",
} as const;

export type IndexName = keyof typeof names;

const indexOf = (store: Store, name: IndexName): Index =>
  new Collection({ store, name: names[name], schema: entrySchema });

interface IndexPlace {
  readonly index: Index;
  readonly id: StoreKey;
}

function placesOf(store: Store, row: KeyRow): readonly IndexPlace[] {
  const tail = [Date.parse(row.created_at), row.hash];
  if (row.kind === "management") return [{ index: indexOf(store, "management"), id: tail }];
  if (row.kind === "client") {
    return row.client_id === null ? [] : [{ index: indexOf(store, "secret"), id: [row.client_id, ...tail] }];
  }
  const owners = [
    ["workspace", row.workspace_id],
    ["client", row.client_id],
    ["guardrail", row.guardrail?.guardrail_id ?? null],
  ] as const;
  return owners.flatMap(([name, of]) =>
    of === null ? [] : [{ index: indexOf(store, name), id: [of, ...tail] }]
  );
}

/** A key and its index rows: every commit that writes a key takes all of them. */
export function keyPuts(store: Store, row: KeyRow): readonly StorePut[] {
  const { disabled, expires_at } = row;
  const places = placesOf(store, row).map(({ index, id }) => index.put(id, { disabled, expires_at }));
  return [keyCollection(store).put([row.hash], row), ...places];
}

/** The same for a commit that removes a key. */
export function keyDeletes(store: Store, row: KeyRow): readonly StoreKey[] {
  return [
    keyCollection(store).key([row.hash]),
    ...placesOf(store, row).map(({ index, id }) => index.key(id)),
  ];
}

export interface IndexedKey {
  /** Of its index row. */
  readonly place: StoreKey;
  readonly hash: string;
  readonly disabled: boolean;
  readonly expires_at: string | null;
}

export interface KeyIndexQuery {
  readonly name: IndexName;
  /** The workspace's or the client's id; nothing for management keys. */
  readonly of?: string;
  /** The place of the one behind which to begin. */
  readonly after?: StoreKey;
}

/** Most readers want the first hundred; those who want more want many. */
const FIRST_PAGE = 200;
const PAGE = 1_000;

/** The keys of a workspace or client, the youngest first. Reads small rows, at most 1,000 at a time. */
export async function* listIndexedKeys(
  store: Store,
  { name, of, after: first }: KeyIndexQuery,
): AsyncGenerator<IndexedKey> {
  const index = indexOf(store, name);
  const within = of === undefined ? [] : [of];
  let after = first;
  let limit = FIRST_PAGE;
  do {
    const page = await index.list({ within, after, reverse: true, limit });
    for (const { id, record } of page) yield { place: id, hash: String(id.at(-1)), ...record };
    after = page.length < limit ? undefined : page.at(-1)?.id;
    limit = PAGE;
  } while (after !== undefined);
}

/** Neither disabled nor expired; deleted keys are in no index. */
export function isActive(
  { disabled, expires_at }: Pick<IndexedKey, "disabled" | "expires_at">,
  now: number,
): boolean {
  return !disabled && (expires_at === null || now < Date.parse(expires_at));
}

const filledSchema = z.object({ at: timestampSchema });
const FILLED = "keys_indexed";
/** Keys read at a time. */
const FILL = 25;

const marksOf = (store: Store) => new Collection({ store, name: "meta", schema: filledSchema });

/** That every key of a store is indexed; part of the commit that makes a new store, whose keys all will be. */
export function keyIndexMark(store: Store, at: string): StorePut {
  return marksOf(store).put([FILLED], { at });
}

/** Writes the index of keys that were stored before there was one. Done once for a store; at later starts one read. */
export async function fillKeyIndex(store: Store, now: number): Promise<void> {
  const marks = marksOf(store);
  if (await marks.get(FILLED)) return;
  const rows = keyCollection(store);
  let after: StoreKey | undefined;
  do {
    const page = await rows.list({ after, limit: FILL });
    for (const { record, version } of page) {
      // Somebody who changes the key meanwhile writes its index rows himself.
      const puts = keyPuts(store, record).slice(1);
      if (puts.length > 0) await store.commit({ checks: [rows.check([record.hash], version)], puts });
    }
    after = page.length < FILL ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
  await marks.create([FILLED], { at: new Date(now).toISOString() });
}
