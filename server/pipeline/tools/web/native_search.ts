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
  const { user_location, search_context_size, max_uses } = settings;
  const { allowed_domains: allowed, excluded_domains: excluded } = settings;
  const hasExcluded = Array.isArray(excluded) && excluded.length > 0;
  const common = user_location === undefined ? {} : { user_location };
  switch (endpoint.provider.wire) {
    case "responses": {
      if (hasExcluded) return undefined;
      const filters = allowed === undefined ? {} : { filters: { allowed_domains: allowed } };
      const size = search_context_size === undefined ? {} : { search_context_size };
      return hostedTool("responses", { type: "web_search", ...filters, ...size, ...common });
    }
    case "messages": {
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

const hostedTool = (wire: HostedTool["wire"], value: JsonObject & { readonly type: string }): HostedTool => ({
  type: "hosted",
  wire,
  kind: value.type,
  value,
});
