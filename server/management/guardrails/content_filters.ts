/** Content filters of guardrails as they are saved, shown and announced. */

import { ApiError } from "../../../shared/errors.ts";
import { type GuardrailRecord, isExperimental } from "../../../shared/guardrails.ts";
import { formatPath } from "../../../shared/validation/validate.ts";
import { patternMaxMatch } from "../../pipeline/guardrails/content_filters.ts";
import { patternFault } from "../../pipeline/guardrails/patterns/pattern_rules.ts";
import { patternSize } from "../../pipeline/guardrails/patterns/pattern_size.ts";
import { parsePattern } from "../../pipeline/guardrails/patterns/pattern_syntax.ts";
import { type Exception, exceptionLength, isReadable } from "../../pipeline/guardrails/word_filter.ts";
import { OUTPUT_WINDOW } from "../../pipeline/guardrails/scanners/scan_windows.ts";
import type { Work } from "../../../shared/util/run_work.ts";
import { GenerationalCache } from "../core/generational_cache.ts";

type Filters = Pick<GuardrailRecord, "content_filters" | "content_filter_builtins">;
type Pattern = NonNullable<Filters["content_filters"]>[number];
type Builtin = NonNullable<Filters["content_filter_builtins"]>[number];

/** Faults of patterns by the present rules; undefined for most. */
const judged = new GenerationalCache<{ readonly fault: string | undefined }>(1_000);

function faultOf(pattern: string): string | undefined {
  const known = judged.get(pattern);
  if (known !== undefined) return known.fault;
  const fault = patternFault(pattern);
  judged.set(pattern, { fault });
  return fault;
}

/** As the operations show it. */
export function describePattern(filter: Pattern): Pattern {
  const fault = faultOf(filter.pattern);
  const shown = { ...filter, max_match: patternMaxMatch(filter.pattern) };
  return fault === undefined ? shown : { ...shown, fault };
}

export const describeBuiltin = (filter: Builtin): Builtin =>
  isExperimental(filter.slug) ? { ...filter, experimental: true } : filter;

interface FilterCheck {
  readonly verb: string;
  /** As they are stored: a pattern that is among them stays, whatever the rules say now. */
  readonly before?: Filters;
}

/** The filters without what is worked out. */
export function storedFilters<Body extends Partial<Filters & Pick<GuardrailRecord, "external">>>(
  body: Body,
): Body {
  const { content_filters: patterns, content_filter_builtins: builtins, external } = body;
  return {
    ...body,
    ...(patterns && {
      content_filters: patterns.map(({ max_match: _, fault: _now, ...filter }) => filter),
    }),
    ...(builtins && { content_filter_builtins: builtins.map(({ experimental: _, ...filter }) => filter) }),
    ...(external && { external: withoutFault(external) }),
  };
}

const withoutFault = (
  { fault: _, fault_at: _field, ...service }: NonNullable<GuardrailRecord["external"]>,
) => service;

/** Finds out what is worked out about patterns, so that they can be shown at once. */
export function* judgePatterns(all: readonly Partial<Filters>[]): Work<void> {
  for (const { content_filters: patterns } of all) {
    for (const { pattern } of patterns ?? []) {
      faultOf(pattern);
      yield;
      patternMaxMatch(pattern);
      yield;
    }
  }
}

/** Throws an ApiError (400) for a pattern that may not be saved. */
export function* checkPatterns(filters: Partial<Filters>, check: FilterCheck): Work<void> {
  yield* judgePatterns([filters]);
  const known = new Set(check.before?.content_filters?.map(({ pattern }) => pattern));
  for (const [position, { pattern }] of filters.content_filters?.entries() ?? []) {
    const fault = known.has(pattern) ? undefined : faultOf(pattern);
    if (fault === undefined) continue;
    const path = patternPath(position);
    throw new ApiError("invalid_request", `Cannot ${check.verb}: ${path} ${fault}`, { metadata: { path } });
  }
}

const patternPath = (position: number) => formatPath(["content_filters", position, "pattern"]);

export interface FilterWarning {
  readonly path: string;
  readonly message: string;
}

/** Warns about patterns: which would be refused now, and how much of their matches is seen in streams. */
export const filterWarnings = ({ content_filters: patterns }: Filters): FilterWarning[] =>
  (patterns ?? []).flatMap((filter, position) =>
    warningsOf(filter).map((message) => ({ path: patternPath(position), message }))
  );

function warningsOf({ pattern, action }: Pattern): readonly string[] {
  const fault = faultOf(pattern);
  const old = fault === undefined ? [] : [`Acts as before, and would be refused now: the pattern ${fault}`];
  const most = patternMaxMatch(pattern);
  if (action === "flag" || (most !== null && most <= OUTPUT_WINDOW)) return old;
  const length = most === null ? "have no bound" : `can have ${most} characters`;
  return [
    ...old,
    `Matches ${length}: in streamed responses a match is looked for within ${OUTPUT_WINDOW} characters`,
  ];
}

export const hasFilters = (filters: Filters & Pick<GuardrailRecord, "words" | "external">): boolean =>
  filters.external !== null ||
  [filters.content_filters, filters.content_filter_builtins, filters.words].some((list) =>
    list && list.length > 0
  );

/** Characters that an exception may have: so many more of a stream are held behind a match. */
export const MOST_EXCEPTION_CHARS = 256;
/** States of all exceptions of a guardrail together. */
const MOST_EXCEPTION_STATES = 20_000;

/** Throws an ApiError (400) for a word of which nothing is left when it is read as texts are. */
function checkWords({ words, except }: Partial<Lists>, verb: string): void {
  for (const [field, list] of [["words", words], ["except", except]] as const) {
    const position = list?.findIndex((word) => typeof word === "string" && !isReadable(word)) ?? -1;
    if (position < 0) continue;
    const path = formatPath([field, position]);
    const message = `Cannot ${verb}: ${path} stands for white space or for nothing`;
    throw new ApiError("invalid_request", message, { metadata: { path } });
  }
}

type Lists = Pick<GuardrailRecord, "words" | "except">;

/** Throws an ApiError (400) for a word or an exception that may not be saved. */
export function* checkLists(lists: Partial<Lists>, verb: string): Work<void> {
  checkWords(lists, verb);
  yield;
  const { except } = lists;
  let states = 0;
  for (const [position, exception] of except?.entries() ?? []) {
    if (typeof exception === "string") continue;
    const fault = faultOf(exception.pattern) ?? exceptionFault(exception);
    states += fault === undefined ? patternSize(parsePattern(exception.pattern)).states : 0;
    yield;
    const tooLarge = states > MOST_EXCEPTION_STATES
      ? `and those before it have ${states} states; at most ${MOST_EXCEPTION_STATES} are allowed`
      : undefined;
    if (fault === undefined && tooLarge === undefined) continue;
    const path = formatPath(["except", position, "pattern"]);
    const message = `Cannot ${verb}: ${path} ${fault ?? tooLarge}`;
    throw new ApiError("invalid_request", message, { metadata: { path } });
  }
}

function exceptionFault(exception: Exception): string | undefined {
  const longest = exceptionLength(exception);
  if (longest !== undefined && longest <= MOST_EXCEPTION_CHARS) return undefined;
  const found = longest === undefined ? "matches without a bound" : `matches of up to ${longest} characters`;
  return `has ${found}; an exception has at most ${MOST_EXCEPTION_CHARS}`;
}
