/** The provider's result object (wire-reference §3.8): how an answer ended and what else it says. */

import * as z from "zod";
import type { FailureEvent, FinishEvent, FinishReason } from "../../hub/event.ts";
import type { Extra, Json } from "../../hub/item.ts";
import { broken, failureOf, findError } from "./outbound_failure.ts";
import { readUsage } from "./outbound_usage.ts";

const word = z.string().optional().catch(undefined);

const result = z.looseObject({
  id: word,
  model: word,
  status: word,
  service_tier: word,
  output: z.array(z.unknown()).optional().catch(undefined),
  incomplete_details: z.looseObject({ reason: word }).nullish().catch(undefined),
});
export type Result = z.infer<typeof result>;

/** Undefined for what is no object. */
export function readResult(value: unknown): Result | undefined {
  const read = result.safeParse(value);
  return read.success ? read.data : undefined;
}

/** What the gateway says itself in its own result object; everything else survives to the client. */
const ours: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created_at",
  "completed_at",
  "status",
  "model",
  "output",
  "output_text",
  "error",
  "error_type",
  "incomplete_details",
  "instructions",
  "metadata",
  "frequency_penalty",
  "presence_penalty",
  "temperature",
  "top_p",
  "top_logprobs",
  "parallel_tool_calls",
  "tool_choice",
  "tools",
  "background",
  "max_output_tokens",
  "max_tool_calls",
  "previous_response_id",
  "prompt",
  "prompt_cache_key",
  "prompt_cache_options",
  "safety_identifier",
  "user",
  "service_tier",
  "reasoning",
  "truncation",
  "text",
  "store",
  "usage",
  // Echoes of request fields that we send, or do not, for reasons of our own.
  "conversation",
  "prompt_cache_retention",
]);

function extraOf(result: Json): Extra | undefined {
  let unknown: Record<string, unknown> | undefined;
  for (const key of Object.keys(result)) {
    if (!ours.has(key) && result[key] !== undefined) (unknown ??= {})[key] = result[key];
  }
  return unknown === undefined ? undefined : { responses: unknown };
}

const reasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: "length",
  content_filter: "content_filter",
};

/** How the answer ended. Statuses that are no end at all, as of an answer still in the making, are failures. */
export function endOf(result: Result, status: string | undefined): FinishEvent | FailureEvent {
  const usage = readUsage(result.usage, result);
  if (status === "failed") return failureOf(findError({ error: result.error }), usage);
  if (status !== "completed" && status !== "incomplete") {
    return { ...broken(`The provider left the answer ${status ?? "without a status"}.`), usage };
  }
  return {
    type: "finish",
    reason: status === "completed" ? "stop" : reasons[result.incomplete_details?.reason ?? ""] ?? "length",
    usage,
    serviceTier: result.service_tier,
    extra: extraOf(result),
  };
}
