/** Walks lists of keys of several workspaces as one, in their order, and takes pages of those that pass a test. */

import type { KeySort } from "../../../../shared/management/lists/key_sorts.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { keyCollection } from "../key_rows.ts";
import type { KeyCursor } from "./key_cursor.ts";
import { listIndexedKeys, listKeysByText } from "./key_index.ts";
import { type KeyFacts, type KeyTest, takeTested } from "./key_states.ts";

/** A key on the way of a walk. */
interface WalkedKey extends KeyFacts {
  /** The place behind it. */
  readonly cursor: KeyCursor;
}

interface WalkInput {
  /** UUIDs. */
  readonly workspaces: readonly string[];
  readonly cursor: KeyCursor | undefined;
  /** Order that the cursors are of. */
  readonly sort: KeySort;
  /** Keys that were made later, in ms since the epoch, are left out where that saves reading them. */
  readonly madeUntil?: number | undefined;
}

/** The youngest first. */
export function walkByCreation(
  store: Store,
  { workspaces, cursor, sort, madeUntil }: WalkInput,
): AsyncGenerator<WalkedKey> {
  const at = cursor?.at ?? (madeUntil === undefined ? undefined : Math.floor(madeUntil) + 1);
  const walks = workspaces.map(async function* (of): AsyncGenerator<WalkedKey> {
    const after = at === undefined ? undefined : [of, at, cursor?.hash ?? ""];
    for await (
      const { hash, disabled, expires_at, place } of listIndexedKeys(store, {
        name: "workspace",
        of,
        after,
      })
    ) {
      const at = Number(place[1]);
      yield { hash, disabled, expires_at, at, cursor: { sort, at, hash } };
    }
  });
  return merge(walks, (a, b) => b.at - a.at || compareText(b.hash, a.hash));
}

/** In the order of folded names. */
export function walkByName(
  store: Store,
  { workspaces, cursor, sort }: WalkInput,
): AsyncGenerator<WalkedKey> {
  const after = cursor?.text === undefined ? undefined : { text: cursor.text, hash: cursor.hash ?? "" };
  const walks = workspaces.map(async function* (workspaceId): AsyncGenerator<WalkedKey> {
    for await (const key of listKeysByText(store, { index: "name", workspaceId, prefix: "", after })) {
      const { hash, text, disabled, expires_at, created_at } = key;
      yield { hash, disabled, expires_at, at: Date.parse(created_at), cursor: { sort, text, hash } };
    }
  });
  const textOf = ({ cursor: { text = "" } }: WalkedKey) => text;
  return merge(walks, (a, b) => compareText(textOf(a), textOf(b)) || compareText(a.hash, b.hash));
}

/** Keys of a list that is in memory, then all others, the youngest first. */
export async function* walkRanked(
  store: Store,
  { ranked, ...input }: WalkInput & { readonly ranked: readonly string[] },
): AsyncGenerator<WalkedKey> {
  const { cursor, sort, workspaces } = input;
  const rows = keyCollection(store);
  const wanted = new Set(workspaces);
  const isBehind = cursor?.at !== undefined;
  for (let next = cursor?.offset ?? 0; !isBehind && next < ranked.length; next++) {
    const found = await rows.get(ranked[next] ?? "");
    // Sums and cached lists name keys that are gone by now.
    if (found === undefined || !wanted.has(found.record.workspace_id)) continue;
    const { hash, disabled, expires_at, created_at } = found.record;
    const place = { sort, offset: next + 1 };
    yield { hash, disabled, expires_at, at: Date.parse(created_at), cursor: place };
  }
  const told = new Set(ranked);
  for await (const key of walkByCreation(store, input)) if (!told.has(key.hash)) yield key;
}

/** Several walks as one; each is in order. */
async function* merge(
  walks: readonly AsyncGenerator<WalkedKey>[],
  compare: (a: WalkedKey, b: WalkedKey) => number,
): AsyncGenerator<WalkedKey> {
  const heads = await Promise.all(walks.map(async (walk) => ({ walk, head: await walk.next() })));
  for (;;) {
    let first: { readonly key: WalkedKey; readonly from: typeof heads[number] } | undefined;
    for (const from of heads) {
      if (from.head.done === true) continue;
      const key = from.head.value;
      if (first === undefined || compare(key, first.key) < 0) first = { key, from };
    }
    if (first === undefined) return;
    yield first.key;
    first.from.head = await first.from.walk.next();
  }
}

/** As the store orders them. */
const compareText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;

/** Keys that are judged at a time. */
const CHUNK = 100;
/** Keys that one call looks at, where each is judged by what is in memory, and where each is read. */
const MOST_LOOKS = 20_000;
const MOST_READS = 2_000;

interface PageInput {
  readonly test: KeyTest;
  readonly limit: number;
}

interface WalkedPage {
  readonly hashes: readonly string[];
  readonly next: KeyCursor | null;
}

/** A page of those that pass. Where few do, it may be short, even empty, and have a next one. */
export async function takePage(
  walk: AsyncGenerator<WalkedKey>,
  { test, limit }: PageInput,
): Promise<WalkedPage> {
  const taken: WalkedKey[] = [];
  let left = test.reads === true ? MOST_READS : MOST_LOOKS;
  for (;;) {
    const chunk: WalkedKey[] = [];
    while (chunk.length < CHUNK) {
      const { value, done } = await walk.next();
      if (done === true) break;
      chunk.push(value);
    }
    taken.push(...await takeTested(chunk, test));
    left -= chunk.length;
    const isEnd = chunk.length < CHUNK;
    if (taken.length <= limit && !isEnd && left > 0) continue;
    const page = taken.slice(0, limit);
    const behind = taken.length > limit ? page.at(-1) : isEnd ? undefined : chunk.at(-1);
    return { hashes: page.map(({ hash }) => hash), next: behind?.cursor ?? null };
  }
}
