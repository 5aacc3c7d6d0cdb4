/**
 * The tools of the MCP servers that a request names: listed before its first turn, or read from a listing that the
 * client brings back, and offered to the model as functions.
 */

import { isDeepJson } from "../../../protocols/canonical/call_arguments.ts";
import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { JsonObject, PassthroughItem } from "../../../protocols/canonical/item.ts";
import type { HostedTool, ModelRequest, Tool } from "../../../protocols/canonical/request.ts";
import type { McpSession, McpTool } from "../../../web/mcp/mcp_access.ts";
import { McpError } from "../../../web/mcp/mcp_error.ts";
import { functionNames } from "./function_names.ts";
import { functionOf, type OfferedTool } from "./mcp_tool.ts";
import { listedTools, replayedListing } from "./replayed_listing.ts";
import { type McpServerSettings, serverSettings } from "./server_settings.ts";

/** Tools of a server, and bytes of their schemas. */
const MOST_TOOLS = 100;
const MOST_BYTES = 256 * 1024;

interface ListInput {
  readonly request: ModelRequest;
  readonly session: McpSession;
  readonly signal: AbortSignal;
  /** The generation, without its prefix. */
  readonly suffix: string;
}

/** A server's tools that may be offered, or why there are none. */
interface ServerListing {
  readonly settings: McpServerSettings;
  readonly tools: readonly McpTool[];
  readonly error?: string;
  /** Sentences about names in the settings that are none of its tools. */
  readonly unknown: readonly string[];
  /** The client has brought it back. */
  readonly isReplayed: boolean;
}

interface ListedServers {
  /** The servers' tools stand in it as functions. */
  readonly request: ModelRequest;
  readonly offered: readonly OfferedTool[];
  /** Labels of all servers. */
  readonly labels: ReadonlySet<string>;
  /** Events that show the listings. */
  readonly opening: readonly OutputEvent[];
  /** Sentences about servers that could not be listed. */
  readonly notes: readonly string[];
}

export const isMcp = (tool: Tool): tool is HostedTool => tool.type === "hosted" && tool.kind === "mcp";

/** Rejects with the signal's reason. */
export async function listServers(input: ListInput): Promise<ListedServers> {
  const { request, suffix } = input;
  const servers = request.tools.filter(isMcp).map(({ value }) => serverSettings(value));
  const listings = await Promise.all(servers.map((settings) => listServer(settings, input)));
  const offered = namedTools(listings, request.tools);
  const functions = Map.groupBy(offered, ({ settings }) => settings);
  let place = 0;
  const tools = request.tools.flatMap((tool): readonly Tool[] => {
    if (!isMcp(tool)) return [tool];
    const settings = servers[place++];
    return settings === undefined ? [] : (functions.get(settings) ?? []).map(functionOf);
  });
  return {
    request: { ...request, tools },
    offered,
    labels: new Set(servers.map(({ label }) => label)),
    opening: listings.filter(({ isReplayed }) => !isReplayed)
      .flatMap((listing, index) => listingEvents(listing, `${suffix}_${index}`)),
    notes: listings.flatMap(({ settings: { label }, error, unknown }) =>
      error === undefined
        ? unknown
        : [`The tools of the MCP server ${shownName(label)} are left out: ${error}`]
    ),
  };
}

/** A label, or a tool's name, as headers can carry it. */
export const shownName = (label: string): string => label.replace(/[^\x20-\x7e]/g, "?").slice(0, 64);

async function listServer(settings: McpServerSettings, input: ListInput): Promise<ServerListing> {
  const { session, signal, request } = input;
  const replayed = listedTools(settings.pinned) ?? replayedListing(request.input, settings.label);
  const isReplayed = replayed !== undefined;
  try {
    const all = replayed ?? await session.list(settings.server, signal);
    const unknown = isReplayed ? [] : unknownNames(settings, all);
    return { settings, tools: checkedTools(all.filter(settings.allows)), unknown, isReplayed };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof McpError)) throw error;
    return { settings, tools: [], error: error.message, unknown: [], isReplayed };
  }
}

/** Names that a sentence about them has at most. */
const MOST_SHOWN = 5;

/** A misspelled name in `require_approval` would otherwise let calls run that should ask first. */
function unknownNames({ label, named }: McpServerSettings, tools: readonly McpTool[]): readonly string[] {
  const known = new Set(tools.map(({ name }) => name));
  return named.flatMap(({ field, names }) => {
    const unknown = names.filter((name) => !known.has(name));
    if (unknown.length === 0) return [];
    const list = unknown.slice(0, MOST_SHOWN).map(shownName).join(", ");
    const more = unknown.length > MOST_SHOWN ? ` and ${unknown.length - MOST_SHOWN} more` : "";
    return [`The MCP server ${shownName(label)} has no tool ${list}${more}, which ${field} names.`];
  });
}

/** Throws an McpError for more than a request may have; leaves out a tool whose schema nobody could read. */
function checkedTools(tools: readonly McpTool[]): readonly McpTool[] {
  const tooMany = (found: string, most: string): McpError =>
    new McpError({
      type: "mcp_protocol_error",
      code: 0,
      message: `The server lists ${found}, of ${most} at most. Name those that are wanted in allowed_tools.`,
    });
  if (tools.length > MOST_TOOLS) throw tooMany(`${tools.length} tools`, String(MOST_TOOLS));
  let bytes = 0;
  return tools.filter((tool) => {
    const text = JSON.stringify([tool.description, tool.inputSchema]);
    bytes += Buffer.byteLength(text);
    if (bytes > MOST_BYTES) throw tooMany("schemas of more bytes", `${MOST_BYTES / 1024} KiB`);
    return !isDeepJson(text);
  });
}

function namedTools(listings: readonly ServerListing[], tools: readonly Tool[]): readonly OfferedTool[] {
  const all = listings.flatMap(({ settings, tools }) => tools.map((tool) => ({ settings, tool })));
  const taken = new Set(tools.flatMap((tool) => "name" in tool ? [tool.name] : []));
  const names = functionNames(
    all.map(({ settings: { label }, tool: { name } }) => ({ label, name })),
    taken,
  );
  return all.map((one, index) => ({ ...one, name: names[index] ?? one.tool.name }));
}

const LIST = "mcp_list_tools";

/** Events of the Responses API that show a listing; the other wires have none. */
function listingEvents({ settings, tools, error }: ServerListing, suffix: string): readonly OutputEvent[] {
  const id = `mcpl_${suffix}`;
  const itemKey = `mcp listing ${suffix}`;
  const itemOf = (value: JsonObject): PassthroughItem => ({
    type: "foreign",
    wire: "responses",
    kind: LIST,
    id,
    value: { type: LIST, id, server_label: settings.label, ...value },
  });
  const event = (name: string): OutputEvent => ({
    type: "foreign",
    wire: "responses",
    itemKey,
    value: { type: `response.${LIST}.${name}` },
  });
  const listed = tools.map(({ name, description, inputSchema, annotations }) => ({
    name,
    description: description ?? null,
    input_schema: inputSchema,
    annotations: annotations ?? null,
  }));
  const whole = itemOf({ tools: listed, ...(error === undefined ? {} : { error }) });
  return [
    { type: "item", itemKey, item: itemOf({ tools: [] }) },
    event("in_progress"),
    event(error === undefined ? "completed" : "failed"),
    { type: "item_done", itemKey, item: whole },
  ];
}
