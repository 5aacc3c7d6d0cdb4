/** Settings of a request's web search, in one form for all spellings of the tool. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import {
  type DomainRule,
  type DomainRules,
  parseDomainRule,
} from "../../../../shared/fields/domain_rules.ts";
import { type SettingsIssue, textOf } from "../tool_definition.ts";

export interface WebSearchSettings {
  readonly engine: string | undefined;
  readonly mode: string | undefined;
  /** Limits of one search, and of all searches of the request. */
  readonly maxResults: number;
  readonly maxTotalResults: number;
  readonly maxUses: number;
  /** UTF-16 units of the text of one result; undefined: as much as the engine gives. */
  readonly maxCharacters: number | undefined;
  readonly domains: DomainRules;
  /** ISO 3166-1 alpha-2, in capitals. */
  readonly country: string | undefined;
  /** Told to the model with the tool. */
  readonly prompt: string | undefined;
}

const DEFAULT_RESULTS = 5;
const DEFAULT_TOTAL = 50;

/** UTF-16 units of the text of one result. */
const contextSizes: ReadonlyMap<string, number> = new Map([
  ["low", 1_000],
  ["medium", 3_000],
  ["high", 10_000],
]);

export function webSearchSettings(settings: JsonObject): WebSearchSettings {
  const location = isRecord(settings.user_location) ? settings.user_location : {};
  const listsOf = (fields: readonly string[]) =>
    domainLists(settings).filter(({ field }) => fields.some((name) => field.endsWith(name)))
      .map(({ list }) => list);
  const allowed = listsOf(["allowed_domains"]);
  const excluded = listsOf(["excluded_domains", "blocked_domains"]);
  const country = textOf(location.country)?.toUpperCase();
  return {
    engine: typeof settings.engine === "string" ? settings.engine : undefined,
    mode: textOf(settings.mode),
    maxResults: positive(settings.max_results) ?? DEFAULT_RESULTS,
    maxTotalResults: positive(settings.max_total_results) ?? DEFAULT_TOTAL,
    maxUses: positive(settings.max_uses) ?? Infinity,
    maxCharacters: positive(settings.max_characters) ??
      contextSizes.get(textOf(settings.search_context_size) ?? ""),
    domains: { allowed: rulesIn(allowed), excluded: rulesIn(excluded) },
    country: country !== undefined && /^[A-Z]{2}$/.test(country) ? country : undefined,
    prompt: textOf(settings.search_prompt),
  };
}

export const positive = (value: unknown): number | undefined =>
  Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined;

const listNames = ["allowed_domains", "excluded_domains", "blocked_domains"] as const;

interface DomainList {
  readonly field: string;
  readonly list: unknown;
}

/** Every list of domains in the settings of a tool that reaches the web. */
function domainLists(settings: JsonObject): readonly DomainList[] {
  const filters = isRecord(settings.filters) ? settings.filters : {};
  return listNames.flatMap((field): readonly DomainList[] => [
    { field, list: settings[field] },
    { field: `filters.${field}`, list: filters[field] },
  ]);
}

/** A list that is none, or has an entry that is no domain: read without it, it would say something else. */
export function domainIssue(settings: JsonObject): SettingsIssue | undefined {
  for (const { field, list } of domainLists(settings)) {
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) return { field, message: "is not a list of domains." };
    const position = list.findIndex((text: unknown) =>
      typeof text !== "string" || parseDomainRule(text) === undefined
    );
    if (position !== -1) {
      return { field: `${field}[${position}]`, message: "is no domain, such as example.com/docs." };
    }
  }
  return undefined;
}

/** Lists have been checked before ({@link domainIssue}). */
export const rulesIn = (lists: readonly unknown[]): readonly DomainRule[] =>
  lists.flatMap((list) => Array.isArray(list) ? list : [])
    .flatMap((text: unknown) => typeof text === "string" ? parseDomainRule(text) ?? [] : []);
