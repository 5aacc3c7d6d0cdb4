/** Regular expressions of models, by which they search tools: run in linear time, whatever the text. */

import { compilePatternFilter } from "./pattern_filter.ts";
import { patternFault } from "./pattern_rules.ts";

/** Characters of a pattern. */
export const MOST_PATTERN = 200;

/** UTF-16 units of a text that is looked at: descriptions may be long, and all of them are looked at in one go. */
const MOST_UNITS = 10_000;

/** Whether one of the texts has a match. */
export type ToolPattern = (texts: readonly string[]) => boolean;

/** A string says what is wrong with the pattern, for the model. */
export function compileToolPattern(source: string): ToolPattern | string {
  if ([...source].length > MOST_PATTERN) return `pattern has more than ${MOST_PATTERN} characters.`;
  const pattern = withGroupedFlags(source);
  const fault = patternFault(pattern);
  if (fault !== undefined) return `pattern ${fault}.`;
  const filter = compilePatternFilter(pattern);
  return (texts) =>
    texts.some((text) => filter.find(text.slice(0, MOST_UNITS).toWellFormed(), 0) !== undefined);
}

/** Models write flags as Python does, before the pattern: `(?i)weather`. */
function withGroupedFlags(source: string): string {
  const [whole = "", flags = ""] = /^\(\?([ims]{1,3})\)/.exec(source) ?? [];
  return whole === "" ? source : `(?${flags}:${source.slice(whole.length)})`;
}
