/** Tools, how the model may choose among them, and the form of its answer. */

import type { FunctionTool, ModelRequest, Tool } from "../../../canonical/request.ts";
import { hasRootChoice, objectSchema } from "../object_schema.ts";
import { findTool, flattenTools, type FlatTool } from "../tool_names.ts";
import { cannotForceCall } from "../tool_offer.ts";
import type { TraitContext } from "./trait_rule.ts";

interface MendedTools {
  readonly tools: readonly Tool[];
  readonly notes: readonly string[];
}

/** By the list itself, which is never changed: every turn of a loop sends the same. */
const mended = new WeakMap<readonly Tool[], MendedTools>();

/** Parameters are an object that names its properties, without a choice at its root. */
export function withObjectSchemas(request: ModelRequest, { note }: TraitContext): ModelRequest {
  const { tools } = request;
  if (tools.length === 0) return request;
  let known = mended.get(tools);
  if (known === undefined) mended.set(tools, known = mendTools(tools));
  for (const words of known.notes) note(words);
  return known.tools === tools ? request : { ...request, tools: known.tools };
}

function mendTools(tools: readonly Tool[]): MendedTools {
  const notes: string[] = [];
  const all = tools.map((tool) => mendTool(tool, notes));
  return { tools: all.every((tool, at) => tool === tools[at]) ? tools : all, notes };
}

function mendTool(tool: Tool, notes: string[]): Tool {
  if (tool.type === "function") return mendFunction(tool, notes);
  if (tool.type !== "namespace") return tool;
  const inner = tool.tools.map((one) => one.type === "function" ? mendFunction(one, notes) : one);
  return inner.every((one, at) => one === tool.tools[at]) ? tool : { ...tool, tools: inner };
}

/** Keys that only one of several choices has cannot all be required, as a strict schema wants it. */
function mendFunction(tool: FunctionTool, notes: string[]): FunctionTool {
  if (tool.parameters === null) return tool;
  const parameters = objectSchema(tool.parameters);
  if (parameters === tool.parameters) return tool;
  if (tool.strict !== true || !hasRootChoice(tool.parameters)) return { ...tool, parameters };
  notes.push(`strict of ${tool.name}`);
  return { ...tool, parameters, strict: false };
}

/**
 * Writes the choice for a host without `tool_choice`: `auto` is left out, `none` sends no tools at all.
 * Throws an ApiError where a call is forced: another endpoint may be asked.
 */
export function withAutoChoice(request: ModelRequest): ModelRequest {
  const { toolChoice } = request;
  switch (toolChoice?.type) {
    case undefined:
    case "hosted":
      return request;
    case "auto":
      return { ...request, toolChoice: undefined };
    case "none":
      return withoutNoneChoice(request);
    case "allowed":
      if (toolChoice.mode === "auto") return request;
      break;
    case "required":
    case "named":
      break;
    default:
      return toolChoice satisfies never;
  }
  throw cannotForceCall("the model's provider leaves the choice to the model");
}

/** Sends no tools to a host that cannot be told to call none of them. */
export function withoutNoneChoice(request: ModelRequest): ModelRequest {
  return request.toolChoice?.type === "none" ? { ...request, tools: [], toolChoice: undefined } : request;
}

/** Leaves out the tools. Throws an ApiError where a call is forced: another endpoint may be asked. */
export function withoutTools(request: ModelRequest, { note }: TraitContext): ModelRequest {
  const { tools, toolChoice } = request;
  const isFree = toolChoice === undefined || toolChoice.type === "auto" || toolChoice.type === "none" ||
    (toolChoice.type === "allowed" && toolChoice.mode === "auto");
  if (!isFree) throw cannotForceCall("the model's provider has no tools");
  if (tools.length === 0) return request;
  note("tools");
  return { ...request, tools: [], toolChoice: undefined };
}

/** A host that cannot be told which tool to call is offered that one alone, and told to call one. */
export function withOnlyNamedTool(request: ModelRequest): ModelRequest {
  const { toolChoice, tools } = request;
  if (toolChoice?.type !== "named") return request;
  const found = findTool(flattenTools(tools), toolChoice.tool);
  if (found === undefined) return request;
  return {
    ...request,
    tools: tools.flatMap((tool) => onlyTool(tool, found)),
    toolChoice: { type: "required" },
  };
}

function onlyTool(tool: Tool, { tool: named }: FlatTool): readonly Tool[] {
  if (tool.type !== "namespace") return tool === named ? [tool] : [];
  const inner = tool.tools.filter((one) => one === named);
  return inner.length === 0 ? [] : [{ ...tool, tools: inner }];
}

/** "Any JSON object" as a schema: the answer is held to it all the same. */
export function withoutJsonMode(request: ModelRequest): ModelRequest {
  if (request.format.type !== "json_object") return request;
  return { ...request, format: { type: "json_schema", name: "object", schema: { type: "object" } } };
}

/** A schema in words: the answer is held to JSON alone. */
export function withoutJsonSchema(request: ModelRequest, { note }: TraitContext): ModelRequest {
  const { format, instructions } = request;
  if (format.type !== "json_schema") return request;
  const about = format.description === undefined ? "" : ` (${format.description})`;
  const instruction =
    `Answer with one JSON object${about} and nothing else. It must match this JSON schema:\n` +
    JSON.stringify(format.schema);
  note("text.format json_schema as a constraint");
  return {
    ...request,
    instructions: instructions === undefined || instructions === ""
      ? instruction
      : `${instructions}\n\n${instruction}`,
    format: { type: "json_object" },
  };
}
