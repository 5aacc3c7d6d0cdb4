/** Content filters of guardrails as they are saved, shown and announced. */

import { ApiError } from "../../../shared/errors.ts";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { builtinFilters } from "../../guardrails/builtins/mod.ts";
import { patternMaxMatch } from "../../guardrails/content_filters.ts";
import { compilePatternFilter } from "../../guardrails/pattern_filter.ts";
import { PatternError } from "../../guardrails/pattern_syntax.ts";
import { OUTPUT_WINDOW } from "../../guardrails/text_scanner.ts";

type Filters = Pick<GuardrailRecord, "content_filters" | "content_filter_builtins">;
type Pattern = NonNullable<Filters["content_filters"]>[number];
type Builtin = NonNullable<Filters["content_filter_builtins"]>[number];

/** As the operations show it. */
export const describePattern = (filter: Pattern): Pattern => ({
  ...filter,
  max_match: patternMaxMatch(filter.pattern),
});

export const describeBuiltin = (filter: Builtin): Builtin =>
  builtinFilters[filter.slug].experimental ? { ...filter, experimental: true } : filter;

/** The filters without what is worked out. Throws an ApiError (400) for a pattern that cannot run. */
export function checkFilters<Body extends Partial<Filters>>(body: Body, verb: string): Body {
  const { content_filters: patterns, content_filter_builtins: builtins } = body;
  for (const [position, { pattern }] of patterns?.entries() ?? []) {
    checkPattern(pattern, { verb, path: `content_filters.${position}.pattern` });
  }
  return {
    ...body,
    ...(patterns && { content_filters: patterns.map(({ max_match: _, ...filter }) => filter) }),
    ...(builtins && { content_filter_builtins: builtins.map(({ experimental: _, ...filter }) => filter) }),
  };
}

interface CheckedField {
  readonly verb: string;
  readonly path: string;
}

function checkPattern(pattern: string, { verb, path }: CheckedField): void {
  try {
    compilePatternFilter(pattern);
  } catch (error) {
    const why = error instanceof PatternError ? error.message : "cannot be run in linear time";
    throw new ApiError("invalid_request", `Cannot ${verb}: ${path} ${why}`, { metadata: { path } });
  }
}

export interface FilterWarning {
  readonly path: string;
  readonly message: string;
}

/** What to know about patterns that act on streams: how much of their matches is seen. */
export function filterWarnings({ content_filters: patterns }: Filters): FilterWarning[] {
  return (patterns ?? []).flatMap(({ pattern, action }, position) => {
    const most = patternMaxMatch(pattern);
    if (action === "flag" || (most !== null && most <= OUTPUT_WINDOW)) return [];
    const length = most === null ? "have no bound" : `can have ${most} characters`;
    return [{
      path: `content_filters.${position}.pattern`,
      message:
        `Matches ${length}: in streamed responses a match is looked for within ${OUTPUT_WINDOW} characters`,
    }];
  });
}

export const hasFilters = (
  { content_filters: patterns, content_filter_builtins: builtins }: Filters,
): boolean => (patterns?.length ?? 0) > 0 || (builtins?.length ?? 0) > 0;
