/**
 * A tool search that the client runs (`execution: "client"`): the model's search is the client's to answer, and the
 * tools in its answer are offered from then on. Where a provider knows such searches all of it goes to and fro as it is.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import type { Item, JsonObject } from "../../../protocols/canonical/item.ts";
import type { FunctionTool, HostedTool, Tool } from "../../../protocols/canonical/request.ts";

/** Whether the settings, or an item, say that the client runs the search. */
export const isClientSearch = ({ execution }: JsonObject): boolean => execution === "client";

const isOutput = (item: Item): item is Extract<Item, { type: "foreign" }> =>
  item.type === "foreign" && item.wire === "responses" && item.kind === "tool_search_output";

const recordsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** The tools that a client has found in the conversation, the last of each name. */
function toolsFoundByClient(input: readonly Item[]): readonly Tool[] {
  const found = new Map<string, Tool>();
  for (const item of input) {
    if (!isOutput(item) || !isClientSearch(item.value)) continue;
    for (const tool of toolsIn(item.value)) found.set(nameOf(tool), tool);
  }
  return [...found.values()];
}

/** The tools in the item of a search's result. */
export const toolsIn = ({ tools }: JsonObject): readonly Tool[] => recordsIn(tools).flatMap(toTool);

const nameOf = (tool: Tool): string => "name" in tool ? tool.name : "";

/** Reads a found tool. Only functions can be offered, alone or in a namespace. */
function toTool(value: JsonObject): readonly Tool[] {
  if (value.type !== "namespace") return toFunction(value);
  const { name, description } = value;
  if (typeof name !== "string" || name === "") return [];
  const tools = recordsIn(value.tools).flatMap(toFunction);
  return tools.length === 0 ? [] : [{ type: "namespace", name, description: textOf(description), tools }];
}

function toFunction({ type, name, description, parameters, strict }: JsonObject): readonly FunctionTool[] {
  if (type !== "function" || typeof name !== "string" || name === "") return [];
  return [{
    type: "function",
    name,
    description: textOf(description),
    parameters: isRecord(parameters) ? parameters : null,
    strict: typeof strict === "boolean" ? strict : undefined,
  }];
}

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined;

/** A search of the client's with what it has found; tools that the request brings itself are none of it. */
export function withFoundTools(tools: readonly Tool[], input: readonly Item[]): readonly Tool[] {
  if (!tools.some(isClientSearchTool)) return tools;
  const own = new Set(tools.map(nameOf));
  const found = toolsFoundByClient(input).filter((tool) => !own.has(nameOf(tool)));
  if (found.length === 0) return tools;
  return tools.map((tool) => isClientSearchTool(tool) ? { ...tool, found } : tool);
}

const isClientSearchTool = (tool: Tool): tool is HostedTool =>
  tool.type === "hosted" && tool.kind === "tool_search" && isClientSearch(tool.value);

/** Tells the model which tools its search has found. */
export const describeFound = (tools: unknown): string =>
  JSON.stringify({
    tools: recordsIn(tools).flatMap((tool) =>
      tool.type === "namespace"
        ? recordsIn(tool.tools).map((inner) => described(inner, `${tool.name}__${inner.name}`))
        : [described(tool, tool.name)]
    ),
  });

const described = ({ description }: JsonObject, name: unknown): JsonObject => ({
  name,
  ...(typeof description === "string" ? { description } : {}),
});
