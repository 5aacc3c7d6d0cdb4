/**
 * The result object of POST /responses (specification, Result object): the superset of fields, in every place it
 * stands.
 */

import type { Usage } from "../../canonical/usage.ts";
import type { Failure, FinishReason } from "../../canonical/event.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { apiErrorKinds } from "../../../../shared/errors.ts";
import type { CompletionInfo } from "../../wire.ts";
import type { ResponseEcho } from "./echo.ts";
import type { RenderContext } from "./render_context.ts";

export interface ResultOutcome {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly JsonObject[];
  readonly usage?: Usage;
  readonly reason?: FinishReason;
  readonly failure?: Failure;
  readonly serviceTier?: string;
  /** Response-level fields of the provider that we have no words for. */
  readonly extra?: JsonObject;
}

/** specification, usage. */
function renderUsage(usage: Usage, more: JsonObject): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...more,
  };
}

/**
 * The code inside a failed response or an error event, from the list that clients know (specification, Canonical
 * error_type enum, §3.7).
 */
export function failureCode(failure: Failure): string {
  if (failure.code !== undefined && knownCodes.has(failure.code)) return failure.code;
  if (failure.kind === "rate_limited") return "rate_limit_exceeded";
  if (failure.kind === "invalid_request" || failure.kind === "context_length") return "invalid_prompt";
  return "server_error";
}

/** Metadata that an API error of the same kind would have. */
export const metadataOf = ({ metadata }: Failure): JsonObject => metadata === undefined ? {} : { metadata };

const knownCodes = new Set(
  ("server_error rate_limit_exceeded invalid_prompt vector_store_timeout invalid_image invalid_image_format " +
    "invalid_base64_image invalid_image_url image_too_large image_too_small image_parse_error " +
    "image_content_policy_violation invalid_image_mode image_file_too_large unsupported_image_media_type " +
    "empty_image_file failed_to_download_image image_file_not_found bio_policy cyber_policy " +
    "misalignment_policy_violation data_residency_mismatch").split(" "),
);

function incompleteDetails(reason: FinishReason | undefined): JsonObject | null {
  if (reason === "length") return { reason: "max_output_tokens" };
  if (reason === "content_filter") return { reason: "content_filter" };
  return null;
}

/** The result while the answer is under way: full, so that strict clients accept it (client-requirements 1). */
export function renderProgress(context: RenderContext): JsonObject {
  return renderResult(context, { status: "in_progress", output: [] });
}

/** The result object. With `settled` it is the final one. */
export function renderResult(
  context: RenderContext,
  outcome: ResultOutcome,
  settled?: CompletionInfo,
): JsonObject {
  const { failure, extra } = outcome;
  const fallback = usualResult(context, { outcome, settled });
  const usageFields = settled === undefined ? {} : reportedFields(settled);
  if (failure === undefined && extra === undefined) {
    return Object.keys(usageFields).length === 0 ? fallback : { ...fallback, ...usageFields };
  }
  const { id, object, created_at, completed_at, status, model, output, incomplete_details, usage } = fallback;
  const begun = { id, object, created_at, completed_at, status, model, output };
  const failed = failure === undefined ? { error: null } : {
    error: { code: failureCode(failure), message: failure.message, ...metadataOf(failure) },
    error_type: apiErrorKinds[failure.kind].errorType,
  };
  const { service_tier } = fallback;
  const ended = { incomplete_details, usage };
  return { ...begun, ...failed, ...ended, ...extra, ...context.echo, service_tier, ...usageFields };
}

const reportedFields = ({ extra, notes = [] }: CompletionInfo): JsonObject =>
  notes.length === 0 ? extra : { ...extra, notes };

interface Shown {
  readonly outcome: ResultOutcome;
  readonly settled: CompletionInfo | undefined;
}

/**
 * Renders the result that most answers have: one literal, which is made and written out in half the time of objects
 * laid together.
 */
function usualResult(context: RenderContext, { outcome, settled }: Shown) {
  const { echo } = context;
  const { usage } = outcome;
  return {
    id: context.responseId,
    object: "response",
    created_at: context.createdAt,
    completed_at: settled?.completedAt ?? null,
    status: outcome.status,
    model: context.model(),
    output: outcome.output,
    error: null,
    incomplete_details: incompleteDetails(outcome.reason),
    usage: usage === undefined ? null : renderUsage(usage, settled?.usage ?? {}),
    background: echo.background,
    frequency_penalty: echo.frequency_penalty,
    instructions: echo.instructions,
    max_output_tokens: echo.max_output_tokens,
    max_tool_calls: echo.max_tool_calls,
    metadata: echo.metadata,
    parallel_tool_calls: echo.parallel_tool_calls,
    presence_penalty: echo.presence_penalty,
    previous_response_id: echo.previous_response_id,
    prompt_cache_key: echo.prompt_cache_key,
    reasoning: echo.reasoning,
    safety_identifier: echo.safety_identifier,
    service_tier: outcome.serviceTier ?? echo.service_tier,
    store: echo.store,
    temperature: echo.temperature,
    text: echo.text,
    tool_choice: echo.tool_choice,
    tools: echo.tools,
    top_logprobs: echo.top_logprobs,
    top_p: echo.top_p,
    truncation: echo.truncation,
    user: echo.user,
  } satisfies ResponseEcho & JsonObject;
}
