/** The MCP servers of one request: whether this gateway calls them, what they offer, and what has been approved. */

import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import type { McpAccess, McpSession } from "../../../web/mcp/mcp_access.ts";
import { isNativeTool } from "../offered_tools.ts";
import { textOf } from "../tool_definition.ts";
import type { PlannedTool } from "../tool_plan.ts";
import { type ApprovedCall, resolveApprovals } from "./approvals.ts";
import { choiceOfServers } from "./choose_server.ts";
import { isMcp, listServers } from "./list_servers.ts";
import { isToolset } from "./toolsets.ts";
import { askingTool, runningTool } from "./mcp_tool.ts";

export interface ServerPlan {
  readonly request: ModelRequest;
  readonly planned: readonly PlannedTool[];
  readonly turns: McpTurns;
  /** Sentences for the client about servers that could not be listed. */
  readonly notes: readonly string[];
}

/** The part of a request's loop that its servers have. */
export interface McpTurns {
  /** Events that show the listings, ahead of the model's. */
  readonly opening: readonly OutputEvent[];
  /** Calls that run before the model's first turn. */
  readonly approved: readonly (ApprovedCall & { readonly tool: PlannedTool })[];
  readonly session: McpSession;
}

interface PlanInput {
  readonly request: ModelRequest;
  readonly session: McpSession;
  readonly signal: AbortSignal;
  readonly suffix: string;
}

/** Throws an ApiError; rejects with the signal's reason. */
export async function planServers(input: PlanInput): Promise<ServerPlan> {
  const { session } = input;
  const { request, offered, labels, opening, notes } = await listServers(input);
  const { input: items, approved } = resolveApprovals(request.input, { labels, offered });
  const toolChoice = choiceOfServers(request.toolChoice, offered);
  return {
    request: { ...request, input: items, toolChoice },
    planned: offered.map((one) =>
      one.settings.needsApproval(one.tool) ? askingTool(one) : runningTool(one, { session })
    ),
    turns: {
      opening,
      approved: approved.map((one) => ({
        ...one,
        tool: runningTool(one.offered, { session, requestId: one.requestId }),
      })),
      session,
    },
    notes,
  };
}

interface NativeInput {
  /** As the client names them. */
  readonly named: ModelRequest["tools"];
  /** The same in the words of the Responses API. */
  readonly tools: ModelRequest["tools"];
  readonly candidates: readonly RouteCandidate[];
  readonly access: McpAccess;
}

/** Whether each candidate's provider calls the servers itself: where one does not, the gateway does for all. */
export function areServersNative({ named, tools, candidates, access }: NativeInput): boolean {
  const isReachable = tools.filter(isMcp).every(({ value: { server_url: url, tunnel_id: tunnel } }) =>
    textOf(tunnel) !== undefined || access.isPublic(String(url))
  );
  const asked = named.filter((tool) => isMcp(tool) || isToolset(tool));
  return isReachable &&
    candidates.every(({ profile: { endpoint } }) => asked.every((tool) => isNativeTool(tool, endpoint)));
}
