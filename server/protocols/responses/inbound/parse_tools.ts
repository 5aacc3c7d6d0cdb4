/** Tools and tool choice of a request → the canonical model's (specification, Nested request objects, §3.5). */

import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import type {
  AllowedTool,
  ToolChoiceInput,
  ToolChoiceObject,
} from "../../../../shared/responses/tool_choice.ts";
import type {
  CustomToolInput,
  FunctionToolInput,
  NamespaceToolInput,
  ToolInput,
} from "../../../../shared/responses/tools.ts";
import type {
  CustomTool,
  FunctionTool,
  NamespaceTool,
  Tool,
  ToolChoice,
  ToolReference,
} from "../../canonical/request.ts";
import { parseOtherTool } from "../../common/inbound/parse_other_tool.ts";
import { unknownFields } from "./parse_fields.ts";

const known = {
  function: new Set(["type", "name", "description", "parameters", "strict", "defer_loading"]),
  custom: new Set(["type", "name", "description", "format"]),
  namespace: new Set(["type", "name", "description", "tools"]),
} as const;

/** Tools in the order of the request; one of `additional_tools` replaces an earlier one of its name. */
export function parseTools(tools: readonly ToolInput[], additional: readonly ToolInput[]): readonly Tool[] {
  if (additional.length === 0) return tools.map(parseTool);
  const names = new Set(additional.map(nameOf));
  const kept = tools.filter((tool) => nameOf(tool) === undefined || !names.has(nameOf(tool)));
  const last = new Map(additional.map((tool, index) => [nameOf(tool) ?? index, tool]));
  return [...kept, ...last.values()].map(parseTool);
}

/** The name a tool is called by; hosted and server tools have none. */
function nameOf(tool: ToolInput): string | undefined {
  return tool.type === "function" || tool.type === "custom" || tool.type === "namespace"
    ? tool.name
    : undefined;
}

function parseTool(tool: ToolInput): Tool {
  switch (tool.type) {
    case "function":
      return parseFunction(tool);
    case "custom":
      return parseCustom(tool);
    case "namespace":
      return parseNamespace(tool);
    default:
      return parseOtherTool(tool);
  }
}

function parseFunction(tool: FunctionToolInput): FunctionTool {
  return {
    type: "function",
    name: tool.name,
    description: tool.description ?? undefined,
    parameters: tool.parameters ?? null,
    strict: tool.strict ?? null,
    deferLoading: tool.defer_loading ?? undefined,
    extra: unknownFields(tool, known.function),
  };
}

function parseCustom(tool: CustomToolInput): CustomTool {
  return {
    type: "custom",
    name: tool.name,
    description: tool.description ?? undefined,
    format: tool.format ?? undefined,
    extra: unknownFields(tool, known.custom),
  };
}

function parseNamespace(tool: NamespaceToolInput): NamespaceTool {
  return {
    type: "namespace",
    name: tool.name,
    description: tool.description ?? undefined,
    tools: tool.tools.map((inner) => inner.type === "function" ? parseFunction(inner) : parseCustom(inner)),
    extra: unknownFields(tool, known.namespace),
  };
}

/** A choice of a server tool has the kind `service:…`, however it was spelled. */
export function parseToolChoice(choice: ToolChoiceInput): ToolChoice {
  if (typeof choice === "string") return { type: choice };
  switch (choice.type) {
    case "function":
    case "custom":
      return { type: "named", tool: parseNamed({ ...choice, kind: choice.type }) };
    case "allowed_tools":
      return { type: "allowed", mode: choice.mode, tools: choice.tools.flatMap(parseAllowed), value: choice };
    default:
      return { type: "hosted", kind: canonicalType(choice), value: choice };
  }
}

function canonicalType(choice: ToolChoiceObject): string {
  const kind = serviceKindOf(choice.type);
  return kind === undefined ? choice.type : `service:${kind}`;
}

interface NameFields {
  readonly kind: ToolReference["kind"];
  readonly name: string;
  readonly namespace?: string | null;
}

function parseNamed({ kind, name, namespace }: NameFields): ToolReference {
  return { kind, name, namespace: namespace ?? undefined };
}

function parseAllowed({ type, name, namespace }: AllowedTool): readonly ToolReference[] {
  if ((type !== "function" && type !== "custom") || typeof name !== "string") return [];
  return [parseNamed({ kind: type, name, namespace })];
}
