/** One tool of an MCP server, as the loop of server tools runs it. */

import type { FunctionTool } from "../../../protocols/canonical/request.ts";
import type { McpSession, McpTool } from "../../../web/mcp/mcp_access.ts";
import type { PlannedTool } from "../tool_plan.ts";
import type { ToolDefinition } from "../tool_definition.ts";
import { failureOf, outcomeOf } from "./call_result.ts";
import { CALL, mcp, outputOfItem } from "./mcp.ts";
import type { McpServerSettings } from "./server_settings.ts";

/** A tool of a server that the model may call. */
export interface OfferedTool {
  readonly settings: McpServerSettings;
  readonly tool: McpTool;
  /** Under which the model calls it. */
  readonly name: string;
}

export const APPROVAL_REQUEST = "mcp_approval_request";

export function functionOf({ settings, tool, name }: OfferedTool): FunctionTool {
  const { label, description, isDeferred } = settings;
  const own = tool.description ?? "";
  const about = description === undefined ? [] : [`Server ${label}: ${description}`];
  return {
    type: "function",
    name,
    description: [...own === "" ? [] : [own], ...about].join("\n\n") || undefined,
    parameters: tool.inputSchema,
    mcp: { label, name: tool.name },
    ...(isDeferred(tool) ? { deferLoading: true } : {}),
  };
}

interface RunOptions {
  readonly session: McpSession;
  /** Id of the item whereby the client was asked for an approval, where it was. */
  readonly requestId?: string;
}

/** The tool as calls of it are run. */
export function runningTool(offered: OfferedTool, { session, requestId }: RunOptions): PlannedTool {
  const definition = definitionOf(offered);
  const approval = requestId === undefined ? {} : { approval_request_id: requestId };
  return plannedTool(offered, {
    ...definition,
    itemFields: (args, own) => ({ ...definition.itemFields(args, own), ...approval }),
    run: async ({ args, signal }) => {
      const { settings: { server }, tool } = offered;
      try {
        return outcomeOf(await session.call(server, { name: tool.name, args, signal }));
      } catch (error) {
        signal.throwIfAborted();
        return failureOf(error);
      }
    },
  });
}

/** The tool where the client has to approve each call first: nobody runs it. */
export function askingTool(offered: OfferedTool): PlannedTool {
  const definition = definitionOf(offered);
  return plannedTool(offered, {
    ...definition,
    hosted: { types: ["mcp"], itemType: APPROVAL_REQUEST },
    opensLate: true,
    progress: undefined,
  });
}

const plannedTool = ({ name }: OfferedTool, definition: ToolDefinition): PlannedTool => ({
  definition,
  name,
  itemType: definition.hosted?.itemType ?? CALL,
  settings: {},
});

const ARGUMENTS = "response.mcp_call_arguments";

function definitionOf({ settings: { label }, tool, name }: OfferedTool): ToolDefinition {
  return {
    ...mcp,
    shownName: name,
    itemFields: () => ({ server_label: label, name: tool.name, arguments: "" }),
    outputOf: outputOfItem,
    progress: {
      started: ["response.mcp_call.in_progress"],
      requested: (_args, text) => [
        { type: `${ARGUMENTS}.delta`, delta: text },
        { type: `${ARGUMENTS}.done`, arguments: text },
      ],
      completed: ["response.mcp_call.completed"],
      failed: ["response.mcp_call.failed"],
    },
  };
}
