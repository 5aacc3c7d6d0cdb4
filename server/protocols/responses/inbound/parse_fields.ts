/**
 * The fields of a request that are neither conversation nor tools → the canonical model's (specification, Request
 * body, §3.2).
 */

import { type ReasoningConfig, type ResponseRequest } from "../../../../shared/responses/request.ts";
import type { TextFormat } from "../../../../shared/responses/text_config.ts";
import type { OutputFormat, ReasoningOptions, SamplingOptions } from "../../canonical/request.ts";
import type { JsonObject, WireExtra } from "../../canonical/item.ts";
import { pickUnknown } from "../../common/inbound/unknown_fields.ts";

type Body = ResponseRequest;

export function parseSampling(body: Body): SamplingOptions {
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    topLogprobs: body.top_logprobs ?? undefined,
  };
}

/** `effort`: what a `configuration_update` in the input said last; it overrides the request's own. */
export function parseReasoning(
  config: ReasoningConfig | null | undefined,
  effort: string | undefined,
): ReasoningOptions | undefined {
  if (!config) return effort === undefined ? undefined : { effort };
  const reasoning: ReasoningOptions = {
    effort: effort ?? config.effort ?? undefined,
    summary: config.summary ?? config.generate_summary ?? undefined,
    maxTokens: config.max_tokens ?? undefined,
    enabled: config.enabled ?? undefined,
    context: config.context ?? undefined,
    mode: config.mode ?? undefined,
  };
  return Object.values(reasoning).some((value) => value !== undefined) ? reasoning : undefined;
}

/** The name of a JSON schema that came without one; providers demand it. */
export const DEFAULT_SCHEMA_NAME = "response";

export function parseFormat(format: TextFormat | null | undefined): OutputFormat {
  if (!format) return { type: "text" };
  if (format.type !== "json_schema") return { type: format.type };
  return {
    type: "json_schema",
    name: format.name || DEFAULT_SCHEMA_NAME,
    schema: format.schema,
    description: format.description ?? undefined,
    strict: format.strict ?? undefined,
  };
}

/** Picks the fields of `value` that are not in `known`; undefined, without a copy, when there are none. */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>): WireExtra | undefined {
  const rest = pickUnknown(value, known);
  return rest === undefined ? undefined : { responses: rest };
}
