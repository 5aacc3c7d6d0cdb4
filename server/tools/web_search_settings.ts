/** What a request says of its web search, in one form for all spellings of the tool. */

import { isRecord } from "../../shared/util/json.ts";
import type { JsonObject } from "../canonical/item.ts";
import { type DomainRule, type DomainRules, parseDomainRule } from "../../shared/fields/domain_rules.ts";
import { textOf } from "./tool_definition.ts";

export interface WebSearchSettings {
  readonly engine: string | undefined;
  readonly mode: string | undefined;
  /** Of one search, and of all searches of the request. */
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
  const filters = isRecord(settings.filters) ? settings.filters : {};
  const location = isRecord(settings.user_location) ? settings.user_location : {};
  const allowed = [settings.allowed_domains, filters.allowed_domains];
  const excluded = [
    settings.excluded_domains,
    settings.blocked_domains,
    filters.excluded_domains,
    filters.blocked_domains,
  ];
  const country = textOf(location.country)?.toUpperCase();
  return {
    engine: textOf(settings.engine),
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

/** Lists have been checked before (shared/responses/web_search.ts). */
export const rulesIn = (lists: readonly unknown[]): readonly DomainRule[] =>
  lists.flatMap((list) => Array.isArray(list) ? list : [])
    .flatMap((text: unknown) => typeof text === "string" ? parseDomainRule(text) ?? [] : []);
