/** The files of a container as a value, and what of a command's changes may be kept. */

import { MAX_NAME_BYTES } from "../messages.ts";
import type { ContainerEntry, EntryChange } from "../sandbox.ts";
import { encodeFileId, isRelativePath, MAX_PATH_BYTES } from "./container_ids.ts";
import type { FileEntry, FilesRow } from "./container_rows.ts";

export const HOME = "/home/user";
const MIB = 1024 * 1024;
export const MAX_ENTRIES = 2_000;
const MAX_CONTAINER_BYTES = 100 * MIB;
export const MAX_CONTAINER_FILE_BYTES = 25 * MIB;
const MAX_LEVELS = 32;
/** UTF-16 units of all paths as JSON, so that the list fits into one record. */
const MAX_PATHS_LENGTH = 256 * 1024;

/** Entry at a path: with its bytes, where it is a file. */
export type ListedEntry =
  | (Extract<ContainerEntry, { type: "file" }> & { readonly blob: string | null; readonly sha256: string })
  | Exclude<ContainerEntry, { type: "file" }>;

type FileList = ReadonlyMap<string, ListedEntry>;

export interface ContainerState {
  /** Changes with the files. */
  readonly version: string;
  readonly files: FileList;
  /** Ids of the workspace's files that were put there, the newest last. */
  readonly attached: readonly string[];
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** An interpreter of Python has kept variables from call to call. */
  readonly hasInterpreter: boolean;
}

export function parseFilesRow(row: FilesRow): ContainerState {
  const { version, entries, attached = [], working_folder, environment, has_interpreter = false } = row;
  return {
    version,
    files: new Map(entries.map((entry) => [toPath(entry.path), listedEntry(entry)])),
    attached,
    workingFolder: toPath(working_folder),
    environment: Object.fromEntries(environment.map(([name, value]) => [name, toPath(value)])),
    hasInterpreter: has_interpreter,
  };
}

export function renderFilesRow(state: ContainerState): FilesRow {
  const { version, files, attached, workingFolder, environment, hasInterpreter } = state;
  return {
    version,
    entries: [...files.values()].map(storedEntry),
    attached: [...attached],
    working_folder: JSON.stringify(workingFolder),
    environment: Object.entries(environment).map(([name, value]) => [name, JSON.stringify(value)]),
    has_interpreter: hasInterpreter,
  };
}

/** A path below the home folder, as a model may write it, relative to that. */
export const relativePath = (path: string): string =>
  (path.startsWith(`${HOME}/`) ? path.slice(HOME.length + 1) : path).replace(/^(?:\.\/|~\/)/, "");

function toPath(text: string): string {
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? value : "";
}

function listedEntry(entry: FileEntry): ListedEntry {
  const path = toPath(entry.path);
  if (entry.type === "link") return { type: "link", path, target: toPath(entry.target) };
  const { mode, modified_at: modifiedAt } = entry;
  if (entry.type === "folder") return { type: "folder", path, mode, modifiedAt };
  const { size, sha256, blob } = entry;
  return { type: "file", path, mode, modifiedAt, size, sha256, blob };
}

function storedEntry(entry: ListedEntry): FileEntry {
  const path = JSON.stringify(entry.path);
  if (entry.type === "link") return { type: "link", path, target: JSON.stringify(entry.target) };
  const { mode, modifiedAt: modified_at } = entry;
  if (entry.type === "folder") return { type: "folder", path, mode, modified_at };
  const { size, sha256, blob } = entry;
  return { type: "file", path, mode, modified_at, size, sha256, blob };
}

interface ListSize {
  readonly files: number;
  readonly bytes: number;
}

export function sizeOf(files: FileList): ListSize {
  let [count, bytes] = [0, 0];
  for (const entry of files.values()) {
    if (entry.type !== "file") continue;
    count++;
    bytes += entry.size;
  }
  return { files: count, bytes };
}

/** Plan for the changes of a command. */
interface ChangePlan {
  readonly deleted: readonly string[];
  readonly written: readonly ContainerEntry[];
  /** Changes that go beyond a limit, with the limit in words. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

/** In the order of the changes, as far as the limits go. Bytes come last: a file that grows is counted anew. */
export function planChanges(before: FileList, changes: readonly EntryChange[]): ChangePlan {
  const [written, refused]: [ContainerEntry[], { path: string; reason: string }[]] = [[], []];
  const deleted = changes.flatMap((change) => change.type === "deleted" ? [change.path] : []);
  const left = new Map<string, ContainerEntry>(before);
  for (const path of deleted) left.delete(path);
  const used = new Usage(left.values());
  for (const change of changes) {
    if (change.type === "deleted") continue;
    const { entry } = change;
    const old = left.get(entry.path);
    const reason = pathFault(entry.path) ?? placeFault(left, entry.path) ?? used.replace(old, entry);
    if (reason !== undefined) {
      refused.push({ path: entry.path, reason });
      continue;
    }
    left.set(entry.path, entry);
    written.push(entry);
  }
  return { deleted, written, refused };
}

const encoder = new TextEncoder();

/** The reason why no file can have this path, for commands, patches and attached files alike; undefined for a usable path. */
export function pathFault(path: string): string | undefined {
  if (!isRelativePath(path)) return "it is no path below the home folder";
  if (encoder.encode(path).length > MAX_PATH_BYTES) return `its path is longer than ${MAX_PATH_BYTES} bytes`;
  const names = path.split("/");
  if (names.some((name) => encoder.encode(name).length > MAX_NAME_BYTES)) {
    return `a name in its path is longer than ${MAX_NAME_BYTES} bytes`;
  }
  if (names.length > MAX_LEVELS) return `it lies deeper than ${MAX_LEVELS} folders`;
  return undefined;
}

function placeFault(entries: ReadonlyMap<string, ContainerEntry>, path: string): string | undefined {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = entries.get(path.slice(0, end));
    if (above !== undefined && above.type !== "folder") return "a part of its path is no folder";
  }
  return undefined;
}

class Usage {
  #entries = 0;
  #bytes = 0;
  #paths = 0;

  constructor(entries: Iterable<ContainerEntry>) {
    for (const entry of entries) this.#add(entry, 1);
  }

  /** Counts an entry in the place of another one; says why it must not be. */
  replace(old: ContainerEntry | undefined, entry: ContainerEntry): string | undefined {
    if (old !== undefined) this.#add(old, -1);
    const fault = this.#fault(entry);
    if (fault === undefined) this.#add(entry, 1);
    else if (old !== undefined) this.#add(old, 1);
    return fault;
  }

  #fault(entry: ContainerEntry): string | undefined {
    const size = bytesOf(entry);
    if (size > MAX_CONTAINER_FILE_BYTES) return `it is larger than ${MAX_CONTAINER_FILE_BYTES / MIB} MiB`;
    if (this.#entries >= MAX_ENTRIES) return `a container may have ${MAX_ENTRIES} files, folders and links`;
    if (this.#bytes + size > MAX_CONTAINER_BYTES) {
      return `the files of a container may have ${MAX_CONTAINER_BYTES / MIB} MiB in all`;
    }
    return this.#paths + pathLength(entry) > MAX_PATHS_LENGTH
      ? "the paths of all files are too long"
      : undefined;
  }

  #add(entry: ContainerEntry, sign: 1 | -1): void {
    this.#entries += sign;
    this.#bytes += sign * bytesOf(entry);
    this.#paths += sign * pathLength(entry);
  }
}

const bytesOf = (entry: ContainerEntry): number => entry.type === "file" ? entry.size : 0;

const pathLength = (entry: ContainerEntry): number =>
  JSON.stringify(entry.path).length + (entry.type === "link" ? JSON.stringify(entry.target).length : 0);

export const isFile = (
  entry: ListedEntry | undefined,
): entry is Extract<ListedEntry, { type: "file" }> => entry?.type === "file";

/** Files that have an id, by path. */
export function listableFiles(files: FileList): readonly Extract<ListedEntry, { type: "file" }>[] {
  return [...files.values()].filter(isFile)
    .filter(({ path }) => encodeFileId(path) !== undefined)
    .sort((a, b) => a.path < b.path ? -1 : 1);
}
