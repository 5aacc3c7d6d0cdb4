/** Cuts a search to what an engine takes: what is cut is told, and the gateway filters by all of the lists afterwards. */

import { cutWords } from "../../../shared/util/text.ts";
import { queryWithSites, type SearchEngine, type SearchInput, siteOperators } from "./engine.ts";

interface FittedSearch {
  readonly input: SearchInput;
  /** A sentence for each thing that was cut. */
  readonly cuts: readonly string[];
}

type Domains = Pick<SearchInput, "allowedDomains" | "excludedDomains">;

/** The same search within the limits of an engine. */
export function fitSearch(engine: SearchEngine, input: SearchInput): FittedSearch {
  const { limits } = engine;
  const wanted: Domains = {
    allowedDomains: input.allowedDomains.filter(isPlainHost).slice(0, limits.allowedDomains),
    excludedDomains: input.excludedDomains.filter(isPlainHost).slice(0, limits.excludedDomains),
  };
  const inQuery = limits.domains === "query";
  const query = fitQuery(input.query.trim(), { limits, operators: inQuery ? siteOperators(wanted) : "" });
  const domains = inQuery ? fitOperators(wanted, { limits, query }) : wanted;
  const country = isKnownCountry(engine, input.country) ? input.country : undefined;
  const maxResults = Math.min(input.maxResults, engine.maxResults);
  const fitted: SearchInput = { ...input, ...domains, query, country, maxResults };
  return { input: fitted, cuts: cutsOf(engine, { before: input, after: fitted }) };
}

/** Names of the public Internet: engines refuse a list with anything else in it. */
const PLAIN_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

const isPlainHost = (host: string): boolean => host.length <= 253 && PLAIN_HOST.test(host);

const isKnownCountry = ({ limits: { countries } }: SearchEngine, country: string | undefined): boolean =>
  country === undefined || countries === undefined || countries.has(country);

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

type Limits = SearchEngine["limits"];

/** Operators of its domains share the room of a query; the query has half of it at least. */
function fitQuery(
  query: string,
  { limits, operators }: { readonly limits: Limits; readonly operators: string },
): string {
  const { queryCharacters, queryWords = Infinity } = limits;
  const taken = operators === "" ? 0 : operators.length + 1;
  const mostCharacters = Math.max(Math.ceil(queryCharacters / 2), queryCharacters - taken);
  const mostWords = Math.max(Math.ceil(queryWords / 2), queryWords - wordsOf(operators).length);
  const kept = wordsOf(query);
  return cutWords(kept.length > mostWords ? kept.slice(0, mostWords).join(" ") : query, mostCharacters);
}

/** As many domains as there is room for behind the query. */
function fitOperators(
  wanted: Domains,
  { limits, query }: { readonly limits: Limits; readonly query: string },
): Domains {
  const fits = (domains: Domains): boolean => {
    const text = queryWithSites({ query, ...domains });
    return text.length <= limits.queryCharacters && wordsOf(text).length <= (limits.queryWords ?? Infinity);
  };
  const first = (count: number): Domains => ({
    allowedDomains: wanted.allowedDomains.slice(0, count),
    excludedDomains: wanted.excludedDomains.slice(0, count),
  });
  let count = 0;
  const most = Math.max(wanted.allowedDomains.length, wanted.excludedDomains.length);
  while (count < most && fits(first(count + 1))) count++;
  return first(count);
}

interface Fitting {
  readonly before: SearchInput;
  readonly after: SearchInput;
}

function cutsOf({ name }: SearchEngine, { before, after }: Fitting): readonly string[] {
  const cuts: string[] = [];
  if (after.query !== before.query.trim()) {
    cuts.push(`The query is longer than ${name} takes: it was cut to "${after.query}".`);
  }
  for (const list of ["allowedDomains", "excludedDomains"] as const) {
    const [wanted, sent] = [before[list].length, after[list].length];
    if (wanted === sent) continue;
    const word = list === "allowedDomains" ? "allowed" : "excluded";
    cuts.push(
      `${name} was told ${sent} of the ${wanted} ${word} domains; the results were filtered by all of them.`,
    );
  }
  if (after.country !== before.country) {
    cuts.push(`${name} does not search by the country ${before.country}: it was left out.`);
  }
  return cuts;
}
