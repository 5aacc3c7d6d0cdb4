/** Describes a search engine: how it is asked and how its answer is read. Nothing here connects to anything. */

import * as z from "zod";
import type { JsonObject } from "../../protocols/canonical/item.ts";

export interface SearchInput {
  readonly query: string;
  readonly maxResults: number;
  /** Most characters of one result; the engine's own default where it is not set. */
  readonly maxCharacters?: number;
  /** Names of hosts with all below them: no wildcards and no paths. At most one of the two lists has any. */
  readonly allowedDomains: readonly string[];
  readonly excludedDomains: readonly string[];
  /** Country of the user: ISO 3166-1 alpha-2, in capitals. */
  readonly country?: string;
  /** How thoroughly, in the engine's own words; unknown ones are left out. */
  readonly mode?: string;
}

export interface EngineTarget {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Empty for an engine that needs none. */
  readonly key: string;
}

interface SearchRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

export interface SearchHit {
  readonly url: string;
  readonly title: string;
  /** Text that the engine quotes of the page. */
  readonly text: string;
  /** As the engine writes it. */
  readonly published?: string;
}

/** The price that an engine's operator charges for a search that it answers, in USD as decimal strings. */
interface SearchPrice {
  readonly search: string;
  /** Prices of modes that cost something else. */
  readonly modes?: ReadonlyMap<string, string>;
  /** For each result beyond {@link INCLUDED_RESULTS}. */
  readonly furtherResult?: string;
  readonly source: string;
  /** When the source was read, YYYY-MM-DD or YYYY-MM; absent for what nobody else sets. */
  readonly date?: string;
}

export const INCLUDED_RESULTS = 10;

/** The limits of an engine, by its own documents; `fitSearch` cuts to them. */
export interface SearchLimits {
  /** UTF-16 units. */
  readonly queryCharacters: number;
  readonly queryWords?: number;
  /** Domains are fields of the request, or operators of the query and so a part of its length. */
  readonly domains: "fields" | "query";
  /** Most domains of one search; operators of the query have its length alone. */
  readonly allowedDomains?: number;
  readonly excludedDomains?: number;
  /** ISO 3166-1 alpha-2, in capitals; absent: every country. */
  readonly countries?: ReadonlySet<string>;
}

export const NO_COUNTRIES: ReadonlySet<string> = new Set();

/** The longest query of engines that do not say how long one may be. */
export const UNSTATED_CHARACTERS = 2_000;

export interface SearchEngine {
  readonly name: string;
  /** Undefined where the operator runs it. */
  readonly baseUrl: string | undefined;
  /** Results that one search gives at most. */
  readonly maxResults: number;
  readonly limits: SearchLimits;
  /** Null: it has none that is the same for everybody. */
  readonly price: SearchPrice | null;
  /** Renders the request for an input that is within its limits. */
  readonly renderRequest: (input: SearchInput, target: EngineTarget) => SearchRequest;
  /** Undefined for what is no answer of this engine. */
  readonly parseHits: (json: unknown) => readonly SearchHit[] | undefined;
  /** Meanings of statuses here, where they differ from the usual ones. */
  readonly failures?: ReadonlyMap<number, string>;
}

/** A list of results without the entries that are none: one that is broken costs nobody the others. */
export const readableResults = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(z.unknown()).transform((list, context): readonly z.output<Entry>[] => {
    const read = list.flatMap((one) => {
      const { success, data } = entry.safeParse(one);
      return success ? [data] : [];
    });
    if (list.length > 0 && read.length === 0) context.addIssue("no entry is a result");
    return read;
  });

type OptionalFields = Readonly<Record<string, JsonObject[string] | undefined>>;

interface JsonPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Fields that are undefined are left out. */
  readonly body: OptionalFields;
}

export function jsonPost({ url, headers, body }: JsonPost): SearchRequest {
  const fields = Object.entries(body).filter((field): field is [string, JsonObject[string]] =>
    field[1] !== undefined
  );
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: Object.fromEntries(fields),
  };
}

/** A list as a field of a request: engines refuse empty ones. */
export const listed = (names: readonly string[]): readonly string[] | undefined =>
  names.length === 0 ? undefined : names;

/** The word where the engine knows it. */
export const known = (words: readonly string[], word: string | undefined): string | undefined =>
  word !== undefined && words.includes(word) ? word : undefined;

/** Domains as operators of a query; empty where there are none. */
export function siteOperators(
  { allowedDomains, excludedDomains }: Pick<SearchInput, "allowedDomains" | "excludedDomains">,
): string {
  const allowed = allowedDomains.map((domain) => `site:${domain}`).join(" OR ");
  const excluded = excludedDomains.map((domain) => `-site:${domain}`);
  return [allowedDomains.length > 1 ? `(${allowed})` : allowed, ...excluded].filter(Boolean).join(" ");
}

/** For engines that take domains so. */
export function queryWithSites(
  input: Pick<SearchInput, "query" | "allowedDomains" | "excludedDomains">,
): string {
  return [input.query, siteOperators(input)].filter(Boolean).join(" ");
}
