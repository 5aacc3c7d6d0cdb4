/** Finds keys by words, and sorts what was found. */

import { keyHashSchema } from "../../../../shared/keys.ts";
import type { KeySort } from "../../../../shared/management/lists/key_sorts.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { listKeysByText } from "./key_index.ts";
import { keyCollection } from "../key_rows.ts";
import { type KeyFacts, type KeyTest, takeTested } from "./key_states.ts";
import type { KeyUses } from "./last_use.ts";
import { type KeySearch, matchesSearch } from "./key_words.ts";

interface SearchInput {
  /** UUIDs. */
  readonly workspaces: readonly string[];
  readonly test: KeyTest;
  readonly search: KeySearch;
}

interface FoundKeyName extends KeyFacts {
  readonly name: string;
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
  { search, workspaces, test }: SearchInput,
): Promise<SearchResult> {
  const found = new Map<string, FoundKeyName>();
  const take = ({ hash, name, disabled, expires_at, created_at }: NamedKeyRow) => {
    const key = { hash, name, disabled, expires_at, at: Date.parse(created_at) };
    if (test.byFacts(key)) found.set(hash, key);
  };
  const byHash = search.hashPrefix === undefined
    ? []
    : await findByHash(store, { prefix: search.hashPrefix });
  const wanted = new Set(workspaces);
  for (const key of byHash) if (wanted.has(key.workspace_id)) take(key);
  // The longest word is the rarest.
  const [first, ...others] = search.words.toSorted((a, b) => b.length - a.length);
  let left = MOST_READ;
  let complete = true;
  for (const workspaceId of first === undefined ? [] : workspaces) {
    for await (const key of listKeysByText(store, { index: "word", workspaceId, prefix: first ?? "" })) {
      complete = left-- > 0 && found.size < MOST_FOUND;
      if (!complete) break;
      if (matchesSearch(key, others)) take(key);
    }
    if (!complete) break;
  }
  return { found: await takeTested([...found.values()], test), complete };
}

type NamedKeyRow = Omit<FoundKeyName, "at"> & { readonly created_at: string };

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
  /** Nano-USD by hash. */
  readonly spent: ReadonlyMap<string, number>;
  readonly uses: KeyUses;
}

export function sortFound(
  found: readonly FoundKeyName[],
  { sort, spent, uses }: SortInput,
): readonly string[] {
  const byName = (a: FoundKeyName, b: FoundKeyName) =>
    a.name.localeCompare(b.name) || a.hash.localeCompare(b.hash);
  const usedAt = ({ hash }: FoundKeyName) => uses.get(hash)?.at ?? 0;
  const endOf = ({ expires_at }: FoundKeyName) =>
    expires_at === null ? Number.MAX_SAFE_INTEGER : Date.parse(expires_at);
  const compare = {
    name: byName,
    created: (a: FoundKeyName, b: FoundKeyName) => b.at - a.at || byName(a, b),
    usage_monthly: (a: FoundKeyName, b: FoundKeyName) =>
      (spent.get(b.hash) ?? 0) - (spent.get(a.hash) ?? 0) || byName(a, b),
    last_used: (a: FoundKeyName, b: FoundKeyName) => usedAt(b) - usedAt(a) || byName(a, b),
    expires: (a: FoundKeyName, b: FoundKeyName) => endOf(a) - endOf(b) || byName(a, b),
  }[sort];
  return found.toSorted(compare).map(({ hash }) => hash);
}
