/** The body of POST /chat/completions → the canonical request. */

import { type ChatRequest, chatRequest } from "../../../../shared/chat/request.ts";
import { sparseValidator } from "../../../../shared/validation/validate_sparse.ts";
import type { WireExtra } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { answeredBy } from "../../common/inbound/answered_by.ts";
import { choosableTools } from "../../common/inbound/choosable_tools.ts";
import { parseGatewayFields } from "../../common/inbound/parse_gateway_fields.ts";
import { invalidRequestError } from "../../common/inbound/request_errors.ts";
import { nestedKeys, pickAllUnknown } from "../../common/inbound/unknown_fields.ts";
import { parseServiceTier } from "../../common/inbound/parse_service_fields.ts";
import type { ParseOptions } from "../../wire.ts";
import type { ChatResponseOptions } from "./render_context.ts";
import { parseFormat, parseInclude, parseReasoning, parseSampling, parseStop } from "./parse_fields.ts";
import { parseKnownFiles } from "./parse_known_files.ts";
import { parseMessages } from "./parse_messages.ts";
import { parseToolChoice, parseTools } from "./parse_tools.ts";

interface ParsedChatRequest {
  readonly request: ModelRequest;
  readonly echo: ChatResponseOptions;
}

/**
 * Throws API errors: 400 for what the schemas refuse, 422 for faults of meaning; `metadata.path` names the place.
 */
export function parseRequest(json: unknown, { sessionId }: ParseOptions = {}): ParsedChatRequest {
  const checked = checkRequest(json);
  if (!checked.ok) throw invalidRequestError(checked.faults);
  const body = checked.value;
  const hidden = body.reasoning?.exclude === true || body.include_reasoning === false;
  return { request: requestOf(body, sessionId), echo: { hideReasoning: hidden } };
}

function requestOf(body: ChatRequest, sessionId: string | undefined): ModelRequest {
  const { items, dropped } = parseMessages(body.messages);
  const tools = parseTools(body.tools ?? []);
  const reasoning = parseReasoning(body);
  return {
    model: body.model ?? undefined,
    input: items,
    tools,
    toolChoice: parseToolChoice(body.tool_choice, choosableTools(body, tools)),
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stop: parseStop(body),
    sampling: parseSampling(body),
    reasoning,
    format: parseFormat(body),
    verbosity: body.verbosity ?? undefined,
    modalities: body.modalities ?? undefined,
    stream: body.stream ?? false,
    include: parseInclude(body, reasoning),
    serviceTier: parseServiceTier(body),
    promptCacheOptions: body.prompt_cache_options ?? undefined,
    metadata: body.metadata ?? undefined,
    ...parseGatewayFields(body, sessionId),
    answeredBy: answeredBy(body.messages),
    knownFiles: parseKnownFiles(body.messages),
    extra: extraOf(body),
    dropped,
  };
}

const known: ReadonlySet<string> = new Set(Object.keys(chatRequest.shape));

const nested = nestedKeys({
  stream_options: new Set(["include_usage"]),
  response_format: new Set(["type", "json_schema"]),
  "response_format.json_schema": new Set(["name", "description", "schema", "strict"]),
  tool_choice: new Set(["type", "function", "custom", "allowed_tools"]),
});

function extraOf(body: ChatRequest): WireExtra | undefined {
  const rest = pickAllUnknown(body, { known, nested });
  return rest === undefined ? undefined : { chat: rest };
}

const checkRequest = sparseValidator(chatRequest);
