/** Searches files of a workspace: chooses them, loads or makes their indexes, and ranks the passages. */

import { pause } from "../../../../shared/util/pause.ts";
import { runWork, type Work } from "../../../../shared/util/run_work.ts";
import type { Indexer } from "../../../web/file_index/indexer.ts";
import { isReadableType } from "../../../web/reader/document_type.ts";
import type { Reader } from "../../../web/reader/reader.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import { attributesOf, type FileFilter, matchesFilter } from "./file_filters.ts";
import { decodeIndex, type FileIndex } from "./file_index.ts";
import { IndexCache } from "./index_cache.ts";
import { IndexMaker, MAX_SEARCH_BYTES } from "./index_maker.ts";
import { type IndexedFile, type Passage, PassageIndex } from "./passage_index.ts";
import { WORKSPACE } from "./file_search_settings.ts";
import type { WorkspaceFile, WorkspaceFiles } from "./workspace_files.ts";

/** How much a search reads, keeps and waits for. */
export interface SearchLimits {
  /** UTF-16 units of the text of all files of a search. */
  readonly textLength: number;
  /** Bytes of all indexes in memory: room for all that one search reads. */
  readonly cacheBytes: number;
  /** The newest files of a workspace that are looked at. */
  readonly files: number;
  /** Milliseconds after which no further index is waited for. */
  readonly makingMs: number;
}

/** Milliseconds after which no further index is waited for. */
export const MAKING_MS = 90_000;

export const searchLimits: SearchLimits = {
  textLength: MAX_SEARCH_BYTES,
  cacheBytes: 192 * 1024 * 1024,
  files: 10_000,
  makingMs: MAKING_MS,
};

/** Files whose indexes are loaded at the same time. */
const AT_ONCE = 16;
/** Files that are asked for before the ones ahead have their index: small texts are indexed many at a time. */
const AHEAD = 500;

interface FileSearcherDeps {
  readonly files: WorkspaceFiles;
  readonly read: Reader;
  readonly index: Indexer;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly log: Logger;
  readonly limits: SearchLimits;
}

interface FileQuery {
  readonly workspaceId: string;
  /** Ids of files, or the whole workspace. */
  readonly ids: readonly string[];
  readonly queries: readonly string[];
  readonly filter: FileFilter | undefined;
  readonly maxResults: number;
  readonly threshold: number;
  readonly signal: AbortSignal;
}

export interface FileSearchResult {
  readonly passages: readonly Passage<WorkspaceFile>[];
  /** Files that were searched. */
  readonly searched: number;
  /** Files that have a text and were left out, because it is too much for one search. */
  readonly leftOut: number;
  /** Files whose index is not made yet. */
  readonly pending: number;
  /** Files without a text, and why. */
  readonly unreadable: readonly { readonly filename: string; readonly lack: string }[];
  /** Files of whose text only the beginning was searched. */
  readonly truncated: readonly string[];
  /** Ids of files that are not there any more. */
  readonly missing: readonly string[];
}

export class FileSearcher {
  readonly #deps: FileSearcherDeps;
  readonly #cache: IndexCache;
  readonly #maker: IndexMaker;

  constructor(deps: FileSearcherDeps) {
    this.#deps = deps;
    this.#cache = new IndexCache(deps.limits.cacheBytes);
    this.#maker = new IndexMaker(deps);
  }

  /** The first id that names no file of the workspace, by its position; -1 where there is none. */
  async findUnknown(workspaceId: string, ids: readonly string[]): Promise<number> {
    const found = await Promise.all(ids.map((id) => this.#isKnown(workspaceId, id)));
    return found.indexOf(false);
  }

  async #isKnown(workspaceId: string, id: string): Promise<boolean> {
    return id === WORKSPACE || await this.#deps.files.find(workspaceId, id) !== undefined;
  }

  /** Rejects with the signal's reason. */
  async search(query: FileQuery): Promise<FileSearchResult> {
    const { files, missing } = await this.#choose(query);
    const loaded = await this.#load(files, query.signal);
    const { clock } = this.#deps;
    const ranking = rankPassages(loaded.indexed, query);
    const passages = await runWork(ranking, { clock, pause });
    return { ...loaded, passages, missing, searched: loaded.indexed.length };
  }

  async #choose({ workspaceId, ids, filter }: FileQuery): Promise<ChosenFiles> {
    const { files } = this.#deps;
    const isAllowed = (file: WorkspaceFile) =>
      filter === undefined || matchesFilter(attributesOf(file), filter);
    if (ids.includes(WORKSPACE)) {
      const all = await files.list(workspaceId, this.#deps.limits.files);
      // Pictures and sounds are not named as files without a text.
      const readable = all.filter(({ mimeType }) => isReadableType(mimeType));
      return { files: readable.filter(isAllowed), missing: [] };
    }
    const distinct = [...new Set(ids)];
    const found = await Promise.all(distinct.map((id) => files.find(workspaceId, id)));
    const there = found.filter((file) => file !== undefined);
    return {
      files: there.filter(isAllowed).sort((one, other) => other.createdAt - one.createdAt),
      missing: distinct.filter((_, at) => found[at] === undefined),
    };
  }

  /** The newest files first, until their text is too much for one search. */
  async #load(files: readonly WorkspaceFile[], signal: AbortSignal): Promise<LoadedFiles> {
    const { clock, limits } = this.#deps;
    const loading = new Loading(limits.textLength);
    const { promise: isLate, resolve } = Promise.withResolvers<undefined>();
    const end = () => resolve(undefined);
    const cancel = clock.after(limits.makingMs, end);
    signal.addEventListener("abort", end);
    try {
      for (let at = 0; at < files.length && !loading.isFull; at += AHEAD) {
        const some = files.slice(at, at + AHEAD);
        const kept = await this.#kept(some, signal);
        const waiting = some.map((file, at) => kept[at] ?? Promise.race([this.#make(file), isLate]));
        for (const [at, file] of some.entries()) {
          if (loading.isFull) break;
          const index = await waiting[at];
          signal.throwIfAborted();
          loading.add(file, index);
        }
      }
      return loading.result(files.length);
    } finally {
      cancel();
      signal.removeEventListener("abort", end);
      end();
    }
  }

  /** Indexes that are in memory or kept; undefined where one has to be made. */
  async #kept(
    files: readonly WorkspaceFile[],
    signal: AbortSignal,
  ): Promise<readonly (FileIndex | undefined)[]> {
    const found: (FileIndex | undefined)[] = files.map(({ id }) => this.#cache.get(id));
    const missing = [...files.entries()].filter(([at]) => found[at] === undefined);
    const loadNext = async () => {
      for (let next = missing.shift(); next !== undefined; next = missing.shift()) {
        signal.throwIfAborted();
        const [at, file] = next;
        found[at] = await this.#readKept(file);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loadNext));
    return found;
  }

  async #readKept(file: WorkspaceFile): Promise<FileIndex | undefined> {
    try {
      const content = await this.#deps.files.openIndex(file);
      const index = content === undefined ? undefined : await decodeIndex(content);
      if (index !== undefined) this.#cache.add(file.id, index);
      return index;
    } catch (error) {
      const { workspaceId: workspace, id } = file;
      this.#deps.log.warn("Index of a file not read", { workspace, file: id, error: String(error) });
      return undefined;
    }
  }

  async #make(file: WorkspaceFile): Promise<FileIndex | undefined> {
    const index = await this.#maker.make(file);
    if (index !== undefined) this.#cache.add(file.id, index);
    return index;
  }
}

function* rankPassages(
  indexed: readonly IndexedFile<WorkspaceFile>[],
  { queries, maxResults, threshold }: FileQuery,
): Work<FileSearchResult["passages"]> {
  const index = yield* PassageIndex.of(indexed);
  return yield* index.rank({ queries, threshold, most: maxResults });
}

interface ChosenFiles {
  readonly files: readonly WorkspaceFile[];
  readonly missing: readonly string[];
}

type LoadedFiles =
  & Omit<FileSearchResult, "passages" | "searched" | "missing">
  & { readonly indexed: readonly IndexedFile<WorkspaceFile>[] };

/** Files with their indexes, as far as one search may have them. */
class Loading {
  readonly #mostLength: number;
  readonly #indexed: IndexedFile<WorkspaceFile>[] = [];
  readonly #unreadable: { readonly filename: string; readonly lack: string }[] = [];
  readonly #truncated: string[] = [];
  #pending = 0;
  #length = 0;
  #looked = 0;
  isFull = false;

  constructor(mostLength: number) {
    this.#mostLength = mostLength;
  }

  add(file: WorkspaceFile, index: FileIndex | undefined): void {
    const { filename } = file;
    if (index !== undefined && index.lack === undefined && this.#length + index.length > this.#mostLength) {
      this.isFull = true;
      return;
    }
    this.#looked++;
    if (index === undefined) this.#pending++;
    else if (index.lack !== undefined) this.#unreadable.push({ filename, lack: index.lack });
    else {
      this.#length += index.length;
      if (index.truncated) this.#truncated.push(filename);
      this.#indexed.push({ file, name: filename, index });
    }
  }

  result(files: number): LoadedFiles {
    return {
      indexed: this.#indexed,
      unreadable: this.#unreadable,
      truncated: this.#truncated,
      pending: this.#pending,
      leftOut: files - this.#looked,
    };
  }
}
