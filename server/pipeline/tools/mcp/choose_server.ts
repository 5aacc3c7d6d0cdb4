/** `tool_choice` of a request whose MCP servers the gateway calls: their tools are functions there. */

import { ApiError } from "../../../../shared/errors.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ToolChoice, ToolReference } from "../../../protocols/canonical/request.ts";
import type { OfferedTool } from "./mcp_tool.ts";

type Offered = readonly OfferedTool[];

/** Throws an ApiError (400) where a choice forces what no server has brought. */
export function choiceOfServers(choice: ToolChoice | undefined, offered: Offered): ToolChoice | undefined {
  switch (choice?.type) {
    case "hosted":
      return choice.kind === "mcp" ? forcedChoice(choice.value, offered) : choice;
    case "allowed":
      return allowedChoice(choice, offered);
    default:
      return choice;
  }
}

/** References to the tools that `{type: "mcp", server_label, name?}` means. */
const namedBy = ({ server_label, name }: JsonObject, offered: Offered): readonly ToolReference[] =>
  offered.filter(({ settings, tool }) =>
    (server_label === undefined || server_label === null || settings.label === server_label) &&
    (typeof name !== "string" || tool.name === name)
  ).map(({ name: own }) => ({ kind: "function", name: own }));

const entryOf = ({ kind, name }: ToolReference): JsonObject => ({ type: kind, name });

function forcedChoice(value: JsonObject, offered: Offered): ToolChoice {
  const tools = namedBy(value, offered);
  const [first] = tools;
  if (first === undefined) {
    const message = "tool_choice forces a tool that the MCP server has not brought.";
    throw new ApiError("invalid_request", message, { metadata: { path: "tool_choice" } });
  }
  if (tools.length === 1) return { type: "named", tool: first };
  return {
    type: "allowed",
    mode: "required",
    tools,
    value: { type: "allowed_tools", mode: "required", tools: tools.map(entryOf) },
  };
}

function allowedChoice(choice: Extract<ToolChoice, { type: "allowed" }>, offered: Offered): ToolChoice {
  const listed = Array.isArray(choice.value.tools) ? choice.value.tools.filter(isRecord) : [];
  if (!listed.some(({ type }) => type === "mcp")) return choice;
  const added = listed.filter(({ type }) => type === "mcp").flatMap((entry) => namedBy(entry, offered));
  const rest = listed.filter(({ type }) => type !== "mcp");
  return {
    ...choice,
    tools: [...choice.tools, ...added],
    value: { ...choice.value, tools: [...rest, ...added.map(entryOf)] },
  };
}
