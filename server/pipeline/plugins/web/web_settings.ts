/** Settings of the plugin `web` in the words of the tool `web_search`, so that both mean the same. */

import { isRecord, omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { PluginOptions } from "../plugin_use.ts";

/** `web_search_options` of Chat Completions; undefined where the request has none. */
export function searchOptionsOf({ extra }: Pick<ModelRequest, "extra">): JsonObject | undefined {
  const options = extra?.chat?.web_search_options;
  return isRecord(options) ? options : undefined;
}

/** `web_search_options` sets what the plugin has no field for, and the user's place where the plugin names none. */
export function toolSettings(
  options: PluginOptions<"web">,
  request: Pick<ModelRequest, "extra">,
): JsonObject {
  const { search_context_size, user_location } = searchOptionsOf(request) ?? {};
  return omitUndefined({
    engine: options.engine ?? "auto",
    mode: options.mode ?? undefined,
    max_results: options.max_results ?? undefined,
    // For a provider's own search alone, which may make several.
    max_uses: options.max_uses ?? undefined,
    search_prompt: options.search_prompt ?? undefined,
    user_location: options.user_location ?? flatLocation(user_location),
    search_context_size: isSize(search_context_size) ? search_context_size : undefined,
    allowed_domains: listed(options.include_domains),
    excluded_domains: listed(options.exclude_domains),
    // For xAI's own search alone.
    x_search: options.x_search ?? undefined,
  });
}

const isSize = (value: unknown): boolean => value === "low" || value === "medium" || value === "high";

/** An empty list says nothing. */
const listed = (names: readonly string[] | null | undefined): readonly string[] | undefined =>
  names === null || names === undefined || names.length === 0 ? undefined : names;

/** Chat Completions has the place in an object of its own. */
function flatLocation(value: unknown): JsonObject | undefined {
  if (!isRecord(value) || !isRecord(value.approximate)) return undefined;
  const { city, country, region, timezone } = value.approximate;
  const named = Object.entries({ city, country, region, timezone }).filter(([, text]) =>
    typeof text === "string"
  );
  return { type: "approximate", ...Object.fromEntries(named) };
}
