/** The fields of a request that are neither conversation nor tools → the hub's (wire-reference §3.1, §3.2). */

import type { ProviderPreferences } from "../../../shared/responses/gateway.ts";
import { includable, type ReasoningConfig, type ResponseRequest } from "../../../shared/responses/request.ts";
import type { TextFormat } from "../../../shared/responses/text.ts";
import type { Format, Reasoning, Sampling } from "../../hub/request.ts";

type Body = ResponseRequest;

export function parseSampling(body: Body): Sampling {
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
): Reasoning | undefined {
  if (!config) return effort === undefined ? undefined : { effort };
  const reasoning: Reasoning = {
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

export function parseFormat(format: TextFormat | null | undefined): Format {
  if (!format) return { type: "text" };
  if (format.type !== "json_schema") return { type: format.type };
  return {
    type: "json_schema",
    name: format.name || DEFAULT_SCHEMA_NAME,
    schema: format.schema,
    description: format.description ?? undefined,
    strict: format.strict,
  };
}

const known: ReadonlySet<string> = new Set(includable);

/** Values that we do not know are ignored (wire-reference §3.1). */
export function parseInclude(include: readonly string[] | null | undefined): readonly string[] {
  return include?.filter((value) => known.has(value)) ?? [];
}

/** `auto` is the same as nothing, `fast` another word for `priority` (gateway-api.md, Response request). */
export function parseServiceTier(tier: Body["service_tier"]): string | undefined {
  if (!tier || tier === "auto") return undefined;
  return tier === "fast" ? "priority" : tier;
}

/** `route` is the older way to say how candidates are sorted (wire-reference §3.1); `provider.sort` wins. */
export function parseProvider({ provider, route }: Body): ProviderPreferences | undefined {
  if (!route) return provider ?? undefined;
  const partition = route === "fallback" ? "model" : "none";
  const sort = provider?.sort;
  if (typeof sort === "string") return { ...provider, sort: { by: sort, partition } };
  return { ...provider, sort: { by: sort?.by, partition: sort?.partition ?? partition } };
}
