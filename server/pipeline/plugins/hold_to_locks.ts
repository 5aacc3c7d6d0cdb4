/** Holds what a request says beside `plugins` to the defaults that its workspace has locked (docs/plugins.md). */

import { isRecord, omitUndefined } from "../../../shared/util/json.ts";
import type { DefaultPlugin } from "../../../shared/responses/plugins.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { HostedTool, ModelRequest, ServerTool, Tool } from "../../protocols/canonical/request.ts";
import type { ConfiguredEngine } from "../../web/search/configured_engines.ts";
import { definitionOf } from "../tools/tool_plan.ts";
import { engineFor } from "../tools/web/make_search.ts";
import { namesEngine, searchTool } from "../tools/web/native_search.ts";
import { webSearchSettings } from "../tools/web/web_search_settings.ts";
import { withSearchOptions } from "./web/native_request.ts";
import { searchOptionsOf, toolSettings } from "./web/web_settings.ts";

interface HeldRequest {
  readonly request: ModelRequest;
  /** Words for what was changed: `plugin web (tools[0])`. */
  readonly held: readonly string[];
}

interface Locks {
  readonly defaults: readonly DefaultPlugin[] | undefined;
  readonly engines: readonly ConfiguredEngine[];
}

/** The same request where nothing is locked, or it says nothing else. */
export function holdToLocks(request: ModelRequest, { defaults = [], engines }: Locks): HeldRequest {
  let held: HeldRequest = { request, held: [] };
  for (const plugin of defaults) {
    if (plugin.locked !== true) continue;
    if (plugin.id === "context-compression") held = withoutTruncation(held);
    if (plugin.id === "web") held = withHeldSearch(held, { plugin, engines });
  }
  return held;
}

const also = ({ held }: HeldRequest, what: string): readonly string[] => [...held, what];

function withoutTruncation(before: HeldRequest): HeldRequest {
  const { request } = before;
  if (request.truncation === undefined) return before;
  const held = also(before, "plugin context-compression (truncation)");
  return { request: { ...request, truncation: undefined }, held };
}

interface LockedSearch {
  readonly plugin: Extract<DefaultPlugin, { readonly id: "web" }>;
  readonly engines: readonly ConfiguredEngine[];
}

function withHeldSearch(before: HeldRequest, { plugin, engines }: LockedSearch): HeldRequest {
  const withoutOptions = searchOptionsOf(before.request) === undefined ? before : {
    request: withSearchOptions(before.request, undefined),
    held: also(before, "plugin web (web_search_options)"),
  };
  if (plugin.enabled === false) return withoutOptions;
  const { request } = withoutOptions;
  const settings = toolSettings(plugin, {});
  const hasEngine = engineFor(webSearchSettings(settings), { engines, limited: false }) !== undefined;
  const held = [...withoutOptions.held];
  const tools = request.tools.flatMap((tool, index): readonly Tool[] => {
    if (tool.type !== "server" && tool.type !== "hosted") return [tool];
    if (definitionOf(tool)?.kind !== "web_search") return [tool];
    held.push(`plugin web (tools[${index}])`);
    return heldTool(tool, { settings, hasEngine });
  });
  return held.length === withoutOptions.held.length
    ? withoutOptions
    : { request: { ...request, tools }, held };
}

interface HeldSettings {
  readonly settings: JsonObject;
  /** An engine of the gateway may search by them. */
  readonly hasEngine: boolean;
}

/** Nothing where nobody could search as the settings say. */
function heldTool(
  tool: ServerTool | HostedTool,
  { settings, hasEngine }: HeldSettings,
): readonly Tool[] {
  if (tool.type === "server") {
    return [{ ...tool, parameters: { ...boundsOf(tool.parameters), ...settings } }];
  }
  const { wire, kind, value } = tool;
  const native = namesEngine(settings) ? undefined : searchTool(wire, settings);
  if (native !== undefined && mayList(kind, native.value)) {
    return [{ ...tool, value: { ...usesOf(tool), ...native.value, type: kind } }];
  }
  return hasEngine
    ? [{ ...tool, value: omitUndefined({ ...boundsOf(value), ...settings, type: kind, name: value.name }) }]
    : [];
}

/** Bounds that only make it search less. */
const boundsOf = ({ max_uses, max_total_results }: JsonObject): JsonObject =>
  omitUndefined({ max_uses, max_total_results });

/** On the Messages wire alone, hosted searches have a bound. */
const usesOf = ({ wire, value: { max_uses } }: HostedTool): JsonObject =>
  wire === "messages" ? omitUndefined({ max_uses }) : {};

/** Older forms of the Responses tool take no domains. */
const mayList = (kind: string, { filters }: JsonObject): boolean =>
  !isRecord(filters) || !kind.startsWith("web_search_preview");
