/** The request's tools and how the model may choose among them. */

import type { JsonObject } from "../../canonical/item.ts";
import type { HostedTool, ModelRequest, Tool, ToolChoice } from "../../canonical/request.ts";
import { flattenTools, type FlatTool, type ToolNames } from "../../common/outbound/tool_names.ts";
import {
  cannotForceCall,
  customToolParameters,
  describeTool,
  type RenderableChoice,
  selectTools,
} from "../../common/outbound/tool_offer.ts";
import { objectSchema } from "../../common/outbound/object_schema.ts";
import type { ReportDropped } from "./render_parts.ts";
import { renderSchema } from "./render_schema.ts";
import type { ClaudeFamily } from "../../common/outbound/claude/claude_family.ts";

export interface RenderedTools {
  readonly tools: readonly JsonObject[];
  readonly choice?: JsonObject;
  readonly names: ToolNames;
  /** Whether the model has to call a tool. */
  readonly forced: boolean;
}

/** Names as this wire has them; tools that the provider itself runs are not among them. */
export const messagesToolNames = (tools: readonly Tool[]): ToolNames =>
  flattenTools(tools.filter((tool) => !isProvidersOwn(tool)));

/** A tool that a client of this same wire wrote down for the provider to run goes as it is. */
const isProvidersOwn = (tool: Tool): tool is HostedTool => tool.type === "hosted" && tool.wire === "messages";

/** Our own word for who searches: the provider refuses what it does not know. */
function withoutEngine(value: JsonObject): JsonObject {
  if (value.engine === undefined) return value;
  const { engine: _, ...rest } = value;
  return rest;
}

interface ToolsContext {
  readonly family: ClaudeFamily;
  readonly note: ReportDropped;
}

/** Throws an ApiError where the caller forces a call that the model or this wire cannot be forced to. */
export function renderTools(request: ModelRequest, context: ToolsContext): RenderedTools {
  const names = messagesToolNames(request.tools);
  names.dropped.forEach(context.note);
  const hasOwn = request.tools.some(isProvidersOwn);
  const { offered, choice } = renderToolList(request.toolChoice, { names, hasOwn });
  const forced = choice?.type === "required" || choice?.type === "named" || choice?.type === "tool";
  if (forced && !context.family.forced) {
    throw cannotForceCall("the model decides by itself whether it calls one");
  }
  const tools = renderList(request.tools, { ...context, offered });
  return { tools, choice: tools.length === 0 ? undefined : renderChoice(choice, request), names, forced };
}

interface OfferContext extends ToolsContext {
  readonly offered: readonly FlatTool[];
}

/** In the client's order: what comes before a mark is what is cached. */
function renderList(tools: readonly Tool[], { offered, ...context }: OfferContext): readonly JsonObject[] {
  const flat = new Map(offered.map((one) => [one.tool, one]));
  const membersOf = (tool: Tool) =>
    tool.type === "namespace" ? tool.tools : tool.type === "function" || tool.type === "custom" ? [tool] : [];
  return tools.flatMap((tool): readonly JsonObject[] => {
    if (isProvidersOwn(tool)) return [withoutEngine(tool.value)];
    const members = membersOf(tool).flatMap((one) => flat.get(one) ?? []);
    return members.map((one) => renderTool(one, context));
  });
}

type Choice = RenderableChoice | { readonly type: "tool"; readonly value: JsonObject };

interface Choosable {
  readonly names: ToolNames;
  /** Whether the provider runs tools of its own. */
  readonly hasOwn: boolean;
}

/** A forced tool of the provider's own is named as its client wrote it; to force any of them suffices. */
function renderToolList(
  choice: ToolChoice | undefined,
  { names, hasOwn }: Choosable,
): { readonly offered: readonly FlatTool[]; readonly choice?: Choice } {
  if (choice?.type === "required" && hasOwn) return { offered: names.tools, choice: { type: "required" } };
  if (choice?.type !== "hosted" || choice.value.type !== "tool") return selectTools(choice, names);
  return { offered: names.tools, choice: { type: "tool", value: choice.value } };
}

const words = { auto: "auto", none: "none", required: "any" } as const;

function renderChoice(
  choice: Choice | undefined,
  { parallelToolCalls }: ModelRequest,
): JsonObject | undefined {
  const alone = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallelToolCalls === false ? { type: "auto", ...alone } : undefined;
  if (choice.type === "none") return { type: "none" };
  if (choice.type === "named") return { type: "tool", name: choice.wireName, ...alone };
  return choice.type === "tool" ? { ...choice.value, ...alone } : { type: words[choice.type], ...alone };
}

function renderTool({ wireName, tool, about }: FlatTool, context: ToolsContext): JsonObject {
  const description = describeTool({ tool, about });
  return {
    name: wireName,
    ...(description === undefined ? {} : { description }),
    ...inputOf(tool, { ...context, wireName }),
    ...(tool.type === "function" && tool.deferLoading !== undefined
      ? { defer_loading: tool.deferLoading }
      : {}),
    ...tool.extra?.messages,
  };
}

interface InputContext extends ToolsContext {
  readonly wireName: string;
}

function inputOf(tool: FlatTool["tool"], { family, note, wireName }: InputContext): JsonObject {
  if (tool.type === "custom") return { input_schema: customToolParameters };
  const schema = objectSchema(tool.parameters ?? {});
  if (tool.strict !== true) return { input_schema: schema };
  const clean = family.schemas ? renderSchema(schema) : undefined;
  if (clean !== undefined) return { input_schema: clean, strict: true };
  note(`strict of ${wireName}`);
  return { input_schema: schema };
}

/**
 * Definitions of tools that earlier turns called and this one does not offer: without any definition the
 * provider refuses a conversation in which tools were called.
 */
export function renderPreviousTools(called: ReadonlySet<string>): readonly JsonObject[] {
  return [...called].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
}
