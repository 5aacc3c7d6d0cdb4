/** Matches that something else stands for, together with those that they overlap. */

import type { ActiveFilter } from "./content_filters.ts";
import type { ScanOptions } from "./scan_options.ts";
import { byPlace } from "./text_positions.ts";

export interface ReplacedMatch {
  readonly start: number;
  end: number;
  readonly filter: ActiveFilter;
}

/** Matches that overlap, by their place. */
export interface ReplacedGroup {
  readonly start: number;
  end: number;
  readonly matches: ReplacedMatch[];
}

export function groupMatches(found: readonly ReplacedMatch[]): readonly ReplacedGroup[] {
  const groups: ReplacedGroup[] = [];
  for (const match of found.toSorted(byPlace)) {
    const last = groups.at(-1);
    if (last === undefined || match.start >= last.end) {
      groups.push({ start: match.start, end: match.end, matches: [match] });
    } else {
      last.matches.push(match);
      last.end = Math.max(last.end, match.end);
    }
  }
  return groups;
}

const isRedacted = ({ filter }: ReplacedMatch) => filter.action === "redact";

/** What the client gets back has to be there as a whole. */
export const isMasked = ({ matches }: ReplacedGroup): boolean => !matches.some(isRedacted);

/** What is redacted does not come back, so it goes before what is masked. */
const firstOf = ({ matches }: ReplacedGroup): ReplacedMatch | undefined =>
  matches.find(isRedacted) ?? matches[0];

interface GroupText extends Pick<ScanOptions, "masks" | "from"> {
  readonly textAt: (start: number, end: number) => string;
}

export function placeholderFor(group: ReplacedGroup, { masks, from = 0, textAt }: GroupText): string {
  const first = firstOf(group);
  if (first === undefined) return "";
  const { filter, start, end } = first;
  if (filter.replace !== undefined) return filter.replace(textAt(start, end));
  if (!isMasked(group) || masks === undefined) return filter.placeholder;
  return masks.placeholder(filter.placeholder, textAt(Math.max(group.start, from), group.end));
}
