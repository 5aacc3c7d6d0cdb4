/** Calls of tools that nobody offered: models invent names, and are told so. */

import type { ToolCallItem, ToolResultItem } from "../../protocols/canonical/item.ts";
import type { HostedTool, ServerTool, Tool } from "../../protocols/canonical/request.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import { qualifiedName, withoutDeferred } from "./tool_search/deferred_tools.ts";

/** Names under which a model may call what its client answers; those of a namespace's tools with and without it. */
export function clientToolNames(tools: readonly Tool[]): ReadonlySet<string> {
  return new Set(tools.flatMap((tool): readonly string[] => {
    switch (tool.type) {
      case "function":
      case "custom":
        return [tool.name];
      case "namespace":
        return tool.tools.flatMap(({ name }) => [name, qualifiedName(name, tool.name)]);
      case "hosted":
        if (tool.substitute !== undefined) {
          return [
            ...(tool.isByClient === true ? [tool.substitute.name] : []),
            ...clientToolNames(tool.found ?? []),
          ];
        }
        return [tool.kind, ...(typeof tool.value.name === "string" ? [tool.value.name] : [])];
      default:
        return [];
    }
  }));
}

const isOfGateway = (tool: Tool): tool is ServerTool | HostedTool =>
  tool.type === "server" || (tool.type === "hosted" && tool.isByClient !== true);

/** Names of the tools that a model may call now. */
function offeredNames(tools: readonly Tool[]): readonly string[] {
  const own = tools.flatMap((tool) =>
    isOfGateway(tool) && tool.substitute !== undefined ? [tool.substitute.name] : []
  );
  return [...own, ...clientToolNames(withoutDeferred(tools))];
}

/** Names that are listed to the model, and UTF-16 units of one that it has made up. */
const MOST_NAMES = 50;
const MOST_UNITS = 200;

/** The result that the model gets for a call of a tool that nobody offered. */
export function unknownCallResult(
  { kind, callId, name }: ToolCallItem,
  tools: readonly Tool[],
): ToolResultItem {
  const names = offeredNames(tools);
  const others = names.length === 0
    ? "There are none."
    : `There are: ${names.slice(0, MOST_NAMES).join(", ")}${names.length > MOST_NAMES ? ", …" : ""}.`;
  const error = `There is no tool ${truncateStart(name, MOST_UNITS)}. ${others}`;
  return { type: "result", kind, callId, output: JSON.stringify({ error }) };
}
