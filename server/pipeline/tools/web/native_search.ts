/** Searches that a provider makes itself: where it has them, and how they are asked for. */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { HostedTool, ModelRequest, Tool } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { webSearchSettings } from "./web_search_settings.ts";

/** One of the operator's. */
export function namesEngine(settings: JsonObject): boolean {
  const { engine = "auto" } = webSearchSettings(settings);
  return engine !== "auto" && engine !== "native";
}

/** Its price list has searches: it makes them, and what they cost is known. */
export function sellsSearches({ pricing, provider: { builtIn } }: Endpoint): boolean {
  return builtIn !== true && pricing?.webSearch !== undefined;
}

/** Settings that a provider's own search does not know decide for an engine. */
export function nativeAt(endpoint: Endpoint, settings: JsonObject): HostedTool | undefined {
  if (namesEngine(settings) || !sellsSearches(endpoint)) return undefined;
  return searchTool(endpoint.provider.wire, settings);
}

/** A wire's own tool with these settings; undefined where it has no words for them. */
export function searchTool(wire: HostedTool["wire"], settings: JsonObject): HostedTool | undefined {
  const { user_location, search_context_size, max_uses } = settings;
  const { allowed_domains: allowed, excluded_domains: excluded } = settings;
  const hasExcluded = isFilled(excluded);
  const common = user_location === undefined ? {} : { user_location };
  switch (wire) {
    case "responses": {
      if (hasExcluded) return undefined;
      const filters = allowed === undefined ? {} : { filters: { allowed_domains: allowed } };
      const size = search_context_size === undefined ? {} : { search_context_size };
      return hostedTool("responses", { type: "web_search", ...filters, ...size, ...common });
    }
    case "messages": {
      if (hasExcluded && allowed !== undefined) return undefined;
      const uses = max_uses === undefined ? {} : { max_uses };
      const domains = allowed !== undefined
        ? { allowed_domains: allowed }
        : excluded === undefined
        ? {}
        : { blocked_domains: excluded };
      return hostedTool("messages", {
        type: "web_search_20250305",
        name: "web_search",
        ...uses,
        ...domains,
        ...common,
      });
    }
    case "gemini":
      return hasExcluded || isFilled(allowed) ? undefined : googleSearch;
    default:
      return undefined;
  }
}

/** It takes no settings. */
const googleSearch: HostedTool = {
  type: "hosted",
  wire: "gemini",
  kind: "google_search",
  value: { googleSearch: {} },
};

/** Gemini refuses its own search beside functions, and has no word that forces or forbids it. */
export const fitsBeside = (
  { wire }: HostedTool,
  { tools, toolChoice }: Pick<ModelRequest, "tools" | "toolChoice">,
): boolean =>
  wire !== "gemini" || (tools.length === 0 && (toolChoice === undefined || toolChoice.type === "auto"));

const X_SEARCH = "x_search";

/** The search of X with these settings, as xAI's Responses API has it; undefined where the model's row does not list it. */
export function xSearchTool({ provider, model }: Endpoint, settings: unknown): HostedTool | undefined {
  const takesIt = model.supportedParameters.includes(X_SEARCH) ||
    provider.quirks.passKeys?.includes(X_SEARCH) === true;
  if (!isRecord(settings) || provider.wire !== "responses" || !takesIt) return undefined;
  const named = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined);
  return hostedTool("responses", { ...Object.fromEntries(named), type: X_SEARCH });
}

/** Whether a tool asks for the search of X, and none of those that are offered is it. */
export const leavesOutX = (tools: readonly Tool[], offered: readonly Tool[]): boolean =>
  tools.some((tool) => tool.type === "server" && isRecord(tool.parameters.x_search)) &&
  !offered.some((tool) => tool.type === "hosted" && tool.kind === X_SEARCH);

/** Settings of the plugin `web` for which the search of an endpoint's provider has no word. */
export function unsupportedSettings({ provider: { wire } }: Endpoint): readonly string[] {
  const everywhere = ["max_results", "search_prompt"];
  if (wire === "messages") return [...everywhere, "search_context_size"];
  return wire === "gemini"
    ? [...everywhere, "max_uses", "user_location", "search_context_size"]
    : [...everywhere, "max_uses"];
}

/** False for lists of domains that a hosted tool of the wire has no word for: an engine of the gateway holds them. */
export function hasWordsForDomains(
  { provider: { wire } }: Endpoint,
  { allowed_domains, excluded_domains }: JsonObject,
): boolean {
  return !isFilled(excluded_domains) && (wire !== "responses" || !isFilled(allowed_domains));
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

const hostedTool = (wire: HostedTool["wire"], value: JsonObject & { readonly type: string }): HostedTool => ({
  type: "hosted",
  wire,
  kind: value.type,
  value,
});
