/** Regular expressions that callers give: which of them run in linear time (specification, Guardrails). */

import { truncateStart } from "./text.ts";

export const MAX_PATTERN_CHARS = 100_000;

/**
 * What is wrong with a pattern, as the rest of a sentence; undefined for one that can be used. Groups that look
 * around and references to groups are refused, because no engine runs them in linear time.
 */
export function linearRegexpFault(pattern: string): string | undefined {
  const construct = costly(pattern);
  if (construct !== undefined) return `has ${construct}, which is not allowed`;
  try {
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    // Without the flag more is a regular expression: what an engine takes in either reading is one.
    return isLoose(pattern) ? undefined : `is no regular expression: ${reasonOf(error)}`;
  }
}

function isLoose(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    // The strict reading has said why already.
    return false;
  }
}

const REASON_CHARS = 120;

/** The engine repeats the pattern in front of its reason. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return truncateStart(message.slice(message.lastIndexOf(": ") + 2), REASON_CHARS);
}

/** One walk over the text; what is escaped or stands in a class means itself. */
function costly(pattern: string): string | undefined {
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") {
      const next = pattern[++at] ?? "";
      if (!inClass && (/[1-9]/.test(next) || (next === "k" && pattern[at + 1] === "<"))) {
        return "a reference to a group";
      }
    } else if (inClass) inClass = char !== "]";
    else if (char === "[") inClass = true;
    else if (char === "(" && /^\?(?:[=!]|<[=!])/.test(pattern.slice(at + 1, at + 4))) {
      return "a group that looks around";
    }
  }
  return undefined;
}
