/** Matches that something else stands for, together with those that they overlap. */

import type { ActiveFilter } from "./content_filters.ts";
import type { ScanOptions } from "./scanners/scan_options.ts";
import { byPlace } from "./scanners/text_positions.ts";
import type { Work } from "../../../shared/util/run_work.ts";

/** Matches that are put in their order before a pause is offered: less than a millisecond. */
const MATCHES_AT_ONCE = 1_024;

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

export function* groupMatches(found: readonly ReplacedMatch[]): Work<readonly ReplacedGroup[]> {
  const groups: ReplacedGroup[] = [];
  for (const [position, match] of (yield* sorted(found)).entries()) {
    if (position % MATCHES_AT_ONCE === MATCHES_AT_ONCE - 1) yield;
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

function* sorted(found: readonly ReplacedMatch[]): Work<readonly ReplacedMatch[]> {
  if (found.length <= MATCHES_AT_ONCE) return found.toSorted(byPlace);
  const middle = found.length >> 1;
  const some = yield* sorted(found.slice(0, middle));
  const others = yield* sorted(found.slice(middle));
  const merged: ReplacedMatch[] = [];
  let at = 0;
  for (const one of some) {
    for (let other = others[at]; other !== undefined && byPlace(other, one) < 0; other = others[++at]) {
      merged.push(other);
      if (merged.length % MATCHES_AT_ONCE === 0) yield;
    }
    merged.push(one);
    if (merged.length % MATCHES_AT_ONCE === 0) yield;
  }
  yield;
  return merged.concat(others.slice(at));
}

export const isReplaced = ({ action }: ActiveFilter): boolean => action === "redact" || action === "mask";

const isRedacted = ({ filter }: ReplacedMatch) => filter.action === "redact";

/** True for a group that is only masked: the client gets all of it back. */
export const isMasked = ({ matches }: ReplacedGroup): boolean => !matches.some(isRedacted);

/**
 * First match that decides the replacement: a redacted one goes before a masked one, because it does not come back.
 */
const firstOf = ({ matches }: ReplacedGroup): ReplacedMatch | undefined =>
  matches.find(isRedacted) ?? matches[0];

interface GroupText extends Pick<ScanOptions, "masks" | "from" | "isJson"> {
  readonly textAt: (start: number, end: number) => string;
}

export function placeholderFor(group: ReplacedGroup, options: GroupText): string {
  const placeholder = plainPlaceholder(group, options);
  return options.isJson === true ? JSON.stringify(placeholder).slice(1, -1) : placeholder;
}

function plainPlaceholder(group: ReplacedGroup, { masks, from = 0, textAt }: GroupText): string {
  const first = firstOf(group);
  if (first === undefined) return "";
  const { filter, start, end } = first;
  if (filter.replace !== undefined) return filter.replace(textAt(start, end));
  if (!isMasked(group) || masks === undefined) return filter.placeholder;
  return masks.placeholder(filter.placeholder, textAt(Math.max(group.start, from), group.end));
}
