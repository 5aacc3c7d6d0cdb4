/** Finds keys by words, and walks the lists of several workspaces as one. */

import { keyHashSchema } from "../../../../shared/keys.ts";
import type { KeySort } from "../../../../shared/management/key_sorts.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { KeyCursor } from "./key_cursor.ts";
import { listIndexedKeys, listKeysByText } from "./key_index.ts";
import { keyCollection } from "../key_rows.ts";
import { type KeySearch, matchesSearch } from "./key_words.ts";

export interface FoundHashes {
  readonly hashes: readonly string[];
}

interface KeyScope {
  /** UUIDs. */
  readonly workspaces: readonly string[];
  /** Whether disabled keys are among them. */
  readonly disabled: boolean;
}

interface SearchInput extends KeyScope {
  readonly search: KeySearch;
}

interface FoundKeyName {
  readonly hash: string;
  readonly name: string;
  readonly created_at: string;
}

interface SearchResult {
  readonly found: readonly FoundKeyName[];
  /** False where there are more than are looked for. */
  readonly complete: boolean;
}

/** A search that finds more than this has to be narrowed. */
const MOST_FOUND = 1_000;
/** Rows of the index that one search reads. */
const MOST_READ = 20_000;

export async function searchKeys(
  store: Store,
  { search, workspaces, disabled }: SearchInput,
): Promise<SearchResult> {
  const found = new Map<string, FoundKeyName>();
  const byHash = search.hashPrefix === undefined
    ? []
    : await findByHash(store, { prefix: search.hashPrefix });
  const wanted = new Set(workspaces);
  for (const key of byHash) {
    if (wanted.has(key.workspace_id) && (disabled || !key.disabled)) found.set(key.hash, key);
  }
  // The longest word is the rarest.
  const [first, ...others] = search.words.toSorted((a, b) => b.length - a.length);
  let left = MOST_READ;
  for (const workspaceId of first === undefined ? [] : workspaces) {
    for await (const key of listKeysByText(store, { index: "word", workspaceId, prefix: first ?? "" })) {
      if (left-- <= 0 || found.size >= MOST_FOUND) return { found: [...found.values()], complete: false };
      if ((key.disabled && !disabled) || !matchesSearch(key, others)) continue;
      found.set(key.hash, key);
    }
  }
  return { found: [...found.values()], complete: true };
}

/** Keys whose hash begins so; six digits or more begin few. */
async function findByHash(store: Store, { prefix }: { readonly prefix: string }) {
  const rows = keyCollection(store);
  const page = await rows.list({ after: [prefix.slice(0, -1) + before(prefix)], limit: 50 });
  return page.map(({ record }) => record)
    .filter(({ hash, kind }) =>
      kind === "api" && hash.startsWith(prefix) && keyHashSchema.safeParse(hash).success
    );
}

/** A last character just before that of the text, and a tail behind everything that begins with it. */
function before(text: string): string {
  return `${String.fromCharCode(text.charCodeAt(text.length - 1) - 1)}~`;
}

interface SortInput {
  readonly sort: KeySort;
  /** By hash. */
  readonly spent: ReadonlyMap<string, number>;
}

export function sortFound(found: readonly FoundKeyName[], { sort, spent }: SortInput): readonly string[] {
  const byName = (a: FoundKeyName, b: FoundKeyName) =>
    a.name.localeCompare(b.name) || a.hash.localeCompare(b.hash);
  const compare = {
    name: byName,
    created: (a: FoundKeyName, b: FoundKeyName) => b.created_at.localeCompare(a.created_at) || byName(a, b),
    usage_monthly: (a: FoundKeyName, b: FoundKeyName) =>
      (spent.get(b.hash) ?? 0) - (spent.get(a.hash) ?? 0) || byName(a, b),
  }[sort];
  return found.toSorted(compare).map(({ hash }) => hash);
}

interface WalkInput extends KeyScope {
  readonly limit: number;
  readonly cursor: KeyCursor | undefined;
}

interface WalkedPage extends FoundHashes {
  readonly next: KeyCursor | null;
}

interface Place {
  readonly hash: string;
  readonly at?: number;
  readonly text?: string;
}

/** The youngest first. */
export async function listByCreation(
  store: Store,
  { workspaces, disabled, limit, cursor }: WalkInput,
): Promise<WalkedPage> {
  const pages = await Promise.all(workspaces.map(async (of) => {
    const after = cursor?.at === undefined ? undefined : [of, cursor.at, cursor.hash ?? ""];
    const places: Required<Pick<Place, "hash" | "at">>[] = [];
    for await (const key of listIndexedKeys(store, { name: "workspace", of, after })) {
      if (key.disabled && !disabled) continue;
      places.push({ hash: key.hash, at: Number(key.place[1]) });
      if (places.length > limit) break;
    }
    return places;
  }));
  const all = pages.flat().sort((a, b) => b.at - a.at || b.hash.localeCompare(a.hash));
  return pageOf(all, { limit, sort: "created" });
}

/** In the order of folded names. */
export async function listByName(
  store: Store,
  { workspaces, disabled, limit, cursor }: WalkInput,
): Promise<WalkedPage> {
  const after = cursor?.text === undefined ? undefined : { text: cursor.text, hash: cursor.hash ?? "" };
  const pages = await Promise.all(workspaces.map(async (workspaceId) => {
    const places: Required<Pick<Place, "hash" | "text">>[] = [];
    for await (const key of listKeysByText(store, { index: "name", workspaceId, prefix: "", after })) {
      if (key.disabled && !disabled) continue;
      places.push({ hash: key.hash, text: key.text });
      if (places.length > limit) break;
    }
    return places;
  }));
  const all = pages.flat().sort((a, b) => compareText(a.text, b.text) || compareText(a.hash, b.hash));
  return pageOf(all, { limit, sort: "name" });
}

/** As the store orders them. */
const compareText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;

function pageOf(
  places: readonly Place[],
  { limit, sort }: { readonly limit: number; readonly sort: KeySort },
): WalkedPage {
  const page = places.slice(0, limit);
  const last = page.at(-1);
  const next = places.length > limit && last !== undefined ? { sort, ...last } : null;
  return { hashes: page.map(({ hash }) => hash), next };
}
