/** Lists the MCP servers of a request before its first turn, where the gateway is the one to call them. */

import { ApiError } from "../../../../shared/errors.ts";
import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { CallerRules } from "../../caller_rules.ts";
import type { RequestContext } from "../../request_context.ts";
import { modelFinder } from "../../routing/find_models.ts";
import { isMcp } from "../../tools/mcp/list_servers.ts";
import { withServers } from "../../tools/mcp/named_servers.ts";
import { areServersNative, planServers, type ServerPlan } from "../../tools/mcp/server_plan.ts";
import { settingsIssue } from "../../tools/mcp/server_settings.ts";
import { isToolset, wantsListings } from "../../tools/mcp/toolsets.ts";
import { textOf } from "../../tools/tool_definition.ts";
import type { ServerToolsDeps } from "./server_tools_deps.ts";

interface OpenInput {
  readonly context: RequestContext;
  readonly rules: CallerRules | undefined;
}

/** Undefined where there are none, or where the providers call them. Throws an ApiError. */
export async function openServers(
  deps: ServerToolsDeps,
  { context, rules }: OpenInput,
): Promise<ServerPlan | undefined> {
  const { ids: { generation }, record } = context;
  const request = withServers(context.request);
  if (!request.tools.some(isMcp)) return undefined;
  const access = deps.toolDeps.mcp;
  const { tools: named } = context.request;
  const candidates = modelFinder(deps, { generation, rules }).findAll(context.request);
  if (areServersNative({ named, tools: request.tools, candidates, access })) return undefined;
  checkServers(request.tools);
  const session = access.open();
  const abort = new AbortController();
  const end = (why: string) => abort.abort(new ApiError("timeout", why));
  const forget = [
    context.clientDisconnect.onFire(() => end("Client disconnected.")),
    deps.stop.onFire(() => end("The gateway is stopping.")),
  ];
  const startedAt = deps.clock.monotonic();
  try {
    const suffix = generation.slice("gen-".length);
    const plan = await planServers({ request, session, signal: abort.signal, suffix });
    if (context.origin?.api !== "responses") checkApprovals(plan);
    for (const note of plan.notes) record.addNote(note);
    noteListing(context, { plan, ms: deps.clock.monotonic() - startedAt });
    const isShown = context.origin?.api !== "messages" || wantsListings(request);
    const opening = isShown ? await guardedEvents(context, plan.turns.opening) : [];
    return { ...plan, turns: { ...plan.turns, opening } };
  } catch (error) {
    record.holdReceipt(session.close());
    throw error;
  } finally {
    for (const run of forget) run();
  }
}

/** Listings as the guardrails let the client see them. Throws an ApiError where they block one. */
async function guardedEvents(
  { guards }: RequestContext,
  events: readonly OutputEvent[],
): Promise<readonly OutputEvent[]> {
  const guard = await guards?.current();
  if (guard === undefined) return events;
  return await Promise.all(events.map(async (event): Promise<OutputEvent> => {
    if (event.type !== "item_done" || event.item?.type !== "foreign") return event;
    const { item } = event;
    const listed = { output: "", fields: item.value };
    const { fields } = await guard.readToolOutput(listed, { kind: "mcp", bringer: "server tool mcp" });
    return { ...event, item: { ...item, value: fields } };
  }));
}

/** Throws an ApiError (400) for settings that only a provider could use: a tunnel is one of its own account. */
export function checkServers(tools: RequestContext["request"]["tools"]): void {
  tools.forEach((tool, index) => {
    const issue = isMcp(tool) ? settingsIssue(tool.value) : undefined;
    if (issue === undefined) return;
    const path = `tools[${index}].${issue.field}`;
    throw new ApiError("invalid_request", `${path} ${issue.message}`, { metadata: { path } });
  });
  const index = tools.findIndex((tool) => isMcp(tool) && textOf(tool.value.server_url) === undefined);
  if (index < 0) return;
  const path = `tools[${index}].tunnel_id`;
  const message = `${path} can be used where OpenAI alone may answer. Name the server by server_url.`;
  throw new ApiError("invalid_request", message, { metadata: { path } });
}

/** Throws an ApiError (400): only the Responses API has words for an approval. */
function checkApprovals({ planned }: ServerPlan): void {
  const asking = planned.find(({ definition }) => definition.opensLate === true);
  if (asking === undefined) return;
  const message = `Calls of the tool ${asking.name} need an approval, which this API has no words for. ` +
    'Set require_approval to "never", or use the Responses API.';
  throw new ApiError("invalid_request", message, { metadata: { path: "tools" } });
}

interface Listing {
  readonly plan: ServerPlan;
  readonly ms: number;
}

function noteListing({ record, request }: RequestContext, { plan, ms }: Listing): void {
  const servers = request.tools.filter((tool) => isMcp(tool) || isToolset(tool)).length;
  const tools = plan.planned.length;
  record.addStage({
    type: "server_tools",
    name: "mcp",
    summary: `Offered ${tools} tools of ${servers === 1 ? "1 MCP server" : `${servers} MCP servers`}.`,
    data: { servers, tools, duration_ms: Math.round(ms) },
  });
}
