/** Where a text has so many digits near one another that an identity number may stand there. */

import type { TextMatch } from "../../text_filter.ts";

/** Six digits or more, with single separators between them. */
const run = /\d(?:[ .\-/]?\d){5,}/g;

let last: { readonly text: string; readonly runs: readonly TextMatch[] } = { text: "", runs: [] };

/** In order. The text that was read last is remembered: many filters read one after the other. */
export function digitRuns(text: string): readonly TextMatch[] {
  if (text === last.text) return last.runs;
  const runs: TextMatch[] = [];
  run.lastIndex = 0;
  for (let found = run.exec(text); found !== null; found = run.exec(text)) {
    runs.push({ start: found.index, end: run.lastIndex });
  }
  last = { text, runs };
  return runs;
}
