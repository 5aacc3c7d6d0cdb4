/** Hub tools and tool choice → those of a Responses request (specification, Nested request objects, §3.5). */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord, omitUndefined } from "../../../../shared/util/json.ts";
import type {
  CustomTool,
  FunctionTool,
  HostedTool,
  NamespaceTool,
  Tool,
  ToolChoice,
} from "../../canonical/request.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ReportDropped } from "./render_parts.ts";
import {
  choiceKeys,
  keysOutside,
  nestedToolKeys,
  pickKeys,
  renderEach,
  toolKeys,
} from "./published_fields.ts";

/** Tools that the provider or the client runs. Those that the gateway would run are not offered. */
export function renderTools(tools: readonly Tool[], note: ReportDropped): readonly JsonObject[] {
  return renderEach(tools, (tool) => renderTool(tool, note));
}

function renderTool(tool: Tool, note: ReportDropped): JsonObject | undefined {
  switch (tool.type) {
    case "function":
      return renderFunction(tool);
    case "custom":
      return renderCustom(tool);
    case "namespace":
      return renderNamespace(tool);
    case "hosted":
      return renderHosted(tool, note);
    case "server":
      return void note(`tool ${tool.originalType}`);
    default:
      return tool satisfies never;
  }
}

function renderFunction(tool: FunctionTool): JsonObject {
  return omitUndefined({
    ...pickKeys(tool.extra?.responses ?? {}, toolKeys.function ?? []),
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    strict: renderStrict(tool),
    defer_loading: tool.deferLoading,
  });
}

/** This wire takes silence for consent: who asked for nothing is not held to anything. */
const renderStrict = ({ strict = false }: FunctionTool): boolean | undefined => strict ?? undefined;

function renderCustom(tool: CustomTool): JsonObject {
  return omitUndefined({
    ...pickKeys(tool.extra?.responses ?? {}, toolKeys.custom ?? []),
    type: "custom",
    name: tool.name,
    description: tool.description,
    format: tool.format,
  });
}

/** The provider demands a description of a namespace; its name is the least that can be said. */
function renderNamespace(tool: NamespaceTool): JsonObject {
  const tools = tool.tools.map((one) => one.type === "function" ? renderFunction(one) : renderCustom(one));
  return { type: "namespace", name: tool.name, description: tool.description || tool.name, tools };
}

/** As the client spelled it, without the keys that the provider would refuse. */
function renderHosted(tool: HostedTool, note: ReportDropped): JsonObject | undefined {
  if (tool.wire !== "responses") return void note(`tool ${tool.kind}`);
  const keys = ownValue(toolKeys, tool.kind);
  if (keys === undefined) return tool.value;
  keysOutside(tool.value, keys).forEach((key) => note(`tool ${tool.kind}.${key}`));
  const value = pickKeys(tool.value, keys);
  if (!tool.kind.startsWith("web_search")) return value;
  return withoutNested(value, (path) => note(`tool ${tool.kind}.${path}`));
}

function withoutNested(value: JsonObject, note: ReportDropped): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const keys = ownValue(nestedToolKeys, key);
      if (keys === undefined || !isRecord(inner)) return [key, inner];
      keysOutside(inner, keys).forEach((one) => note(`${key}.${one}`));
      return [key, pickKeys(inner, keys)];
    }),
  );
}

/**
 * `tool_choice`; only sent beside tools, for the provider refuses it without them. A tool that the gateway
 * runs is not the provider's to choose.
 */
export function renderToolChoice(choice: ToolChoice): unknown {
  switch (choice.type) {
    case "auto":
    case "none":
    case "required":
      return choice.type;
    case "named":
      return { type: choice.tool.kind, name: choice.tool.name };
    case "hosted":
      if (choice.kind.startsWith("service:")) return undefined;
      if (withoutChoice.has(choice.kind)) {
        return { type: "allowed_tools", mode: "required", tools: [{ type: choice.kind }] };
      }
      return { ...pickKeys(choice.value, ownValue(choiceKeys, choice.kind) ?? []), type: choice.kind };
    case "allowed":
      return {
        type: "allowed_tools",
        mode: choice.mode,
        tools: choice.value.tools ?? choice.tools.map(named),
      };
    default:
      return choice satisfies never;
  }
}

/** Kinds that the provider's `tool_choice` does not list: they are forced as the only ones that are allowed. */
const withoutChoice: ReadonlySet<string> = new Set(["web_search", "web_search_2025_08_26"]);

const named = (tool: { readonly kind: string; readonly name: string }): JsonObject => ({
  type: tool.kind,
  name: tool.name,
});
