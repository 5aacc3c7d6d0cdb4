/** The form in which an endpoint is offered a request's server tools: its provider's own, ours as functions, or nothing. */

import { ApiError } from "../../../shared/errors.ts";
import { serviceKindOf } from "../../../shared/fields/service_tool_names.ts";
import { isRecord } from "../../../shared/util/json.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type {
  FunctionTool,
  HostedTool,
  ModelRequest,
  ServerTool,
  Tool,
  ToolChoice,
  ToolReference,
} from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { findByHostedTool, findServerTool } from "./mod.ts";
import { withoutDeferred } from "./tool_search/deferred_tools.ts";
import { fitsBeside, xSearchTool } from "./web/native_search.ts";

/** The tools of a request as an endpoint may have them, and the choice among them. */
type OfferedTools = Pick<ModelRequest, "tools" | "toolChoice">;

/** The same lists for a request without server tools. Throws an ApiError (400) for a choice that forces a deferred tool. */
export function offeredTools({ tools, toolChoice }: OfferedTools, endpoint: Endpoint): OfferedTools {
  if (!tools.some((tool) => isManaged(tool, endpoint))) return { tools, toolChoice };
  const offers = new Map(tools.map((tool) => [tool, offerAt(tool, { endpoint, tools, toolChoice })]));
  const searches = tools.some((tool) => isSearch(tool) && offers.get(tool)?.type === "function");
  const all = [...offers].flatMap(([tool, offer]) => [offer, ...toolsBeside(offer, { tool, endpoint })]);
  const offered = searches ? withoutDeferred(all) : all;
  if (searches) checkChoice(toolChoice, { all, offered });
  return {
    tools: offered,
    toolChoice: toolChoice && choiceAmong(toolChoice, offers),
  };
}

interface SearchedTools {
  /** With those that no search has found yet. */
  readonly all: readonly Tool[];
  readonly offered: readonly Tool[];
}

function checkChoice(choice: ToolChoice | undefined, { all, offered }: SearchedTools): void {
  if (choice?.type !== "named") return;
  const { name } = choice.tool;
  const isNamed = (tool: Tool) => "name" in tool && tool.name === name;
  if (!all.some(isNamed) || offered.some(isNamed)) return;
  const message = `tool_choice forces ${name}, which is deferred: a search of tools has to find it first. ` +
    'Set tool_choice to "auto", or leave out its defer_loading.';
  throw new ApiError("invalid_request", message, { metadata: { path: "tool_choice" } });
}

interface Offered {
  readonly tool: Tool;
  readonly endpoint: Endpoint;
}

/** Tools that the client's search has found, or the search of X beside a provider's own search of the web. */
function toolsBeside(offer: Tool, { tool, endpoint }: Offered): readonly Tool[] {
  if (tool.type === "hosted" && offer === tool.substitute) return tool.found ?? [];
  if (tool.type !== "server" || offer.type !== "hosted") return [];
  const ofX = xSearchTool(endpoint, tool.parameters.x_search);
  return ofX === undefined ? [] : [ofX];
}

/** A tool that the gateway runs, or that its provider may have itself. */
const isManaged = (tool: Tool, endpoint: Endpoint): tool is ServerTool | HostedTool =>
  tool.type === "hosted"
    ? tool.substitute !== undefined || isUnrunAt(tool, endpoint)
    : tool.type === "server" && (tool.substitute !== undefined || findServerTool(tool.kind) !== undefined);

const isSearch = (tool: Tool): boolean =>
  (tool.type === "server" && tool.kind === "tool_search") ||
  (tool.type === "hosted" && findByHostedTool(tool)?.kind === "tool_search");

interface OfferContext extends OfferedTools {
  readonly endpoint: Endpoint;
}

function offerAt(tool: Tool, context: OfferContext): Tool {
  const { endpoint } = context;
  if (!isManaged(tool, endpoint)) return tool;
  const native = nativeTool(tool, context);
  if (native !== undefined) return native;
  const { substitute } = tool;
  if (substitute !== undefined && callsTools(endpoint)) return substitute;
  return tool.type === "hosted" && isUnrunAt(tool, endpoint) ? toServerTool(tool) : tool;
}

/** The built-in models speak a wire that has such tools, and run the one that draws alone. */
const isUnrunAt = ({ kind, isByClient }: HostedTool, { provider }: Endpoint): boolean =>
  provider.builtIn === true && isByClient !== true && kind !== "image_generation";

/** Every wire leaves it out and says so. */
const toServerTool = (tool: HostedTool): ServerTool => ({
  type: "server",
  kind: findByHostedTool(tool)?.kind ?? tool.kind,
  originalType: tool.kind,
  parameters: tool.value,
});

/** The tool as an endpoint's provider runs it itself. */
function nativeTool(
  tool: ServerTool | HostedTool,
  { endpoint, tools, toolChoice }: OfferContext,
): HostedTool | undefined {
  if (tool.type === "hosted") return isNativeTool(tool, endpoint) ? tool : undefined;
  const { nativeAt, runsHere } = findServerTool(tool.kind) ?? {};
  const native = nativeAt?.(endpoint, tool.parameters);
  const others = tools.filter((one) => one !== tool);
  if (native === undefined || !fitsBeside(native, { tools: others, toolChoice })) return undefined;
  // The client's calls of it come under its own name, which a function of the client's may have.
  const isTaken = runsHere?.(tool.parameters) === false && typeof native.value.name === "string" &&
    native.value.name !== tool.substitute?.name;
  return isTaken ? undefined : native;
}

/** Whether an endpoint's provider runs a tool that is spelled as its wire has it. */
export function isNativeTool(tool: HostedTool, endpoint: Endpoint): boolean {
  return tool.wire === endpoint.provider.wire && tool.isOnlyOurs !== true && !isUnrunAt(tool, endpoint) &&
    findByHostedTool(tool)?.isHostedAt?.(endpoint, tool.value) !== false;
}

/** Without any parameter listed nobody has listed them. */
export const callsTools = ({ model: { supportedParameters } }: Endpoint): boolean =>
  supportedParameters.length === 0 || supportedParameters.includes("tools");

type Offers = ReadonlyMap<Tool, Tool>;

function choiceAmong(choice: ToolChoice, offers: Offers): ToolChoice {
  switch (choice.type) {
    case "hosted": {
      const offer = offerOf(choice.kind, offers);
      if (offer?.type === "function") return { type: "named", tool: referenceTo(offer) };
      return offer?.type === "hosted" && !offers.has(offer) ? nativeChoice(offer) : choice;
    }
    case "allowed":
      return allowedAmong(choice, offers);
    default:
      return choice;
  }
}

const nativeChoice = ({ kind, wire, value: { name } }: HostedTool): ToolChoice => ({
  type: "hosted",
  kind,
  value: wire === "messages" ? { type: "tool", name } : { type: kind },
});

/** False where `tool_choice` forces a server tool that the endpoint's provider does not have and the gateway does not run. */
export function canForceTool({ tools, toolChoice }: OfferedTools, endpoint: Endpoint): boolean {
  if (toolChoice?.type !== "hosted" || !tools.some((tool) => isManaged(tool, endpoint))) return true;
  const offers = new Map(tools.map((tool) => [tool, offerAt(tool, { endpoint, tools, toolChoice })]));
  return offerOf(toolChoice.kind, offers)?.type !== "server";
}

/** Finds the tool that is offered for the server tool with this type, as choices name it. */
function offerOf(type: string, offers: Offers): Tool | undefined {
  const kind = serviceKindOf(type);
  for (const [tool, offer] of offers) {
    if (tool.type !== "server" && tool.type !== "hosted") continue;
    if (tool.type === "server" ? tool.kind === kind : tool.kind === type) return offer;
  }
  return undefined;
}

const referenceTo = ({ name }: FunctionTool): ToolReference => ({ kind: "function", name });

type AllowedChoice = Extract<ToolChoice, { type: "allowed" }>;

/** Lists of allowed tools name server tools by their type. */
function allowedAmong(choice: AllowedChoice, offers: Offers): AllowedChoice {
  const listed = Array.isArray(choice.value.tools) ? choice.value.tools.filter(isRecord) : [];
  const added: ToolReference[] = [];
  const tools = listed.map((entry): JsonObject => {
    const offer = typeof entry.type === "string" ? offerOf(entry.type, offers) : undefined;
    if (offer?.type === "hosted") return { type: offer.kind };
    if (offer?.type !== "function") return entry;
    added.push(referenceTo(offer));
    return { type: "function", name: offer.name };
  });
  if (added.length === 0 && tools.every((tool, index) => tool === listed[index])) return choice;
  return { ...choice, tools: [...choice.tools, ...added], value: { ...choice.value, tools } };
}
