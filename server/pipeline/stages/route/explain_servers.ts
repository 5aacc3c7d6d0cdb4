/** The MCP servers of a request, for POST /v1/route/explain: who calls them, and what is known of their tools. */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { CallerRules } from "../../caller_rules.ts";
import { modelFinder } from "../../routing/find_models.ts";
import type { RoutePlanDeps } from "../../routing/route_plan.ts";
import { isMcp } from "../../tools/mcp/list_servers.ts";
import { withServers } from "../../tools/mcp/named_servers.ts";
import { areServersNative, planServers, type ServerPlan } from "../../tools/mcp/server_plan.ts";
import { serverSettings } from "../../tools/mcp/server_settings.ts";
import type { ToolDeps } from "../../tools/tool_definition.ts";
import { checkServers } from "../tool_loop/open_servers.ts";

interface ServersDeps extends RoutePlanDeps {
  readonly toolDeps: Pick<ToolDeps, "mcp">;
}

interface ServersInput {
  readonly request: ModelRequest;
  readonly rules: CallerRules | undefined;
}

interface ExplainedServers {
  readonly servers: readonly JsonObject[];
  /** Tools of servers that the gateway calls; absent where the providers call them. */
  readonly listed?: ServerPlan;
}

/** Asks no server: of one that is listed neither in the request nor in memory no tool is known. Throws an ApiError. */
export async function explainServers(
  deps: ServersDeps,
  { request, rules }: ServersInput,
): Promise<ExplainedServers | undefined> {
  const access = deps.toolDeps.mcp;
  const named = withServers(request).tools.filter(isMcp);
  if (named.length === 0) return undefined;
  const candidates = modelFinder(deps, { generation: "", rules }).findAll(request);
  const labels = named.map(({ value }) => String(value.server_label));
  if (areServersNative({ named: request.tools, tools: request.tools, candidates, access })) {
    return { servers: labels.map((server_label) => ({ server_label, called_by: "provider" })) };
  }
  checkServers(request.tools);
  const session = access.openKept();
  const { signal } = new AbortController();
  const listed = await planServers({ request, session, signal, suffix: "explain" });
  return { servers: named.map(({ value }) => serverOf(serverSettings(value).label, listed)), listed };
}

function serverOf(server_label: string, { request }: ServerPlan): JsonObject {
  const tools = request.tools.flatMap((tool) =>
    tool.type === "function" && tool.mcp?.label === server_label ? [tool.name] : []
  );
  return { server_label, called_by: "gateway", tools: tools.length === 0 ? null : tools };
}
