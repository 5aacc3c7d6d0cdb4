/** The provider's result object (specification, Result object): how an answer ended and what else it says. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { FailureEvent, FinishEvent, FinishReason } from "../../canonical/event.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { readArray, readObject, readString } from "../../common/outbound/read_fields.ts";
import { brokenResponse, findError, toFailureEvent } from "./parse_failure.ts";
import { unknownFields } from "./parse_frame.ts";
import { parseUsage, type UsageContext } from "./parse_usage.ts";

/** Fields of a result object that we read; a malformed one is left out. */
interface ProviderResult extends UsageContext {
  readonly id?: string;
  readonly model?: string;
  readonly status?: string;
  /** Reason of an incomplete answer. */
  readonly reason?: string;
  /** As the provider told it. */
  readonly unknownFields: JsonObject;
}

/** Undefined for what is no object. */
export function parseResult(value: unknown): ProviderResult | undefined {
  if (!isRecord(value)) return undefined;
  return {
    id: readString(value.id),
    model: readString(value.model),
    status: readString(value.status),
    reason: readString(readObject(value.incomplete_details).reason),
    output: readArray(value.output),
    service_tier: readString(value.service_tier),
    tool_usage: value.tool_usage,
    unknownFields: value,
  };
}

/** Fields that the gateway sets itself in its own result object; all others survive to the client. */
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

const reasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: "length",
  content_filter: "content_filter",
};

/** How the answer ended. Statuses that are no end at all, as of an answer still in the making, are failures. */
export function parseEnd(result: ProviderResult, status: string | undefined): FinishEvent | FailureEvent {
  const usage = parseUsage(result.unknownFields.usage, result);
  if (status === "failed") return toFailureEvent(findError({ error: result.unknownFields.error }), usage);
  if (status !== "completed" && status !== "incomplete") {
    return { ...brokenResponse(`The provider left the answer ${status ?? "without a status"}.`), usage };
  }
  return {
    type: "finish",
    reason: status === "completed" ? "stop" : ownValue(reasons, result.reason ?? "") ?? "length",
    usage,
    serviceTier: result.service_tier,
    extra: unknownFields(result.unknownFields, ours),
  };
}
