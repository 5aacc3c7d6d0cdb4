/** Notes for a model on changes that were not kept, or are not listed. */

import { encodeFileId } from "./container_ids.ts";
import { type ListedEntry, MAX_ENTRIES, pathFault } from "./file_list.ts";

/** Paths that a note names. */
const MAX_NAMED = 5;
const MAX_PATH_CHARS = 200;

export const overflowNote =
  `The command changed more than a container may hold (${MAX_ENTRIES} files, folders and links): none of its ` +
  "changes was kept.";

/** Words for a model whose variables are gone. */
export const newInterpreterNote =
  "The interpreter was restarted: variables of earlier calls are gone, files are kept.";

/** Notes that a command was ended at its time limit; `told`: another note says what became of its changes. */
export function timeoutNote(changes: "kept" | "lost" | "told"): string {
  const ended = "The command reached its time limit and was ended.";
  if (changes === "told") return ended;
  return changes === "kept"
    ? `${ended} What it printed and changed until then is kept.`
    : `${ended} Its changes of files are lost, and so may be the last that it printed.`;
}

/** One note for each limit. */
export function refusalNotes(
  refused: readonly { readonly path: string; readonly reason: string }[],
): readonly string[] {
  const byReason = Map.groupBy(refused, ({ reason }) => reason);
  return [...byReason].map(([reason, all]) =>
    `Not kept, because ${reason}: ${named(all.map(({ path }) => path))}.`
  );
}

/** Notes the files whose path no id can name. */
export function unlistedNotes(written: readonly ListedEntry[]): readonly string[] {
  const paths = written.filter(({ type, path }) => type === "file" && encodeFileId(path) === undefined)
    .map(({ path }) => path);
  return paths.length === 0 ? [] : [
    `Kept but not listed, because the path is not in NFC, not valid UTF-8 or has a backslash: ${
      named(paths)
    }.`,
  ];
}

/** Notes on entries that no process can hold: they were written before names had a bound. */
export function unusableNotes(paths: Iterable<string>): readonly string[] {
  const unusable = [...paths].filter((path) => pathFault(path) !== undefined);
  return unusable.length === 0 ? [] : [
    `Not there for commands, because of the name: ${
      named(unusable)
    }. Delete it with a patch or by the operation on the file.`,
  ];
}

function named(paths: readonly string[]): string {
  const texts = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path.slice(0, MAX_PATH_CHARS)));
  const more = paths.length - texts.length;
  return texts.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
