/** The body of POST /responses → the canonical request, and what the answer repeats of it. */

import { ApiError } from "../../../../shared/errors.ts";
import { sparseValidator } from "../../../../shared/validation/validate_sparse.ts";
import {
  reasoningConfig,
  type ResponseRequest,
  responseRequest,
} from "../../../../shared/responses/request.ts";
import type { WireExtra } from "../../canonical/item.ts";
import type { ModelRequest, Tool } from "../../canonical/request.ts";
import { answeredBy } from "../../common/inbound/answered_by.ts";
import { invalidRequestError } from "../../common/inbound/request_errors.ts";
import { parseProviderPreferences, parseServiceTier } from "../../common/inbound/parse_service_fields.ts";
import { nestedKeys, pickAllUnknown } from "../../common/inbound/unknown_fields.ts";
import { parseSessionId } from "../../common/inbound/parse_session_id.ts";
import { buildEcho, type ResponseEcho } from "./echo.ts";
import { parseFormat, parseReasoning, parseSampling } from "./parse_fields.ts";
import { type ParsedInput, parseInput } from "./parse_input.ts";
import { parseToolChoice, parseTools } from "./parse_tools.ts";
import { validateRequest } from "./validate_request.ts";

export interface ParsedResponsesRequest {
  readonly request: ModelRequest;
  readonly echo: ResponseEcho;
}

interface ParseOptions {
  /** The `x-session-id` header, used where the body names no session. */
  readonly sessionId?: string;
}

/**
 * Takes parsed JSON whose depth was checked (api/body/json_limits.ts). Throws API errors: 400 for what the schemas
 * refuse, 422 for faults of meaning; `metadata.path` names the place, `metadata.issues` further ones.
 */
export function parseRequest(json: unknown, { sessionId }: ParseOptions = {}): ParsedResponsesRequest {
  const checked = checkRequest(json);
  if (!checked.ok) throw invalidRequestError(checked.faults);
  const body = checked.value;
  if (body.input === null || body.input === undefined) throw withoutInput(body);
  const input = parseInput(body.input);
  const tools = parseTools(body.tools ?? [], input.tools);
  validateRequest(body, tools);
  if (input.items.length === 0 && !body.instructions) throw withoutInput(body);
  return { request: requestOf(body, { input, tools, sessionId }), echo: buildEcho(body) };
}

/** A body without input means nothing; callers of the other API are told of the field's name. */
function withoutInput({ input, messages }: ResponseRequest): ApiError {
  const state = Array.isArray(input) ? "has no items that could be sent" : "is missing";
  const hint = messages === undefined
    ? ""
    : "; `messages` belongs to /chat/completions and is called `input` here";
  const message = `input ${state}; a string or an array of items is expected${hint}`;
  return new ApiError("invalid_request", message, { metadata: { path: "input" } });
}

interface Context {
  readonly input: ParsedInput;
  readonly tools: readonly Tool[];
  readonly sessionId?: string;
}

/** One literal: an object that grows key by key is copied over and over. */
function requestOf(body: ResponseRequest, { input, tools, sessionId }: Context): ModelRequest {
  return {
    model: body.model ?? undefined,
    models: body.models ?? [],
    instructions: body.instructions || undefined,
    input: input.items,
    tools,
    toolChoice: body.tool_choice ? parseToolChoice(body.tool_choice) : undefined,
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    maxOutputTokens: body.max_output_tokens ?? undefined,
    sampling: parseSampling(body),
    reasoning: parseReasoning(body.reasoning, input.effort),
    format: parseFormat(input.format ?? body.text?.format),
    verbosity: body.text?.verbosity ?? undefined,
    modalities: body.modalities ?? undefined,
    imageConfig: body.image_config ?? undefined,
    stream: body.stream ?? false,
    include: body.include ?? [],
    serviceTier: parseServiceTier(body),
    truncation: body.truncation ?? undefined,
    dropped: input.dropped,
    promptCacheKey: body.prompt_cache_key ?? undefined,
    promptCacheOptions: body.prompt_cache_options ?? undefined,
    cache: body.cache_control ? { ttl: body.cache_control.ttl ?? undefined } : undefined,
    metadata: body.metadata ?? undefined,
    endUser: { user: body.user || undefined, safetyIdentifier: body.safety_identifier || undefined },
    sessionId: parseSessionId(body.session_id, sessionId),
    answeredBy: Array.isArray(body.input) ? answeredBy(body.input) : undefined,
    maxToolCalls: body.max_tool_calls ?? undefined,
    stopWhen: body.stop_server_tools_when ?? undefined,
    plugins: body.plugins ?? [],
    provider: parseProviderPreferences(body),
    trace: body.trace ?? undefined,
    echoUpstreamBody: body.debug?.echo_upstream_body ?? false,
    extra: extraOf(body),
  };
}

const known: ReadonlySet<string> = new Set(Object.keys(responseRequest.shape));

const nested = nestedKeys({
  reasoning: new Set(Object.keys(reasoningConfig.shape)),
  text: new Set(["format", "verbosity"]),
  "text.format": new Set(["type", "name", "schema", "description", "strict"]),
});

function extraOf(body: ResponseRequest): WireExtra | undefined {
  const rest = pickAllUnknown(body, { known, nested });
  return rest === undefined ? undefined : { responses: rest };
}

const checkRequest = sparseValidator(responseRequest);
