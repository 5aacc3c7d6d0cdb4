/** Searches that a provider makes itself: where it has them, and how they are asked for. */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { HostedTool } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
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
    default:
      return undefined;
  }
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
