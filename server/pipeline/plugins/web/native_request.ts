/** A request with its provider's own search, where the endpoint has one. */

import { isRecord, omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { modelFamily } from "../../../protocols/gemini/outbound/model_family.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import {
  fitsBeside,
  namesEngine,
  nativeAt,
  sellsSearches,
  xSearchTool,
} from "../../tools/web/native_search.ts";
import { searchOptionsOf } from "./web_settings.ts";

interface NativeSearch {
  readonly endpoint: Endpoint;
  /** In the words of the tool. */
  readonly settings: JsonObject;
}

/** Undefined where the endpoint's provider does not search as the settings say. */
export function nativeRequest(
  request: ModelRequest,
  { endpoint, settings }: NativeSearch,
): ModelRequest | undefined {
  const options = chatOptions(request, { endpoint, settings });
  if (options !== undefined) return withSearchOptions(request, options);
  const tool = nativeAt(endpoint, settings);
  if (tool === undefined || !fitsBeside(tool, request)) return undefined;
  if (losesFormat(request, { endpoint, settings })) return undefined;
  const ofX = xSearchTool(endpoint, settings.x_search);
  const tools = [...request.tools, tool, ...ofX === undefined ? [] : [ofX]];
  return withSearchOptions({ ...request, tools }, undefined);
}

/** Gemini models before the third generation are held to no JSON beside tools: results of an engine are no tool. */
const losesFormat = (
  { format }: ModelRequest,
  { endpoint: { provider, upstreamModel }, settings }: NativeSearch,
): boolean =>
  provider.wire === "gemini" && format.type !== "text" && settings.engine !== "native" &&
  !modelFamily(upstreamModel).jsonWithTools;

const KEY = "web_search_options";

/** As Chat Completions asks for a search: it has neither tool nor domains. The request's own are sent where they may be. */
function chatOptions(
  request: ModelRequest,
  { endpoint, settings }: NativeSearch,
): JsonObject | undefined {
  const { provider: { wire, quirks }, model: { supportedParameters } } = endpoint;
  const takesKey = supportedParameters.includes(KEY) || quirks.passKeys?.includes(KEY) === true;
  const { allowed_domains, excluded_domains, search_context_size, user_location } = settings;
  const hasDomains = allowed_domains !== undefined || excluded_domains !== undefined;
  if (wire !== "chat" || !takesKey || hasDomains || namesEngine(settings)) return undefined;
  const own = searchOptionsOf(request);
  if (own === undefined && !sellsSearches(endpoint)) return undefined;
  return { ...omitUndefined({ search_context_size, user_location: chatLocation(user_location) }), ...own };
}

function chatLocation(location: unknown): JsonObject | undefined {
  if (!isRecord(location)) return undefined;
  const { type: _always, ...approximate } = location;
  return { type: "approximate", approximate };
}

/** Undefined: without them, because the search is made in another way. */
export function withSearchOptions(request: ModelRequest, options: JsonObject | undefined): ModelRequest {
  if (options === undefined && searchOptionsOf(request) === undefined) return request;
  const { [KEY]: _before, ...chat } = request.extra?.chat ?? {};
  return {
    ...request,
    extra: { ...request.extra, chat: options === undefined ? chat : { ...chat, [KEY]: options } },
  };
}
