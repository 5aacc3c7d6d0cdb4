/** The result of a search as the model reads it. */

import { truncateStart } from "../../../../shared/util/text.ts";
import type { FileSearchResult } from "./file_searcher.ts";
import { type Passage, queryWords } from "./passage_index.ts";
import type { WorkspaceFile } from "./workspace_files.ts";

/** Bytes of JSON of all passages together, so that they are within the limit of a result. */
const MOST_BYTES = 56 * 1024;
/** Files that a note names. */
const MOST_NAMES = 10;
/** UTF-16 units of a name in a note. */
const LONGEST_NAME = 100;

interface NumberedPassage extends Passage<WorkspaceFile> {
  /** By which the model cites it. */
  readonly number: number;
}

/** Whole passages, best first, as many as there is room for. */
export function describePassages(passages: readonly NumberedPassage[], notes: readonly string[]): string {
  const shown: object[] = [];
  let bytes = 0;
  for (const { number, file, heading, start, end, score, text } of passages) {
    const described = {
      mark: `[F${number}]`,
      file_id: file.id,
      filename: file.filename,
      heading,
      characters: `${start}-${end}`,
      score: Math.round(score * 1_000) / 1_000,
      text,
    };
    bytes += Buffer.byteLength(JSON.stringify(described));
    if (bytes > MOST_BYTES) break;
    shown.push(described);
  }
  const hidden = passages.length - shown.length;
  const all = hidden === 0 ? notes : [...notes, `${countOf(hidden, "more passage")} had no room here.`];
  return JSON.stringify({ results: shown, ...(all.length === 0 ? {} : { note: all.join(" ") }) });
}

/** Sentences on what was not searched, and why. */
export function describeNotes(
  { passages, leftOut, pending, unreadable, truncated, missing }: FileSearchResult,
  { queries }: { readonly queries: readonly string[] },
): readonly string[] {
  return [
    ...passages.length === 0 ? ["Nothing was found."] : [],
    ...queries.some((query) => queryWords(query).isCut)
      ? ["A query was too long; only its beginning was searched for."]
      : [],
    ...leftOut === 0 ? [] : [
      `A search reads 50 MB of text: ${
        countOf(leftOut, "older file")
      } had no room in it and was not searched.`,
    ],
    ...pending === 0
      ? []
      : [`${countOf(pending, "file")} could not be searched yet. Search again in a moment.`],
    ...unreadable.length === 0
      ? []
      : [`Without a text: ${
        namesOf(unreadable.map(({ filename, lack }) => `${nameOf(filename)} (${lack})`))
      }.`],
    ...truncated.length === 0
      ? []
      : [`Only the beginning was searched of ${namesOf(truncated.map(nameOf))}.`],
    ...missing.length === 0 ? [] : [`${countOf(missing.length, "file")} was deleted meanwhile.`],
  ];
}

const countOf = (count: number, what: string) => count === 1 ? `1 ${what}` : `${count} ${what}s`;

const nameOf = (filename: string) => JSON.stringify(truncateStart(filename, LONGEST_NAME));

function namesOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
