/** The one search of a request for all of its candidates: made when the first of them needs it. */

import { ApiError } from "../../../../shared/errors.ts";
import * as z from "zod";
import { addUsd, toUsdNumber, ZERO } from "../../../../shared/money.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import type { ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { mapPulled } from "../../../protocols/stream/source.ts";
import type { ConfiguredEngine } from "../../../web/search/configured_engines.ts";
import type { SearchReply } from "../../../web/search/search_client.ts";
import type { CallCost, CallRecord, ModelResponse, RequestContext } from "../../request_context.ts";
import { ToolMemory, type WebSource } from "../../tools/tool_memory.ts";
import { Citations } from "../../tools/web/citations.ts";
import { searchWith } from "../../tools/web/make_search.ts";
import { type WebSearchSettings } from "../../tools/web/web_search_settings.ts";
import type { PluginDeps } from "../plugin.ts";
import { callForPlugin } from "../plugin_call.ts";
import { pluginNote } from "../plugin_note.ts";
import { longestResults, shownResults, type WebResult, withResults } from "./results_message.ts";
import { searchQuery } from "./search_query.ts";

interface SearchOfRequest {
  readonly deps: PluginDeps;
  /** As the plugin got it: the search is no part of a candidate's call. */
  readonly context: RequestContext;
  readonly settings: WebSearchSettings;
  /** Undefined: there is none. */
  readonly engine: ConfiguredEngine | undefined;
}

interface MadeSearch {
  readonly reply: SearchReply;
  readonly call: CallRecord;
}

export class WebSearchOfRequest {
  readonly #options: SearchOfRequest;
  readonly #memory = new ToolMemory();
  // deno-lint-ignore tollgate/kept-promises -- of one request, which fails with it
  #results: Promise<readonly WebResult[]> | undefined;
  #numbered: readonly WebSource[] = [];

  constructor(options: SearchOfRequest) {
    this.#options = options;
  }

  /** The request with what was found; undefined where nothing was. Throws an ApiError where a guardrail blocks it. */
  async addTo(request: ModelRequest, costOf: CallCost): Promise<ModelRequest | undefined> {
    const results = await (this.#results ??= this.#search(() => this.#callWithResults(request, costOf)));
    if (results.length === 0) return undefined;
    const { settings: { prompt }, deps: { clock } } = this.#options;
    return { ...request, input: withResults(request.input, { results, prompt, now: clock.now() }) };
  }

  /** The response with citations of what was found. */
  cite({ endpoint, source }: ModelResponse): ModelResponse {
    if (!this.#memory.hasSources) return { endpoint, source };
    // Brackets around numbers are lists in JSON.
    const isText = this.#options.context.request.format.type === "text";
    const citations = new Citations(this.#memory, isText ? this.#numbered : []);
    const pull = () => mapPulled(source.pull(), (batch) => batch && citations.add(batch));
    return { endpoint, source: { pull, cancel: (reason) => source.cancel(reason) } };
  }

  /** Money that the model's call needs with the longest text that the search may add. */
  #callWithResults(request: ModelRequest, costOf: CallCost): ReservationRequest | undefined {
    const { settings: { prompt, maxResults }, deps: { clock } } = this.#options;
    const results = longestResults(maxResults);
    return costOf({ ...request, input: withResults(request.input, { results, prompt, now: clock.now() }) });
  }

  async #search(callWithResults: () => ReservationRequest | undefined): Promise<readonly WebResult[]> {
    const { context: { request }, engine } = this.#options;
    const query = searchQuery(request.input);
    if (query === "") return this.#foundNothing("found no text of the user to search for.");
    if (engine === undefined) return this.#foundNothing("has no search engine here.");
    const made = await this.#make(engine, { query, before: callWithResults() });
    if (made === undefined) return [];
    const { reply: { result }, call } = made;
    if (result.type === "failed") return this.#foundNothing(`came to nothing. ${result.message}`);
    const results = shownResults(await this.#readByGuard(result.hits, { engine, call }));
    if (results.length === 0) return this.#foundNothing("found nothing.");
    this.#numbered = results.map(({ url, title, text }) => ({ url, title, content: text }));
    for (const source of this.#numbered) this.#memory.addSource(source);
    this.#recordStage({ engine, results: results.length, call });
    return results;
  }

  /** Undefined where it could not be made, or not be paid. */
  async #make(
    engine: ConfiguredEngine,
    { query, before }: Pick<Parameters<typeof searchWith>[1], "query" | "before">,
  ): Promise<MadeSearch | undefined> {
    const { context, deps, settings } = this.#options;
    const { maxResults } = settings;
    try {
      return await callForPlugin(context, {
        deps,
        id: "web",
        isFailed: (made) => made?.reply.result.type === "failed",
        work: async ({ call, signal, purchase }) => {
          const access = { signal, purchase, deps: deps.toolDeps };
          return { reply: await searchWith(engine, { query, maxResults, settings, access, before }), call };
        },
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#foundNothing(`made no search: ${error.message}`);
      return undefined;
    }
  }

  /** Results as the guardrails let them through. Throws an ApiError where they block them. */
  async #readByGuard(
    hits: readonly WebResult[],
    made: Omit<FoundResults, "results">,
  ): Promise<readonly WebResult[]> {
    const guard = this.#options.context.guards?.latest;
    if (guard === undefined) return hits;
    try {
      const found = { output: JSON.stringify(hits), fields: {} };
      const read = await guard.readToolOutput(found, { kind: "web_search", bringer: "plugin web" });
      const parsed = readResults.safeParse(tryParseJson(read.output));
      return parsed.success ? parsed.data : [];
    } catch (error) {
      // It is paid, whatever comes of it.
      this.#recordStage({ ...made, results: 0 });
      throw error;
    }
  }

  #recordStage({ engine, results, call }: FoundResults): void {
    const cost = call.callCosts.reduce((sum, { charge }) => addUsd(sum, charge.total), ZERO);
    this.#options.context.record.addStage({
      type: "plugin",
      name: "web-search",
      summary: `Searched the web with ${engine.engine.name} and gave the model ${
        results === 1 ? "1 result" : `${results} results`
      }.`,
      cost_usd: toUsdNumber(cost),
      data: { engine: engine.id, results },
    });
  }

  #foundNothing(message: string): readonly WebResult[] {
    this.#options.context.record.addNote(pluginNote("web", message));
    return [];
  }
}

interface FoundResults {
  readonly engine: ConfiguredEngine;
  readonly results: number;
  readonly call: CallRecord;
}

const readResults = z.array(
  z.object({ url: z.string(), title: z.string(), text: z.string(), published: z.string().optional() }),
);
