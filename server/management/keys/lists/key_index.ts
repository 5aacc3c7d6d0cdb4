/**
 * Index that finds keys without reading all of them: one small row a key, below its workspace, in the order in which
 * keys were made, and one more below the Connect client that made it. Written in the commits that write the keys.
 */

import * as z from "zod";
import { timestampSchema } from "../../../../shared/keys.ts";
import { Collection } from "../../../storage/stores/collection.ts";
import type { Store, StoreKey, StorePut } from "../../../storage/stores/store.ts";
import { keyCollection, type KeyRow } from "../key_rows.ts";
import { foldName, wordsOfKey } from "./key_words.ts";

/** As much of a key as lists need to leave it out, and as searches need to sort it. */
const entrySchema = z.object({
  disabled: z.boolean(),
  expires_at: timestampSchema.nullable(),
  created_at: timestampSchema.optional(),
  name: z.string().optional(),
  label: z.string().optional(),
});

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
  /** API keys: workspace, a word of the name or the label, hash. */
  word: "keys_by_word",
  /** API keys: workspace, the folded name, hash. */
  name: "keys_by_name",
  /** Secrets of Connect clients: client, created_at (ms), hash. */
  secret: "client_secrets",
} as const;

type IndexName = keyof typeof names;

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
  const owned = owners.flatMap(([name, of]): IndexPlace[] =>
    of === null ? [] : [{ index: indexOf(store, name), id: [of, ...tail] }]
  );
  return [...owned, ...searchPlacesOf(store, row)];
}

/** The rows by which a key is found by its words, and sorted by its name. */
function searchPlacesOf(store: Store, row: KeyRow): readonly IndexPlace[] {
  if (row.kind !== "api") return [];
  const words = indexOf(store, "word");
  return [
    { index: indexOf(store, "name"), id: [row.workspace_id, foldName(row.name), row.hash] },
    ...wordsOfKey(row).map((word) => ({ index: words, id: [row.workspace_id, word, row.hash] })),
  ];
}

/** A key and its index rows: every commit that writes a key takes all of them. */
export function keyPuts(store: Store, row: KeyRow): readonly StorePut[] {
  return [keyCollection(store).put([row.hash], row), ...indexPuts(placesOf(store, row), row)];
}

function indexPuts(places: readonly IndexPlace[], row: KeyRow): readonly StorePut[] {
  const { disabled, expires_at, created_at, name, label } = row;
  const short = { disabled, expires_at };
  const long = { ...short, created_at, name, label };
  return places.map(({ index, id }) => index.put(id, typeof id[1] === "string" ? long : short));
}

/** The rows that a change of a key leaves behind: those of the words that it had before. */
export function outdatedKeyRows(
  store: Store,
  { before, after }: { readonly before: KeyRow; readonly after: KeyRow },
): readonly StoreKey[] {
  if (before.name === after.name) return [];
  const kept = new Set(searchPlacesOf(store, after).map(({ index, id }) => JSON.stringify(index.key(id))));
  return searchPlacesOf(store, before).map(({ index, id }) => index.key(id))
    .filter((key) => !kept.has(JSON.stringify(key)));
}

/** The same for a commit that removes a key. */
export function keyDeletes(store: Store, row: KeyRow): readonly StoreKey[] {
  return [
    keyCollection(store).key([row.hash]),
    ...placesOf(store, row).map(({ index, id }) => index.key(id)),
  ];
}

interface IndexedKey {
  /** Store key of its index row. */
  readonly place: StoreKey;
  readonly hash: string;
  readonly disabled: boolean;
  readonly expires_at: string | null;
}

interface KeyIndexQuery {
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

/** A row of the indexes by word and by name. */
interface FoundKey {
  readonly hash: string;
  /** The word, or the folded name. */
  readonly text: string;
  readonly disabled: boolean;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly name: string;
  readonly label: string;
}

interface TextRange {
  readonly index: "word" | "name";
  readonly workspaceId: string;
  /** Texts that begin so. */
  readonly prefix: string;
  /** Behind this one. */
  readonly after?: { readonly text: string; readonly hash: string };
}

/** The keys of a workspace whose word or name begins so, in the order of their texts. */
export async function* listKeysByText(
  store: Store,
  { index, workspaceId, prefix, after: first }: TextRange,
): AsyncGenerator<FoundKey> {
  const rows = indexOf(store, index);
  let after: StoreKey | undefined = first === undefined
    ? [workspaceId, prefix]
    : [workspaceId, first.text, first.hash];
  let limit = FIRST_PAGE;
  do {
    const page = await rows.list({ within: [workspaceId], after, limit });
    for (const { id: [, text, hash], record } of page) {
      if (!String(text).startsWith(prefix)) return;
      const { disabled, expires_at, created_at = "", name = "", label = "" } = record;
      yield { hash: String(hash), text: String(text), disabled, expires_at, created_at, name, label };
    }
    after = page.length < limit ? undefined : page.at(-1)?.id;
    limit = PAGE;
  } while (after !== undefined);
}
