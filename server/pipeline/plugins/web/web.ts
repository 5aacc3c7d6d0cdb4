/**
 * The plugin `web`: one search before the first call of the model, by the provider where it has a search of its own, else
 * by an engine of the gateway (docs/plugins.md). `:online` and `web_search_options` are the same with its defaults.
 */

import { ApiError } from "../../../../shared/errors.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { ConfiguredEngine } from "../../../web/search/configured_engines.ts";
import { searchCost } from "../../../web/search/search_cost.ts";
import type { CallCost, CandidatePlugin, RequestContext, StageRecord } from "../../request_context.ts";
import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import { definitionOf } from "../../tools/tool_plan.ts";
import { engineFor, engineIssue } from "../../tools/web/make_search.ts";
import { unsupportedSettings, xSearchTool } from "../../tools/web/native_search.ts";
import { webSearchSettings } from "../../tools/web/web_search_settings.ts";
import type {
  PluginCheck,
  PluginDefinition,
  PluginDeps,
  PluginExplained,
  PluginFault,
  PluginPurchases,
} from "../plugin.ts";
import type { PluginOptions, PluginUse } from "../plugin_use.ts";
import { nativeRequest, withSearchOptions } from "./native_request.ts";
import { searchQuery } from "./search_query.ts";
import { searchOptionsOf, toolSettings } from "./web_settings.ts";
import { WebSearchOfRequest } from "./web_search_of_request.ts";

type WebUse = PluginUse<PluginOptions<"web">>;

export const web: PluginDefinition<PluginOptions<"web">> = {
  askedBy: (request) => searchOptionsOf(request) === undefined ? undefined : { id: "web" },
  check,
  choose: (use, { request, deps, candidates, limited }) =>
    offersSearch(request)
      ? candidates
      : candidatesFor(use, { ...chooseSearch(use, { request, deps, limited }), request, candidates }),
  purchases,
  stage: (use, deps) => (next) => async (context) => {
    if (offersSearch(context.request)) return await next(context);
    const plugin = new WebOfRequest(use, { deps, context });
    const { candidatePlugins = [] } = context;
    return plugin.search.cite(await next({ ...context, candidatePlugins: [...candidatePlugins, plugin] }));
  },
  explain,
};

/** The model searches with the tool, as often as it wants; not where it may call none. */
const offersSearch = ({ tools, toolChoice }: ModelRequest): boolean =>
  toolChoice?.type !== "none" && tools.some((tool) => definitionOf(tool)?.kind === "web_search");

function check({ options }: WebUse, { request, deps }: PluginCheck): PluginFault | undefined {
  return offersSearch(request)
    ? undefined
    : engineIssue(toolSettings(options, request), deps.toolDeps.web.engines);
}

interface ChosenSearch {
  readonly settings: JsonObject;
  readonly engine: ConfiguredEngine | undefined;
}

interface Choice {
  readonly request: ModelRequest;
  readonly deps: Pick<PluginDeps, "toolDeps">;
  /** The caller has a spending limit. */
  readonly limited: boolean;
}

function chooseSearch({ options }: WebUse, { request, deps, limited }: Choice): ChosenSearch {
  const settings = toolSettings(options, request);
  const { engines } = deps.toolDeps.web;
  return { settings, engine: engineFor(webSearchSettings(settings), { engines, limited }) };
}

interface SearchingRequest extends ChosenSearch {
  readonly request: ModelRequest;
}

/** The candidates that can search as the request names it. Throws an ApiError (400) where none can. */
function candidatesFor(
  { origin, path }: WebUse,
  { candidates, request, settings, engine }: SearchingRequest & {
    readonly candidates: readonly RouteCandidate[];
  },
): readonly RouteCandidate[] {
  if (origin !== "request" || engine !== undefined) return candidates;
  const able = candidates.filter(({ profile: { endpoint } }) =>
    nativeRequest(request, { endpoint, settings }) !== undefined
  );
  if (able.length > 0) return able;
  const wants = settings.engine === "native"
    ? "wants the provider's own search, and no provider that may serve the request has one that takes its settings."
    : "needs a search engine, and none that may be used is switched on here. " +
      "Set SEARXNG_URL or the key of a search engine; docs/server-tools.md lists them.";
  throw new ApiError("invalid_request", `${path} (web) ${wants}`, { metadata: { path } });
}

/** The part that depends on the endpoint. */
class WebOfRequest implements CandidatePlugin {
  readonly search: WebSearchOfRequest;
  readonly #use: WebUse;
  readonly #chosen: SearchingRequest;
  #stage: StageRecord | undefined;

  constructor(
    use: WebUse,
    { deps, context }: { readonly deps: PluginDeps; readonly context: RequestContext },
  ) {
    const { request, billing } = context;
    const chosen = chooseSearch(use, { request, deps, limited: (billing?.limits.length ?? 0) > 0 });
    this.#use = use;
    this.#chosen = { ...chosen, request };
    const settings = webSearchSettings(chosen.settings);
    this.search = new WebSearchOfRequest({ deps, context, settings, engine: chosen.engine });
  }

  choose(candidates: readonly RouteCandidate[]): readonly RouteCandidate[] {
    return candidatesFor(this.#use, { ...this.#chosen, candidates });
  }

  async edit(
    { request, endpoint, variants, record, call }: RequestContext,
    costOf: CallCost,
  ): Promise<ModelRequest> {
    const isWanted = this.#use.origin !== "online" || variants?.has("online") === true;
    if (endpoint === undefined || !isWanted) return request;
    const native = nativeRequest(request, { endpoint, settings: this.#chosen.settings });
    if (native !== undefined) {
      this.#recordNative(record, endpoint);
      this.#tellLeftOut(call, [
        ...unsupportedSettings(endpoint),
        ...xSearchTool(endpoint, this.#chosen.settings.x_search) === undefined ? ["x_search"] : [],
      ]);
      return native;
    }
    this.#tellLeftOut(call, ["x_search"]);
    const found = await this.search.addTo(request, costOf);
    return found === undefined ? request : withSearchOptions(found, undefined);
  }

  /** Names those of the settings that are set: who searches has no words for them. */
  #tellLeftOut({ dropped }: RequestContext["call"], fields: readonly string[]): void {
    for (const field of fields) {
      const told = `plugin web: ${field}`;
      const isSet = ownValue(this.#chosen.settings, field) !== undefined;
      if (isSet && !dropped.includes(told)) dropped.push(told);
    }
  }

  #recordNative(record: RequestContext["record"], { provider: { name } }: Endpoint): void {
    const stage: StageRecord = {
      type: "plugin",
      name: "web-search",
      summary: `Left it to ${name} to search the web itself.`,
      data: { engine: "native" },
    };
    record.addStage(stage, this.#stage);
    this.#stage = stage;
  }
}

function explain(use: WebUse, { request, deps, candidates, limited }: PluginExplained): string {
  if (offersSearch(request)) return "leave the search to the tool web_search, which the request offers";
  const chosen = chooseSearch(use, { request, deps, limited });
  try {
    const [first] = candidatesFor(use, { ...chosen, request, candidates });
    return explainAt(use, { ...chosen, request, first });
  } catch (error) {
    if (error instanceof ApiError) return `refuse the request (${error.status}): ${error.message}`;
    throw error;
  }
}

/** The search of the engine that explain names. */
function purchases(
  use: WebUse,
  { request, deps, candidates: [first], limited }: PluginExplained,
): PluginPurchases | undefined {
  if (first === undefined || offersSearch(request) || searchQuery(request.input) === "") return undefined;
  const { profile: { endpoint }, model: { variants } } = first;
  if (use.origin === "online" && !variants.has("online")) return undefined;
  const { settings, engine } = chooseSearch(use, { request, deps, limited });
  if (engine === undefined || nativeRequest(request, { endpoint, settings }) !== undefined) return undefined;
  const cost = searchCost(engine.engine, { input: webSearchSettings(settings), price: engine.price });
  return cost === undefined ? undefined : { cost, isOptional: true };
}

function explainAt(
  { origin }: WebUse,
  { settings, engine, request, first }: SearchingRequest & { readonly first: RouteCandidate | undefined },
): string {
  if (first === undefined) return "do nothing: no endpoint may serve the request";
  const { profile: { endpoint }, model: { variants } } = first;
  if (origin === "online" && !variants.has("online")) return "do nothing for the model that is asked first";
  if (nativeRequest(request, { endpoint, settings }) !== undefined) {
    return `have ${endpoint.provider.name} search the web itself`;
  }
  if (engine === undefined) return "do nothing: it has no search engine here";
  // Its words are not shown: guardrails, which are not asked here, may mask some of them.
  return searchQuery(request.input) === ""
    ? "do nothing: it found no text of the user to search for"
    : `search the web with ${engine.engine.name} for the user's latest text`;
}
