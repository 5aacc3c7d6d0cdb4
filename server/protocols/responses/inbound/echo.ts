/** Fields of a result object that repeat its request, defaults filled in (specification, Clients, 1). */

import type { ResponseRequest } from "../../../../shared/responses/request.ts";
import type { TextConfig } from "../../../../shared/responses/text_config.ts";
import type { ToolInput } from "../../../../shared/responses/tools.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { DEFAULT_SCHEMA_NAME } from "./parse_fields.ts";

/** Keys as the wire spells them, so that a result object can take them over as they are. */
export interface ResponseEcho {
  readonly background: boolean;
  readonly frequency_penalty: number;
  readonly instructions: string | null;
  readonly max_output_tokens: number | null;
  readonly max_tool_calls: number | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly parallel_tool_calls: boolean;
  readonly presence_penalty: number;
  readonly previous_response_id: null;
  readonly prompt_cache_key: string | null;
  readonly reasoning: JsonObject;
  readonly safety_identifier: string | null;
  /** Requested tier; the provider's own word replaces it. */
  readonly service_tier: string;
  readonly store: false;
  readonly temperature: number;
  readonly text: JsonObject;
  readonly tool_choice: unknown;
  readonly tools: readonly JsonObject[];
  readonly top_logprobs: number;
  readonly top_p: number;
  readonly truncation: "auto" | "disabled";
  readonly user: string | null;
}

/**
 * Numbers and `service_tier` are never null, though the specification would allow it: some clients refuse
 * null there (specification, Clients, Contradictions).
 */
export function buildEcho(body: ResponseRequest): ResponseEcho {
  return {
    background: body.background ?? false,
    frequency_penalty: body.frequency_penalty ?? 0,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: body.presence_penalty ?? 0,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: echoReasoning(body.reasoning),
    safety_identifier: body.safety_identifier ?? null,
    service_tier: echoTier(body.service_tier),
    store: false,
    temperature: body.temperature ?? 1,
    text: echoText(body.text),
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools?.map(echoTool) ?? [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? "disabled",
    user: body.user ?? null,
  };
}

/** Clients read effort and summary always, the other two only where they were sent. */
function echoReasoning(config: ResponseRequest["reasoning"]): JsonObject {
  const echo = {
    effort: config?.effort ?? null,
    summary: config?.summary ?? config?.generate_summary ?? null,
  };
  if (!config?.context && !config?.mode) return echo;
  return { ...echo, context: config.context ?? null, mode: config.mode ?? null };
}

function echoTier(tier: ResponseRequest["service_tier"]): string {
  if (!tier || tier === "auto") return "default";
  return tier === "fast" ? "priority" : tier;
}

function echoText(config: TextConfig | null | undefined): JsonObject {
  const verbosity = config?.verbosity ? { verbosity: config.verbosity } : {};
  const format = config?.format;
  if (!format) return { format: { type: "text" }, ...verbosity };
  if (format.type !== "json_schema" || format.name) return { format, ...verbosity };
  return { format: { ...format, name: DEFAULT_SCHEMA_NAME }, ...verbosity };
}

/**
 * Function tools need all their keys (specification, Result object); an MCP server's credentials are not sent back, nor is the
 * query of its address, which may hold some.
 */
function echoTool(tool: ToolInput): JsonObject {
  if (tool.type === "function") {
    const { description = null, parameters = null, strict = null } = tool;
    return { ...tool, description, parameters, strict };
  }
  if (tool.type !== "mcp") return tool;
  const { authorization: _authorization, headers: _headers, ...shown } = tool;
  const url = URL.parse(tool.server_url ?? "");
  if (url === null || (url.search === "" && url.username === "" && url.password === "")) return shown;
  return { ...shown, server_url: `${url.origin}${url.pathname}` };
}
