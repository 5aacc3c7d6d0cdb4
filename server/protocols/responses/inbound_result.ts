/** The result object of POST /responses (wire-reference §3.8): the superset of fields, in every place it stands. */

import type { Usage } from "../../../shared/usage.ts";
import type { Failure, FinishReason } from "../../hub/event.ts";
import type { Json } from "../../hub/item.ts";
import { refusalKinds } from "../../../shared/errors.ts";
import type { Settled } from "../wire.ts";
import type { RenderContext } from "./inbound_context.ts";

export interface Outcome {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly Json[];
  readonly usage?: Usage;
  readonly reason?: FinishReason;
  readonly failure?: Failure;
  readonly serviceTier?: string;
  /** Response-level fields of the provider that we have no words for. */
  readonly extra?: Json;
}

/** wire-reference §3.8.1. */
export function renderUsage(usage: Usage, more: Json): Json {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...more,
  };
}

/** The code inside a failed response or an error event, from the list that clients know (wire-reference §2.7, §3.7). */
export function failureCode(failure: Failure): string {
  if (failure.code !== undefined && knownCodes.has(failure.code)) return failure.code;
  if (failure.kind === "rate_limited") return "rate_limit_exceeded";
  if (failure.kind === "invalid_request" || failure.kind === "context_length") return "invalid_prompt";
  return "server_error";
}

const knownCodes = new Set(
  ("server_error rate_limit_exceeded invalid_prompt vector_store_timeout invalid_image invalid_image_format " +
    "invalid_base64_image invalid_image_url image_too_large image_too_small image_parse_error " +
    "image_content_policy_violation invalid_image_mode image_file_too_large unsupported_image_media_type " +
    "empty_image_file failed_to_download_image image_file_not_found bio_policy cyber_policy " +
    "misalignment_policy_violation data_residency_mismatch").split(" "),
);

function incompleteDetails(reason: FinishReason | undefined): Json | null {
  if (reason === "length") return { reason: "max_output_tokens" };
  if (reason === "content_filter") return { reason: "content_filter" };
  return null;
}

/** The result while the answer is under way: full, so that strict clients accept it (client-requirements 1). */
export function renderProgress(context: RenderContext): Json {
  return renderResult(context, { status: "in_progress", output: [] });
}

/** The result object. With `settled` it is the final one. */
export function renderResult(context: RenderContext, outcome: Outcome, settled?: Settled): Json {
  const { failure, usage } = outcome;
  return {
    id: context.responseId,
    object: "response",
    created_at: context.createdAt,
    completed_at: settled?.completedAt ?? null,
    status: outcome.status,
    model: context.model(),
    output: outcome.output,
    error: failure === undefined ? null : { code: failureCode(failure), message: failure.message },
    ...(failure === undefined ? {} : { error_type: refusalKinds[failure.kind].errorType }),
    incomplete_details: incompleteDetails(outcome.reason),
    usage: usage === undefined ? null : renderUsage(usage, settled?.usage ?? {}),
    ...outcome.extra,
    ...context.echo,
    service_tier: outcome.serviceTier ?? context.echo.service_tier,
    ...settled?.extra,
  };
}
