/** From an engine's answer to results, or to a sentence that says what went wrong. */

import { tryParseJson } from "../../../shared/util/json.ts";
import { type DomainRules, isAllowedUrl } from "../../../shared/fields/domain_rules.ts";
import { cutWhole } from "../../../shared/util/text.ts";
import { visibleText } from "../../../shared/util/visible_text.ts";
import { isTellable } from "../fetch/fetch_target.ts";
import type { SearchEngine, SearchHit } from "./engine.ts";

interface SearchAnswer {
  readonly status: number;
  readonly text: string;
}

export interface ResultLimits {
  readonly maxResults: number;
  /** Most characters of one result. */
  readonly maxCharacters?: number;
  readonly domains: DomainRules;
  /** Hosts of the operator's, which may be told though they are not on the public Internet. */
  readonly allowedHosts?: readonly string[];
}

export type SearchResult =
  /** `found`: results that the engine sent, of which `hits` may have less. */
  | { readonly type: "hits"; readonly hits: readonly SearchHit[]; readonly found: number }
  /** One sentence, without anything that the engine said. */
  | { readonly type: "failed"; readonly message: string };

/** Meanings that statuses have everywhere. */
const failures: ReadonlyMap<number, string> = new Map([
  [400, "It refuses the search"],
  [401, "Its key is missing or wrong"],
  [402, "Its account has no credit left"],
  [403, "Its key may not search"],
  [404, "There is no search at its address"],
  [422, "It refuses the search"],
  [429, "Its rate limit is reached"],
]);

export function parseSearchResponse(
  engine: SearchEngine,
  { answer, limits }: { readonly answer: SearchAnswer; readonly limits: ResultLimits },
): SearchResult {
  const { name } = engine;
  const { status, text } = answer;
  if (status !== 200) {
    const why = engine.failures?.get(status) ?? failures.get(status) ?? "It does not work at the moment";
    return { type: "failed", message: `The search with ${name} failed: ${why} (status ${status}).` };
  }
  const hits = engine.parseHits(tryParseJson(text));
  if (hits === undefined) {
    const message = `The search with ${name} failed: it answers with something else than results.`;
    return { type: "failed", message };
  }
  return { type: "hits", hits: limited(hits, limits), found: hits.length };
}

/** Without characters that only a model would read; in an address they are written as escapes. */
function shown({ url, title, text, published }: SearchHit): SearchHit {
  return {
    url: visibleText(url) === url ? url : URL.parse(url)?.href ?? "",
    title: visibleText(title),
    text: visibleText(text),
    published: published && visibleText(published),
  };
}

/** Each address once, and only those that the lists allow and that may be told. */
function limited(
  hits: readonly SearchHit[],
  { maxResults, maxCharacters = Infinity, domains, allowedHosts = [] }: ResultLimits,
): readonly SearchHit[] {
  const seen = new Set<string>();
  const kept = hits.filter(({ url }) => {
    const isNew = !seen.has(url);
    seen.add(url);
    return isNew && isAllowedUrl(url, domains) && isTellable(url, { allowedHosts });
  });
  return kept.slice(0, maxResults).map(shown).map((hit) => ({
    ...hit,
    text: cutWhole(hit.text, maxCharacters),
  }));
}
