/** Tools and tool choice → the canonical model's. */

import {
  isClientTool,
  type MessagesTool,
  type MessagesToolChoice,
} from "../../../../shared/messages/tools.ts";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import type { Tool, ToolChoice } from "../../canonical/request.ts";
import { validateToolChoice, validateToolNames } from "../../common/inbound/validate_tools.ts";
import { parseOtherTool } from "../../common/inbound/parse_other_tool.ts";
import { clientToolFunction } from "./client_tools.ts";
import { unknownFields } from "./parse_parts.ts";

/** Throws an ApiError for a name used twice. */
export function parseTools(tools: readonly MessagesTool[]): readonly Tool[] {
  const parsed = tools.map(parseTool);
  validateToolNames(parsed, (index) => `tools[${index}].name`);
  return parsed;
}

const toolKeys = new Set(["type", "name", "description", "input_schema", "strict", "defer_loading"]);

/**
 * Client tools are functions, whatever they are called here; Anthropic's own go to Anthropic as they are, and those of
 * them that the client runs go to others as functions.
 */
function parseTool(tool: MessagesTool): Tool {
  const { type, name } = tool;
  if (type && !isClientTool(type)) {
    if (serviceKindOf(type) !== undefined) return parseOtherTool({ ...tool, type });
    const substitute = clientToolFunction({ type, name });
    const byClient = substitute && { substitute, isByClient: true as const };
    return { type: "hosted", wire: "messages", kind: type, value: tool, ...byClient };
  }
  return {
    type: "function",
    name: name ?? "",
    description: tool.description ?? undefined,
    parameters: tool.input_schema ?? null,
    strict: tool.strict ?? undefined,
    deferLoading: tool.defer_loading ?? undefined,
    extra: unknownFields(tool, toolKeys),
  };
}

/** Throws an ApiError for a choice of a tool that is not there. */
export function parseToolChoice(
  choice: MessagesToolChoice | null | undefined,
  tools: readonly Tool[],
): ToolChoice | undefined {
  if (!choice) return undefined;
  const parsed = toChoice(choice, tools);
  validateToolChoice(parsed, tools);
  return parsed;
}

function toChoice(choice: MessagesToolChoice, tools: readonly Tool[]): ToolChoice {
  if (choice.type !== "tool") return { type: choice.type === "any" ? "required" : choice.type };
  const own = tools.find((tool) => tool.type === "hosted" && tool.value.name === choice.name);
  if (own?.type !== "hosted") return { type: "named", tool: { kind: "function", name: choice.name } };
  return { type: "hosted", kind: own.kind, value: { type: "tool", name: choice.name } };
}

/** At most one call, where the client says so. */
export function parseParallel(choice: MessagesToolChoice | null | undefined): boolean | undefined {
  if (!choice || choice.type === "none" || choice.disable_parallel_tool_use == null) return undefined;
  return !choice.disable_parallel_tool_use;
}
