/** Files of a workspace or of a key, page by page. */

import type { Store, StoreKey } from "../stores/store.ts";
import { fileCollection, type FileRow, filesByKey } from "./file_rows.ts";

export interface FileListQuery {
  readonly workspaceId: string;
  /** Only those of this API key, by its ledger id. */
  readonly keyId?: string;
  /** The id behind which to begin. */
  readonly after?: string;
  readonly purpose?: string;
  readonly limit: number;
  /** Else the oldest. */
  readonly newestFirst: boolean;
}

/** Records that are read at a time. */
const PAGE = 500;

interface FilePage {
  readonly rows: readonly FileRow[];
  /** Undefined where there is no further page. */
  readonly last: string | undefined;
}

/** One more than `limit` where there are more. */
export async function listFiles(
  store: Store,
  { purpose, limit, ...query }: FileListQuery,
): Promise<readonly FileRow[]> {
  const found: FileRow[] = [];
  let from = query.after;
  for (;;) {
    const page = await readPage(store, { ...query, after: from, limit: Math.min(limit + 1, PAGE) });
    found.push(...page.rows.filter((row) => purpose === undefined || row.purpose === purpose));
    if (found.length > limit || page.last === undefined) return found.slice(0, limit + 1);
    from = page.last;
  }
}

async function readPage(
  store: Store,
  { workspaceId, keyId, after, limit, newestFirst }: Omit<FileListQuery, "purpose">,
): Promise<FilePage> {
  const owner = keyId ?? workspaceId;
  const start = after === undefined ? undefined : [owner, after];
  const page = { within: [owner], after: start, limit, reverse: newestFirst };
  const rows = fileCollection(store);
  const entries = keyId === undefined ? await rows.list(page) : await filesByKey(store).list(page);
  const ids = entries.map(({ id }) => String(id.at(-1)));
  const found = await Promise.all(ids.map((id) => rows.get(workspaceId, id)));
  return {
    rows: found.flatMap((one) => one === undefined ? [] : [one.record]),
    last: entries.length < limit ? undefined : ids.at(-1),
  };
}

interface NewestFiles {
  readonly workspaceId: string;
  readonly most: number;
}

/** The records themselves, a page after the other: one look-up for each would take long for many files. */
export async function newestFiles(
  store: Store,
  { workspaceId, most }: NewestFiles,
): Promise<readonly FileRow[]> {
  const found: FileRow[] = [];
  let after: StoreKey | undefined;
  do {
    const limit = Math.min(PAGE, most - found.length);
    const page = await fileCollection(store).list({ within: [workspaceId], after, limit, reverse: true });
    found.push(...page.map(({ record }) => record));
    after = page.length < limit ? undefined : page.at(-1)?.id;
  } while (after !== undefined && found.length < most);
  return found;
}
