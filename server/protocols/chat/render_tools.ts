/** The request's tools and how the model may choose among them. */

import { Refusal } from "../../../shared/errors.ts";
import type { Json } from "../../hub/item.ts";
import type { CustomTool, ModelRequest, NamedTool, ToolChoice } from "../../hub/request.ts";
import { findTool, type FlatTool, type ToolNames, toolNames } from "./tool_names.ts";

export interface RenderedTools {
  /** `tools`, `tool_choice` and `parallel_tool_calls`, each only where the provider may have it. */
  readonly body: Json;
  readonly names: ToolNames;
  readonly dropped: readonly string[];
}

/**
 * Throws a {@link Refusal} where the caller forces a call that this wire cannot express. Without any tool the
 * other two keys are left out as well, because providers refuse them then.
 */
export function renderTools(request: ModelRequest): RenderedTools {
  const names = toolNames(request.tools);
  const offered = offeredTools(request.toolChoice, names);
  const choice = renderChoice(request.toolChoice, { names, offered });
  if (offered.length === 0) return { body: {}, names, dropped: names.dropped };
  const parallel = request.parallelToolCalls;
  return {
    names,
    dropped: names.dropped,
    body: {
      tools: offered.map(renderTool),
      ...(choice === undefined ? {} : { tool_choice: choice }),
      ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
    },
  };
}

/** `allowed_tools` keeps the list and narrows the choice; here the list itself is narrowed. */
function offeredTools(choice: ToolChoice | undefined, names: ToolNames): readonly FlatTool[] {
  if (choice?.type !== "allowed") return names.tools;
  const allowed = new Set(choice.tools.map((tool) => findTool(names, tool)));
  return names.tools.filter((tool) => allowed.has(tool));
}

interface Offer {
  readonly names: ToolNames;
  readonly offered: readonly FlatTool[];
}

function renderChoice(choice: ToolChoice | undefined, { names, offered }: Offer): unknown {
  if (choice === undefined) return undefined;
  switch (choice.type) {
    case "auto":
    case "none":
      return choice.type;
    case "required":
      return required(offered);
    case "allowed":
      return choice.mode === "required" ? required(offered) : "auto";
    case "named":
      return { type: "function", function: { name: forced(choice.tool, names).wireName } };
    case "hosted":
      throw refused(`the model's provider cannot run ${choice.kind}`);
    default:
      return choice satisfies never;
  }
}

function required(offered: readonly FlatTool[]): string {
  if (offered.length > 0) return "required";
  throw refused("none of the tools can be offered to the model's provider");
}

function forced(tool: NamedTool, names: ToolNames): FlatTool {
  const found = findTool(names, tool);
  if (found !== undefined) return found;
  throw refused(`${tool.name} is not among the tools`);
}

function refused(why: string): Refusal {
  return new Refusal("invalid_request", `Cannot force a tool call: ${why}.`, {
    metadata: { path: "tool_choice" },
  });
}

function renderTool({ wireName, tool, about }: FlatTool): Json {
  if (tool.type === "custom") return renderCustom(wireName, { tool, about });
  const description = tool.description ?? about;
  return {
    type: "function",
    function: {
      name: wireName,
      ...(description === undefined ? {} : { description }),
      parameters: tool.parameters ?? { type: "object", properties: {} },
      ...(typeof tool.strict === "boolean" ? { strict: tool.strict } : {}),
    },
  };
}

interface Custom {
  readonly tool: CustomTool;
  readonly about?: string;
}

function renderCustom(wireName: string, { tool, about }: Custom): Json {
  const description = [tool.description ?? about, describeFormat(tool)].filter((text) => text !== undefined);
  return {
    type: "function",
    function: {
      name: wireName,
      ...(description.length === 0 ? {} : { description: description.join("\n\n") }),
      parameters: {
        type: "object",
        properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
        required: ["input"],
        additionalProperties: false,
      },
    },
  };
}

/** Nothing on this wire holds the model to a grammar, so it is at least told. */
function describeFormat({ format }: CustomTool): string | undefined {
  if (format?.type !== "grammar") return undefined;
  return `The input must match this ${format.syntax} grammar:\n${format.definition}`;
}
