/** The body of POST /messages → the canonical request. */

import { ApiError } from "../../../../shared/errors.ts";
import { sparseValidator } from "../../../../shared/validation/validate_sparse.ts";
import { type MessagesRequest, messagesRequest } from "../../../../shared/messages/request.ts";
import type { WireExtra } from "../../canonical/item.ts";
import type { ModelRequest, OutputFormat, ReasoningOptions } from "../../canonical/request.ts";
import { answeredBy } from "../../common/inbound/answered_by.ts";
import { choosableTools } from "../../common/inbound/choosable_tools.ts";
import { parseGatewayFields } from "../../common/inbound/parse_gateway_fields.ts";
import { invalidRequestError } from "../../common/inbound/request_errors.ts";
import { nestedKeys, pickAllUnknown } from "../../common/inbound/unknown_fields.ts";
import { parseServiceTier } from "../../common/inbound/parse_service_fields.ts";
import type { ParseOptions } from "../../wire.ts";
import type { MessagesResponseOptions } from "./render_context.ts";
import { isClosedSchema } from "./closed_schema.ts";
import { parseMessages, parseSystem } from "./parse_messages.ts";
import { parseCacheBreakpoint } from "./parse_parts.ts";
import { parseParallel, parseToolChoice, parseTools } from "./parse_tools.ts";

interface ParsedMessagesRequest {
  readonly request: ModelRequest;
  readonly echo: MessagesResponseOptions;
}

/** Throws ApiErrors that name the place (`metadata.path`) and what is wrong there. */
export function parseRequest(json: unknown, { sessionId }: ParseOptions = {}): ParsedMessagesRequest {
  const checked = checkRequest(json);
  if (!checked.ok) throw invalidRequestError(checked.faults);
  const { thinking, thread } = checked.value;
  if (thread) throw withoutThread();
  const omitThoughts = thinking?.type !== undefined && displayOf(thinking) === "omitted";
  return { request: requestOf(checked.value, sessionId), echo: { omitReasoning: omitThoughts } };
}

/** Nothing is stored that a thread could go on from; by the code the client knows to send the whole history. */
function withoutThread(): ApiError {
  const message = "thread is not supported: conversations are not stored, send the whole history in messages";
  return new ApiError("invalid_request", message, {
    metadata: { path: "thread", error_code: "thread_unsupported_request", unsupported: ["thread"] },
  });
}

type Thinking = NonNullable<MessagesRequest["thinking"]>;

const displayOf = (thinking: Thinking) =>
  thinking.type === "enabled" || thinking.type === "adaptive" ? thinking.display : undefined;

function requestOf(body: MessagesRequest, sessionId: string | undefined): ModelRequest {
  const tools = parseTools(body.tools ?? []);
  const reasoning = parseReasoning(body);
  return {
    ...parseGatewayFields(body, sessionId),
    answeredBy: answeredBy(body.messages),
    cache: parseCacheBreakpoint(body),
    model: body.model ?? undefined,
    models: modelsOf(body),
    instructions: typeof body.system === "string" ? body.system || undefined : undefined,
    input: [...parseSystem(body.system), ...parseMessages(body.messages)],
    tools,
    toolChoice: parseToolChoice(body.tool_choice, choosableTools(body, tools)),
    parallelToolCalls: parseParallel(body.tool_choice),
    maxOutputTokens: body.max_tokens,
    stop: body.stop_sequences?.length ? body.stop_sequences : undefined,
    sampling: {
      temperature: body.temperature ?? undefined,
      topP: body.top_p ?? undefined,
      topK: body.top_k ?? undefined,
    },
    reasoning,
    format: parseFormat(body),
    stream: body.stream ?? false,
    include: reasoning === undefined ? [] : ["reasoning.encrypted_content"],
    serviceTier: body.service_tier === "standard_only" ? "default" : parseServiceTier(body),
    endUser: {
      user: body.user || body.metadata?.user_id || undefined,
      safetyIdentifier: body.safety_identifier || undefined,
    },
    extra: extraOf(body),
    dropped: [],
  };
}

const known: ReadonlySet<string> = new Set(Object.keys(messagesRequest.shape));

const nested = nestedKeys({
  output_config: new Set(["effort", "format"]),
  "output_config.format": new Set(["type", "schema", "strict"]),
  thinking: new Set(["type", "budget_tokens", "display"]),
  tool_choice: new Set(["type", "name", "disable_parallel_tool_use"]),
});

function extraOf(body: MessagesRequest): WireExtra | undefined {
  const rest = pickAllUnknown(body, { known, nested });
  return rest === undefined ? undefined : { messages: rest };
}

const checkRequest = sparseValidator(messagesRequest);

/** `fallbacks` are further models, after those that `models` names. */
function modelsOf({ models, fallbacks }: MessagesRequest): readonly string[] {
  const further = (fallbacks ?? []).map((one) => typeof one === "string" ? one : one.model);
  return [...models ?? [], ...further];
}

/**
 * A caller who turns thinking on wants to read it, unless they say otherwise; other models must be asked for that.
 */
function parseReasoning(
  { thinking, output_config, max_tokens }: MessagesRequest,
): ReasoningOptions | undefined {
  const effort = output_config?.effort ?? effortOf(thinking, max_tokens);
  if (!thinking) return effort === undefined ? undefined : { effort, effortOnly: true };
  if (thinking.type !== "enabled" && thinking.type !== "adaptive") return { enabled: false };
  const summary = thinking.display === "omitted" ? {} : { summary: "auto" };
  const budget = thinking.type === "enabled" ? thinking.budget_tokens ?? undefined : undefined;
  return {
    enabled: true,
    ...(effort === undefined ? {} : { effort }),
    ...(budget === undefined ? {} : { maxTokens: budget }),
    ...summary,
    ...(thinking.display === "updates" ? { display: "updates" } : {}),
  };
}

/** Most models are told an effort and no budget: the one that a budget amounts to, as a share of the output cap. */
function effortOf(thinking: MessagesRequest["thinking"], maxTokens: number): string | undefined {
  const budget = thinking?.type === "enabled" ? thinking.budget_tokens ?? undefined : undefined;
  if (budget === undefined) return undefined;
  const share = budget / maxTokens;
  if (share > 0.65) return "high";
  return share > 0.35 ? "medium" : "low";
}

/**
 * Other wires refuse a strict schema with keys that may be missing, which is none here: strict is what is closed, or
 * what the client calls so.
 */
function parseFormat({ output_config, output_format }: MessagesRequest): OutputFormat {
  const format = output_config?.format ?? output_format;
  if (!format) return { type: "text" };
  const { schema, strict } = format;
  const isStrict = typeof strict === "boolean" ? strict : isClosedSchema(schema) || undefined;
  return { type: "json_schema", name: "response", schema, strict: isStrict };
}
