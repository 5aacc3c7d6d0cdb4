/** The content filters of all guardrails that hold for a caller, ready to run. */

import type { BuiltinSlug, FilterResult, GuardrailRecord } from "../../../shared/guardrails.ts";
import type { ExternalGuardrail } from "../../../shared/external_guardrail.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import { builtinFilters } from "./builtins/mod.ts";
import { type FilterAction, strengthOf, strongerAction } from "./filter_strength.ts";
import { compilePatternFilter, type PatternFilter } from "./patterns/pattern_filter.ts";
import { readEscapes } from "./read_escapes.ts";
import type { TextFilter } from "./text_filter.ts";
import type { Work } from "../../../shared/util/run_work.ts";
import { type Exceptions, exceptionsOf, wordFilter } from "./word_filter.ts";

export type GuardrailScope = "api-key" | "member" | "workspace";

/** A guardrail as far as its content filters go. */
export interface FilterSource
  extends Pick<GuardrailRecord, "content_filters" | "content_filter_builtins">, FilteringGuardrail {
  readonly unreadable?: GuardrailRecord["unreadable"];
  readonly words?: GuardrailRecord["words"];
  readonly words_action?: GuardrailRecord["words_action"];
  readonly except?: GuardrailRecord["except"];
  readonly external?: GuardrailRecord["external"];
}

/** A guardrail that reads requests. */
export interface FilteringGuardrail {
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
  readonly engine: "regex" | "http";
}

/** A filter as it runs: once, for all guardrails that have it. */
export interface ActiveFilter {
  readonly filter: TextFilter;
  readonly members: readonly ContentFilter[];
  /** The strongest of its members'. */
  readonly action: FilterAction;
  readonly placeholder: string;
  /** Where its matches do not count. */
  readonly exceptions?: Exceptions;
  /** Makes the replacement of a match, where it depends on the match's text. */
  readonly replace?: (text: string) => string;
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
  /** For everything else of the request, and for results of tools. */
  readonly others: FilterView;
  /** The same for responses, in which nothing is masked: a provider has made them. */
  readonly outputs: FilterView;
  /** Services that judge what the filters let through, one after the other. */
  readonly external: readonly (FilteringGuardrail & { readonly service: ExternalGuardrail })[];
  /** Guardrails that have a filter or block what cannot be read. */
  readonly guardrails: readonly FilteringGuardrail[];
  /** Guardrails that block what cannot be read. */
  readonly unreadable: readonly FilteringGuardrail[];
}

export const LABEL_CHARS = 256;
const MOST_COMPILED = 1_000;
const compiled = new Map<string, PatternFilter>();

/** Compiled once, however many callers have the guardrail. */
function patternFilter(pattern: string): PatternFilter {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const filter = compileStored(pattern);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(pattern, filter);
  return filter;
}

/** A pattern that was stored and is none finds nothing and fails: then nothing goes on. */
function compileStored(pattern: string): PatternFilter {
  try {
    return compilePatternFilter(pattern);
  } catch (error) {
    const fail = () => {
      throw error;
    };
    const reach = { maxMatch: null, lookAhead: 0, lookBehind: 0, spansSpace: true };
    return { ...reach, engine: "linear", find: fail, search: fail };
  }
}

/** Gets the patterns of guardrails ready, with pauses: the largest take a moment each. */
export function* preparePatterns(sources: readonly FilterSource[]): Work<void> {
  for (const source of sources) {
    if (source.words && source.words.length > 0) wordsOf(source.words);
    yield;
    exceptionsFor(source);
    yield;
    for (const { pattern } of source.content_filters ?? []) {
      patternFilter(pattern);
      yield;
    }
  }
}

/** How long its matches can be; null where there is no bound. */
export const patternMaxMatch = (pattern: string): number | null => patternFilter(pattern).maxMatch;

/** Filters by their list as JSON: guardrails with the same list share one. */
const wordLists = new Map<string, TextFilter>();
const exceptionLists = new Map<string, Exceptions>();

function kept<T>(lists: Map<string, T>, { key, make }: { readonly key: string; readonly make: () => T }): T {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (lists.size >= MOST_LISTS) lists.clear();
  lists.set(key, made);
  return made;
}

const MOST_LISTS = 200;

const wordsOf = (words: readonly string[]): TextFilter =>
  kept(wordLists, { key: JSON.stringify(words), make: () => wordFilter(words) });

function exceptionsFor({ except }: FilterSource): Exceptions | undefined {
  if (!except || except.length === 0) return undefined;
  return kept(exceptionLists, { key: JSON.stringify(except), make: () => exceptionsOf(except) });
}

interface Entry {
  readonly exceptions: Exceptions | undefined;
  readonly filter: TextFilter;
  readonly member: ContentFilter;
  readonly usersOnly: boolean;
}

/** Undefined where no guardrail has a filter or blocks what cannot be read. */
export function compileContentFilters(sources: readonly FilterSource[]): ContentFilters | undefined {
  const entries = sources.flatMap((source) => {
    const exceptions = exceptionsFor(source);
    const own = [...builtinEntries(source), ...patternEntries(source), ...wordEntries(source)];
    return own.map((entry) => ({ ...entry, exceptions }));
  });
  const guardrails = sources.filter(doesRead).map(({ id, scope }) => ({ id, scope }));
  if (guardrails.length === 0) return undefined;
  const others = entries.filter(({ usersOnly }) => !usersOnly);
  return {
    users: viewOf(entries),
    others: viewOf(others),
    outputs: viewOf(others.filter(({ member }) => member.action !== "mask")),
    guardrails,
    external: sources.flatMap(({ id, scope, external }) =>
      external ? [{ id, scope, service: external }] : []
    ),
    unreadable: sources.filter(({ unreadable }) => unreadable === "block").map(({ id, scope }) => ({
      id,
      scope,
    })),
  };
}

const doesRead = (source: FilterSource): boolean =>
  [source.content_filters, source.content_filter_builtins, source.words].some((list) =>
    list && list.length > 0
  ) ||
  source.unreadable === "block" || Boolean(source.external);

type FilterEntry = Omit<Entry, "exceptions">;

/** The name of a match in metadata and receipts, which do not contain the word itself. */
const WORDS_LABEL = "words";

function wordEntries(
  { id, scope, words, words_action: action = "block" }: FilterSource,
): readonly FilterEntry[] {
  if (!words || words.length === 0) return [];
  const member: ContentFilter = {
    guardrailId: id,
    guardrailScope: scope,
    action,
    label: WORDS_LABEL,
    placeholder: placeholderOf(null),
    engine: "regex",
  };
  return readBothWays(wordsOf(words), member);
}

function builtinEntries(
  { id, scope, content_filter_builtins: builtins }: FilterSource,
): readonly FilterEntry[] {
  return (builtins ?? []).map(({ slug, action, label, scan_scope }) => {
    const filter = builtinFilters[slug];
    const member: ContentFilter = {
      guardrailId: id,
      guardrailScope: scope,
      action,
      slug,
      label: label || slug,
      placeholder: label ? placeholderOf(label) : filter.placeholder,
      entityType: filter.entityType,
      engine: "regex",
    };
    return { filter, member, usersOnly: scan_scope === "user_only" };
  });
}

function patternEntries({ id, scope, content_filters: patterns }: FilterSource): readonly FilterEntry[] {
  return (patterns ?? []).flatMap(({ pattern, action, label }) => {
    const filter = patternFilter(pattern);
    const member: ContentFilter = {
      guardrailId: id,
      guardrailScope: scope,
      action,
      label: label || truncateStart(pattern, LABEL_CHARS),
      placeholder: placeholderOf(label),
      engine: "regex",
    };
    return readBothWays(filter, member);
  });
}

/** Texts as they stand, and as a program reads them that takes them for JSON. */
const readBothWays = (filter: TextFilter, member: ContentFilter): readonly FilterEntry[] =>
  [filter, readEscapes(filter)].map((one) => ({ filter: one, member, usersOnly: false }));

/** Name of a filter in results: its slug, or the label of its pattern. */
export const nameOf = ({ slug, label }: ContentFilter): Pick<FilterResult, "slug" | "label"> =>
  slug === undefined ? { label } : { slug };

/** A label that stands in brackets already keeps them. */
function placeholderOf(label: string | null | undefined): string {
  if (!label) return "[REDACTED]";
  return label.startsWith("[") && label.endsWith("]") ? label : `[${label}]`;
}

/** A block needs none, so what is redacted or masked names it. */
const byPlaceholder = (one: ContentFilter, other: ContentFilter): number =>
  placeholderRank(other) - placeholderRank(one);
const placeholderRank = (filter: ContentFilter) => filter.action === "block" ? -1 : strengthOf(filter);

function viewOf(entries: readonly Entry[]): FilterView {
  const groups: { filter: TextFilter; exceptions: Exceptions | undefined; members: ContentFilter[] }[] = [];
  const byFilter = new Map<TextFilter, typeof groups>();
  for (const { filter, exceptions, member } of entries) {
    const own = byFilter.get(filter) ?? [];
    byFilter.set(filter, own);
    const group = own.find((one) => one.exceptions === exceptions);
    if (group !== undefined) group.members.push(member);
    else {
      const added = { filter, exceptions, members: [member] };
      own.push(added);
      groups.push(added);
    }
  }
  const filters = groups.map(({ members, ...group }): ActiveFilter => ({
    ...group,
    members,
    action: members.map(({ action }) => action).reduce(strongerAction),
    placeholder: members.toSorted(byPlaceholder)[0]?.placeholder ?? "",
  }));
  return { filters, isEnforced: filters.some(({ action }) => action !== "flag") };
}
