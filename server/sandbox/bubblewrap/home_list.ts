/** The entries of a home folder as a sandbox lists them, and what has changed between two lists. Foreign bytes. */

import { MAX_CHANGES } from "../messages.ts";
import type { ContainerEntry, EntryChange } from "../sandbox.ts";

/** An entry with what tells whether it has changed. */
interface HomeEntry {
  readonly entry: ContainerEntry;
  /** Equal only while nobody has written the entry, whatever time it says it was written at. */
  readonly stamp: string;
}

export type HomeList = ReadonlyMap<string, HomeEntry>;

/** Output of the program `list` that makes no sense, or is longer than any container's. */
export class ListError extends Error {
  override readonly name = "ListError";
}

const FIELDS = 8;
const SECONDS_TO_MS = 1_000;

/** The state of the shell in base64, and the entries. Throws a ListError. */
export function parseList(output: Uint8Array): { readonly state: string; readonly entries: HomeList } {
  const [state = "", ...fields] = toText(output).split("\0");
  fields.pop();
  if (fields.length % FIELDS !== 0) throw new ListError("The list of files makes no sense");
  const entries = new Map<string, HomeEntry>();
  for (let at = 0; at < fields.length; at += FIELDS) {
    const listed = parseEntry(fields.slice(at, at + FIELDS));
    if (listed !== undefined) entries.set(listed.entry.path, listed);
  }
  return { state, entries };
}

/** Names that are no UTF-8 get replacement characters: no file with such a name can be kept. */
const toText = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Undefined for what is no file, folder or link. */
function parseEntry(fields: readonly string[]): HomeEntry | undefined {
  const [type, modeText = "", sizeText = "", modified = "", , , path = "", target = ""] = fields;
  const mode = Number.parseInt(modeText, 8);
  const [size, modifiedAt] = [Number(sizeText), Math.floor(Number(modified) * SECONDS_TO_MS)];
  if (
    path === "" || !Number.isSafeInteger(mode) || !Number.isSafeInteger(size) ||
    !Number.isSafeInteger(modifiedAt)
  ) {
    throw new ListError("An entry of the list of files makes no sense");
  }
  const stamp = fields.slice(0, FIELDS - 2).join();
  if (type === "f") return { stamp, entry: { type: "file", path, mode, modifiedAt, size } };
  if (type === "d") {
    return { stamp: `${modeText},${modified}`, entry: { type: "folder", path, mode, modifiedAt } };
  }
  return type === "l" ? { stamp: target, entry: { type: "link", path, target } } : undefined;
}

interface Changes {
  readonly changes: readonly EntryChange[];
  /** There are more than may be kept. */
  readonly isOverflow: boolean;
}

/** Finds what is gone, then what is new or was written: files come last, the oldest first. */
export function compareLists(before: HomeList, after: HomeList): Changes {
  const deleted = [...before.keys()].filter((path) => !after.has(path))
    .map((path) => ({ type: "deleted", path }) as const);
  const written = [...after.values()]
    .filter(({ entry, stamp }) => !isSame(before.get(entry.path), { entry, stamp }))
    .sort((a, b) => Number(writtenAt(a) > writtenAt(b)) - Number(writtenAt(a) < writtenAt(b)))
    .map(({ entry }) => ({ type: "written", entry }) as const);
  const changes = [...deleted, ...written];
  return { changes: changes.slice(0, MAX_CHANGES), isOverflow: changes.length > MAX_CHANGES };
}

const writtenAt = ({ entry }: HomeEntry): number => entry.type === "file" ? entry.modifiedAt : -Infinity;

const isSame = (before: HomeEntry | undefined, { entry, stamp }: HomeEntry): boolean =>
  before?.stamp === stamp && before.entry.type === entry.type;
