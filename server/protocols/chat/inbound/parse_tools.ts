/** Tools and tool choice of a chat → the canonical model's. */

import type {
  ChatCustomTool,
  ChatFunctionTool,
  ChatToolChoice,
  ChatToolInput,
  NamedChoice,
} from "../../../../shared/chat/tools.ts";
import { ApiError } from "../../../../shared/errors.ts";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import type {
  CustomTool,
  CustomToolFormat,
  FunctionTool,
  Tool,
  ToolChoice,
  ToolReference,
} from "../../canonical/request.ts";
import type { JsonObject, WireExtra } from "../../canonical/item.ts";
import { validateToolChoice, validateToolNames } from "../../common/inbound/validate_tools.ts";
import { parseOtherTool } from "../../common/inbound/parse_other_tool.ts";
import { unknownFields } from "./parse_parts.ts";

/** Throws an ApiError (422) for a name used twice. */
export function parseTools(tools: readonly ChatToolInput[]): readonly Tool[] {
  const parsed = tools.map(parseTool);
  parsed.forEach(checkSearch);
  validateToolNames(parsed, (index) => `tools[${index}].${tools[index]?.type}.name`);
  return parsed;
}

/** Throws an ApiError (400) for a search of tools: functions of a chat have no word for being found later. */
function checkSearch(tool: Tool, index: number): void {
  if ((tool.type !== "server" && tool.type !== "hosted") || tool.kind !== "tool_search") return;
  const path = `tools[${index}].type`;
  const message =
    `${path} is a search of tools, and Chat Completions has no tools that could be found later (defer_loading); use ` +
    "/responses or /messages";
  throw new ApiError("invalid_request", message, { metadata: { path } });
}

function parseTool(tool: ChatToolInput): Tool {
  if (tool.type === "function") return parseFunction(tool);
  return tool.type === "custom" ? parseCustom(tool) : parseOtherTool(tool);
}

const functionKeys = new Set(["name", "description", "parameters", "strict"]);

const toolKeys = new Set(["type", "function", "custom"]);

function parseFunction(tool: ChatFunctionTool): FunctionTool {
  const { function: fn } = tool;
  return {
    type: "function",
    name: fn.name,
    description: fn.description ?? undefined,
    parameters: fn.parameters ?? null,
    strict: fn.strict ?? undefined,
    extra: extraOf(tool, unknownFields(fn, functionKeys)),
  };
}

/** Unknown fields of a function or custom tool, and under `tool` those beside it. */
function extraOf(tool: JsonObject, inside: WireExtra | undefined): WireExtra | undefined {
  const beside = unknownFields(tool, toolKeys)?.chat;
  return beside === undefined ? inside : { chat: { ...inside?.chat, tool: beside } };
}

const customKeys = new Set(["name", "description", "format"]);

function parseCustom(tool: ChatCustomTool): CustomTool {
  const { custom } = tool;
  const { name, description, format } = custom;
  return {
    type: "custom",
    name,
    description: description ?? undefined,
    format: parseFormat(format),
    extra: extraOf(tool, unknownFields(custom, customKeys)),
  };
}

function parseFormat(format: ChatCustomTool["custom"]["format"]): CustomToolFormat | undefined {
  if (!format) return undefined;
  if (format.type === "text") return { type: "text" };
  const { syntax, definition } = format.grammar;
  return { type: "grammar", syntax, definition };
}

/** Throws an ApiError (422) for a choice of a tool that is not there. */
export function parseToolChoice(
  choice: ChatToolChoice | null | undefined,
  tools: readonly Tool[],
): ToolChoice | undefined {
  if (!choice) return undefined;
  const parsed = toChoice(choice);
  validateToolChoice(parsed, tools);
  return parsed;
}

function toChoice(choice: ChatToolChoice): ToolChoice {
  if (typeof choice === "string") return { type: choice };
  switch (choice.type) {
    case "function":
    case "custom":
      return { type: "named", tool: toNamed(choice) };
    case "allowed_tools": {
      const { mode, tools } = choice.allowed_tools;
      const named = tools.map(toNamed);
      const value = {
        type: "allowed_tools",
        mode,
        tools: named.map(({ kind, name }) => ({ type: kind, name })),
      };
      return { type: "allowed", mode, tools: named, value };
    }
    default: {
      const service = serviceKindOf(choice.type);
      return {
        type: "hosted",
        kind: service === undefined ? choice.type : `service:${service}`,
        value: choice,
      };
    }
  }
}

const toNamed = (choice: NamedChoice): ToolReference =>
  choice.type === "custom"
    ? { kind: "custom", name: choice.custom.name }
    : { kind: "function", name: choice.function.name };
