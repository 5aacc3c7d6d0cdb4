/** The content filters of all guardrails that hold for a caller, ready to run. */

import type { BuiltinSlug, GuardrailRecord } from "../../shared/guardrails.ts";
import { truncateStart } from "../../shared/util/text.ts";
import { builtinFilters } from "./builtins/mod.ts";
import { compilePatternFilter } from "./pattern_filter.ts";
import type { TextFilter } from "./text_filter.ts";

export type FilterAction = "block" | "redact" | "flag";
export type GuardrailScope = "api-key" | "member" | "workspace";

/** A guardrail as far as its content filters go. */
export interface FilterSource extends Pick<GuardrailRecord, "content_filters" | "content_filter_builtins"> {
  readonly id: string;
  readonly scope: GuardrailScope;
}

/** One filter of one guardrail. */
export interface ContentFilter {
  readonly guardrailId: string;
  readonly guardrailScope: GuardrailScope;
  readonly action: FilterAction;
  readonly slug?: BuiltinSlug;
  /** The label that the operator gave; of a pattern without one the pattern itself, cut at 256 characters. */
  readonly label: string;
  readonly placeholder: string;
  readonly entityType?: string;
  readonly engine: "regex" | "re2";
}

/** A filter as it runs: once, for all guardrails that have it. */
export interface ActiveFilter {
  readonly filter: TextFilter;
  readonly members: readonly ContentFilter[];
  /** The strongest of its members'. */
  readonly action: FilterAction;
  readonly placeholder: string;
}

/** The filters for one kind of text. */
export interface FilterView {
  readonly filters: readonly ActiveFilter[];
  /** Whether a match may change or stop the text. */
  readonly isEnforced: boolean;
}

export interface ContentFilters {
  /** For messages of users. */
  readonly users: FilterView;
  /** For everything else of the request, and for the response. */
  readonly others: FilterView;
}

const LABEL_CHARS = 256;
const MOST_COMPILED = 1_000;
const compiled = new Map<string, TextFilter & { readonly engine: "v8" | "re2" }>();

/** Compiled once, however many callers have the guardrail. Throws a PatternError. */
function patternFilter(pattern: string) {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const filter = compilePatternFilter(pattern);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(pattern, filter);
  return filter;
}

interface Entry {
  readonly filter: TextFilter;
  readonly member: ContentFilter;
  readonly usersOnly: boolean;
}

/** Undefined where no guardrail has a filter. Throws a PatternError for a pattern that cannot run. */
export function compileContentFilters(sources: readonly FilterSource[]): ContentFilters | undefined {
  const entries = sources.flatMap((source) => [...builtinEntries(source), ...patternEntries(source)]);
  if (entries.length === 0) return undefined;
  return { users: viewOf(entries), others: viewOf(entries.filter(({ usersOnly }) => !usersOnly)) };
}

function builtinEntries({ id, scope, content_filter_builtins: builtins }: FilterSource): readonly Entry[] {
  return (builtins ?? []).map(({ slug, action, label, scan_scope }) => {
    const filter = builtinFilters[slug];
    const member: ContentFilter = {
      guardrailId: id,
      guardrailScope: scope,
      action,
      slug,
      label: label || slug,
      placeholder: filter.placeholder,
      entityType: filter.entityType,
      engine: "regex",
    };
    return { filter, member, usersOnly: scan_scope === "user_only" };
  });
}

function patternEntries({ id, scope, content_filters: patterns }: FilterSource): readonly Entry[] {
  return (patterns ?? []).map(({ pattern, action, label }) => {
    const filter = patternFilter(pattern);
    const member: ContentFilter = {
      guardrailId: id,
      guardrailScope: scope,
      action,
      label: label || truncateStart(pattern, LABEL_CHARS),
      placeholder: label ? `[${label}]` : "[REDACTED]",
      engine: filter.engine === "re2" ? "re2" : "regex",
    };
    return { filter, member, usersOnly: false };
  });
}

const strength: readonly FilterAction[] = ["flag", "redact", "block"];

export const strongerAction = (one: FilterAction, other: FilterAction): FilterAction =>
  strength.indexOf(one) >= strength.indexOf(other) ? one : other;

function viewOf(entries: readonly Entry[]): FilterView {
  const byFilter = new Map<TextFilter, ContentFilter[]>();
  for (const { filter, member } of entries) {
    const members = byFilter.get(filter);
    if (members === undefined) byFilter.set(filter, [member]);
    else members.push(member);
  }
  const filters = [...byFilter].map(([filter, members]): ActiveFilter => ({
    filter,
    members,
    action: members.map(({ action }) => action).reduce(strongerAction),
    placeholder: (members.find(({ action }) => action === "redact") ?? members[0])?.placeholder ?? "",
  }));
  return { filters, isEnforced: filters.some(({ action }) => action !== "flag") };
}
