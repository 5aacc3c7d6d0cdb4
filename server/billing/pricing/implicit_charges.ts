/**
 * Finds what a body costs beside its prompt and one answer: by keys that an endpoint's row lets through to its
 * provider, and by what some models do on their own.
 */

import { DEFAULT_SEARCHES } from "./cost_bound.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";

export interface ImplicitCharges {
  readonly searches: number;
  readonly sources: number;
  readonly answers: number;
  readonly promptRereads: number;
}

/** Number of sources that xAI uses by default; it charges each as a search. */
const SOURCES = 20;
/** Queries that Perplexity's research has been seen to make for one answer, with room. */
const RESEARCHED = 64;
const MOST = 1_000;

/** Models that search whatever is asked. */
const searching = /sonar|search-(?:preview|api)/i;
const researching = /deep-research/i;

export function implicitCharges(body: JsonObject, model: string): ImplicitCharges {
  const { web_search_options: web, search_parameters: live, disable_search: off, context_management: edits } =
    body;
  const looks = web !== undefined || (searching.test(model) && off !== true) || isOn(live);
  const sources = isOn(live) ? countIn(live.max_search_results, SOURCES) : 0;
  // Condensing the conversation is an answer of its own, to a prompt of its own.
  const condensed = edits !== undefined && JSON.stringify(edits).includes("compact") ? 1 : 0;
  const several = Math.max(countIn(body.n, 1), countIn(body.best_of, 1), countIn(body.num_generations, 1));
  return {
    searches: looks ? DEFAULT_SEARCHES : 0,
    sources: researching.test(model) ? Math.max(sources, RESEARCHED) : sources,
    answers: several + condensed,
    promptRereads: condensed,
  };
}

const isOn = (live: unknown): live is JsonObject =>
  typeof live === "object" && live !== null && !("mode" in live && live.mode === "off");

const countIn = (reported: unknown, fallback: number): number =>
  typeof reported === "number" && reported >= 1 ? Math.min(Math.ceil(reported), MOST) : fallback;
