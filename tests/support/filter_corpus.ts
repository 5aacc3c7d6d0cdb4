/** The corpus of the built-in filters: `tests/guardrails/corpus/`. */

import { type BuiltinSlug, builtinSlugs } from "../../shared/guardrails.ts";
import type { TextFilter, TextMatch } from "../../server/pipeline/guardrails/text_filter.ts";

const folder = new URL("../guardrails/corpus/", import.meta.url);

export interface Positive {
  readonly slug: BuiltinSlug;
  readonly text: string;
  /** Matches that the filter has to find. */
  readonly marks: readonly TextMatch[];
}

const linesOf = (file: string): readonly string[] =>
  Deno.readTextFileSync(new URL(file, folder)).split("\n").filter((line) => line !== "");

function parsePositive(line: string): Positive {
  const [name = "", ...rest] = line.split("\t");
  const slug = builtinSlugs.find((one) => one === name);
  if (slug === undefined) throw new Error(`No filter has the slug of this line: ${line}`);
  const marks: TextMatch[] = [];
  let [text, start] = ["", 0];
  for (const part of rest.join("\t").split(/([⟦⟧])/)) {
    if (part === "⟦") start = text.length;
    else if (part === "⟧") marks.push({ start, end: text.length });
    else text += part;
  }
  if (marks.length === 0) throw new Error(`Nothing is marked in this line: ${line}`);
  return { slug, text, marks };
}

export const positives: readonly Positive[] = linesOf("positives.tsv").map(parsePositive);

/** Lines of ordinary text by file, in which no filter finds anything. */
export const negatives: ReadonlyMap<string, readonly string[]> = new Map(
  [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".txt")).sort()
    .map((name) => [name, linesOf(name)]),
);

/** Every match of a text, as a guardrail takes them: each search begins where the last match ends. */
export function findAll(filter: TextFilter, text: string): readonly TextMatch[] {
  const matches: TextMatch[] = [];
  for (let match = filter.find(text, 0); match !== undefined; match = filter.find(text, match.end)) {
    matches.push(match);
  }
  return matches;
}
