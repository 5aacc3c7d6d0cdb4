/** Files of many workspaces as one list, the newest first. */

import type { Store, StoreKey } from "../stores/store.ts";
import { fileCollection, type FileRow, fileUsage } from "./file_rows.ts";

interface FileSearchQuery {
  readonly workspaceIds: readonly string[];
  /** The id behind which to begin. */
  readonly after?: string;
  readonly test: (row: FileRow) => boolean;
  readonly limit: number;
  /** Lets other work run. */
  readonly pause: () => Promise<void>;
}

interface FoundFiles {
  readonly rows: readonly FileRow[];
  /** The last file that was looked at; undefined where there is none behind it. */
  readonly last: FileRow | undefined;
}

/** Files that are looked at for one page. */
const MOST_LOOKED = 2_000;
/** Records of a workspace that are read at a time. */
const STEP = 20;
/** Workspaces that are read at the same time. */
const BESIDE = 50;
/** Files between two pauses. */
const PAUSE_EVERY = 100;

/** The files of one workspace, newest first, read as they are needed. */
class WorkspaceFiles {
  readonly #store: Store;
  readonly #workspaceId: string;
  #rows: readonly FileRow[] = [];
  #place = 0;
  #after: StoreKey | undefined;
  #isDone = false;

  constructor(store: Store, workspaceId: string, { after }: { readonly after: string | undefined }) {
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#after = after === undefined ? undefined : [workspaceId, after];
  }

  get first(): FileRow | undefined {
    return this.#rows[this.#place];
  }

  async drop(): Promise<void> {
    this.#place++;
    if (this.#place >= this.#rows.length && !this.#isDone) await this.fill();
  }

  async fill(): Promise<void> {
    const query = { within: [this.#workspaceId], after: this.#after, limit: STEP, reverse: true };
    const page = await fileCollection(this.#store).list(query);
    this.#rows = page.map(({ record }) => record);
    this.#place = 0;
    this.#after = page.at(-1)?.id;
    this.#isDone = page.length < STEP;
  }
}

function newestOf(sources: readonly WorkspaceFiles[]): WorkspaceFiles | undefined {
  let newest: WorkspaceFiles | undefined;
  for (const source of sources) {
    if (source.first !== undefined && source.first.id > (newest?.first?.id ?? "")) newest = source;
  }
  return newest;
}

export async function searchFiles(
  store: Store,
  { workspaceIds, after, test, limit, pause }: FileSearchQuery,
): Promise<FoundFiles> {
  const sources = workspaceIds.map((id) => new WorkspaceFiles(store, id, { after }));
  for (let at = 0; at < sources.length; at += BESIDE) {
    await Promise.all(sources.slice(at, at + BESIDE).map((source) => source.fill()));
  }
  const rows: FileRow[] = [];
  let last: FileRow | undefined;
  for (let looked = 1; looked <= MOST_LOOKED && rows.length < limit; looked++) {
    const source = newestOf(sources);
    const row = source?.first;
    if (source === undefined || row === undefined) return { rows, last: undefined };
    await source.drop();
    if (test(row)) rows.push(row);
    last = row;
    if (looked % PAUSE_EVERY === 0) await pause();
  }
  return { rows, last: newestOf(sources) === undefined ? undefined : last };
}

const USAGE_PAGE = 500;

/** Ids of the workspaces that have files. */
export async function workspacesWithFiles(store: Store): Promise<readonly string[]> {
  const found: string[] = [];
  let after: StoreKey | undefined;
  do {
    const page = await fileUsage(store).list({ after, limit: USAGE_PAGE });
    for (const { id, record } of page) {
      if (record.files > 0 && record.deleted_at === undefined) found.push(String(id.at(-1)));
    }
    after = page.length < USAGE_PAGE ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
  return found;
}
