/** The request's tools and how the model may choose among them. */

import type { CacheBreakpoint, JsonObject } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { flattenTools, type FlatTool, type ToolNames } from "../../common/outbound/tool_names.ts";
import {
  cannotForceCall,
  customToolParameters,
  describeTool,
  type RenderableChoice,
  selectTools,
} from "../../common/outbound/tool_offer.ts";
import { objectSchema } from "../../common/outbound/object_schema.ts";
import type { ModelFamily } from "./model_family.ts";
import { type ConverseMessage, renderCachePoint, type ReportDropped } from "./render_blocks.ts";

export interface RenderedTools {
  readonly tools: readonly JsonObject[];
  readonly choice?: JsonObject;
  readonly names: ToolNames;
  /** Whether the model has to call one. */
  readonly forced: boolean;
}

interface ToolsContext {
  readonly family: ModelFamily;
  readonly note: ReportDropped;
}

/** Throws an ApiError where the caller forces a call that the model cannot be forced to, or that cannot come about. */
export function renderTools(request: ModelRequest, { family, note }: ToolsContext): RenderedTools {
  const names = flattenTools(request.tools);
  names.dropped.forEach(note);
  const { offered, choice } = selectTools(request.toolChoice, names);
  // There is no word for `none`: without tools none is called.
  if (offered.length === 0 || choice?.type === "none") return { tools: [], names, forced: false };
  const forced = choice?.type === "required" || choice?.type === "named";
  if (forced && family.claude?.forced === false) {
    throw cannotForceCall("the model decides by itself whether it calls one");
  }
  if (offered.some(({ tool }) => tool.type === "function" && tool.strict === true)) note("tools.strict");
  return { tools: offered.flatMap(renderTool), choice: choiceOf(choice), names, forced };
}

function choiceOf(choice: RenderableChoice | undefined): JsonObject | undefined {
  switch (choice?.type) {
    case "auto":
      return { auto: {} };
    case "required":
      return { any: {} };
    case "named":
      return { tool: { name: choice.wireName } };
    default:
      return undefined;
  }
}

function renderTool({ wireName, tool, about }: FlatTool): readonly JsonObject[] {
  const description = describeTool({ tool, about });
  const json = tool.type === "custom" ? customToolParameters : objectSchema(tool.parameters ?? {});
  const spec = { name: wireName, ...(description ? { description } : {}), inputSchema: { json } };
  return [{ toolSpec: spec }, ...renderCachePoint(markOf(tool))];
}

/** Clients of the Messages API mark tools as they mark content. */
function markOf({ extra }: FlatTool["tool"]): CacheBreakpoint | undefined {
  const control = extra?.messages?.cache_control;
  if (typeof control !== "object" || control === null) return undefined;
  return "ttl" in control && typeof control.ttl === "string" ? { ttl: control.ttl } : {};
}

/** A conversation with calls in it is refused without tools, so those that were called are named again. */
export function renderPreviousTools(messages: readonly ConverseMessage[]): readonly JsonObject[] {
  const names = messages.flatMap(({ content }) => content.flatMap(({ toolUse }) => nameOf(toolUse)));
  return [...new Set(names)].map((name) => ({
    toolSpec: { name, inputSchema: { json: objectSchema({}) } },
  }));
}

const nameOf = (call: unknown): readonly string[] =>
  typeof call === "object" && call !== null && "name" in call ? [String(call.name)] : [];
