/** Models, endpoints and providers as the API shows them (specification, Models, endpoints, providers). */

import type { ProviderFacts } from "../../providers/catalog/provider_facts.ts";
import type { ModelListing } from "../../providers/catalog/catalog.ts";
import { type PriceList, type PriceOverride, ratesToJson } from "../../../shared/models.ts";
import { listPricesAt } from "../../billing/pricing/unit_prices.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { Endpoint, Model, Provider } from "../../providers/endpoint.ts";
import { bestScore, type ModelQueryContext } from "./model_filter.ts";

/** Leaves out absent fields, where clients read them so; they are never null. */
function present(fields: JsonObject): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}

function serializeOverride(override: PriceOverride): JsonObject {
  const { minPromptTokens, utcStart, utcEnd, utcDays } = override;
  return {
    ...present({
      min_prompt_tokens: minPromptTokens,
      utc_start: utcStart,
      utc_end: utcEnd,
      utc_days: utcDays && [...utcDays],
    }),
    ...ratesToJson(override),
  };
}

/** Today's prices. A model without any says "0", because clients want digits; `unpriced` tells the two apart. */
export function serializePricing(pricing: PriceList | null, now: number): JsonObject {
  if (pricing === null) return { prompt: "0", completion: "0", unpriced: true };
  const today = listPricesAt(pricing, now);
  return { ...ratesToJson(today), ...present({ overrides: today.overrides?.map(serializeOverride) }) };
}

function serializeArchitecture({ inputModalities, outputModalities, tokenizer }: Model): JsonObject {
  return {
    modality: `${inputModalities.join("+")}->${outputModalities.join("+")}`,
    input_modalities: [...inputModalities],
    output_modalities: [...outputModalities],
    tokenizer: tokenizer ?? "Other",
    instruct_type: null,
  };
}

function serializeBenchmarks(listing: ModelListing): JsonObject | undefined {
  const [intelligence, coding, agentic] = ["intelligence", "coding", "agentic"].map((kind) =>
    bestScore(listing, kind)
  );
  if (intelligence === undefined && coding === undefined && agentic === undefined) return undefined;
  const artificial_analysis = {
    intelligence_index: intelligence ?? null,
    coding_index: coding ?? null,
    agentic_index: agentic ?? null,
  };
  return { artificial_analysis, design_arena: [] };
}

/** Voices of all endpoints that serve it; null where nobody has listed them. */
function voicesOf({ endpoints }: ModelListing): readonly string[] | null {
  const voices = new Set(endpoints.flatMap(({ speech }) => speech?.voices ?? []));
  return voices.size === 0 ? null : [...voices];
}

/** One model, with the prices of its first endpoint. In OpenAI's shape too, which has four of the fields. */
export function serializeModel(listing: ModelListing, now: number): JsonObject {
  const { model, endpoints: [first] } = listing;
  return {
    id: model.id,
    canonical_slug: model.id,
    object: "model",
    owned_by: model.id.split("/")[0] ?? "",
    name: model.name,
    created: model.created,
    description: model.description ?? "",
    context_length: model.contextLength,
    architecture: serializeArchitecture(model),
    pricing: serializePricing(first.pricing, now),
    top_provider: {
      context_length: model.contextLength,
      max_completion_tokens: first.maxOutputTokens,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: [...model.supportedParameters],
    default_parameters: null,
    supported_voices: voicesOf(listing),
    links: { details: `/v1/models/${model.id}/endpoints` },
    ...present({ benchmarks: serializeBenchmarks(listing) }),
  };
}

const percentiles = (figures: ReturnType<ModelQueryContext["stats"]["latency"]>): JsonObject | null =>
  figures === undefined ? null : { p50: figures.p50, p75: figures.p75, p90: figures.p90, p99: figures.p99 };

/** Whether an endpoint takes a tool choice can only be told from whether it takes tools. */
function serializeToolChoice({ supportedParameters }: Model): JsonObject {
  const takes = supportedParameters.includes("tools");
  const chooses = supportedParameters.includes("tool_choice");
  return { auto: takes, none: chooses, required: chooses, function: chooses };
}

function serializeStats({ id }: Endpoint, { stats }: ModelQueryContext): JsonObject {
  const { last5m, last30m, last1d } = stats.uptime(id);
  return {
    uptime_last_5m: last5m,
    uptime_last_30m: last30m,
    uptime_last_1d: last1d,
    latency_last_30m: percentiles(stats.latency(id)),
    throughput_last_30m: percentiles(stats.throughput(id)),
  };
}

/** Clients insist on a length: 0 is told for one that nobody knows. */
export function serializeEndpoint(endpoint: Endpoint, surroundings: ModelQueryContext): JsonObject {
  const { model, provider, pricing, quantization } = endpoint;
  return {
    name: `${provider.name} | ${model.id}`,
    model_id: model.id,
    model_name: model.name,
    provider_name: provider.name,
    tag: quantization === undefined ? provider.id : `${provider.id}/${quantization}`,
    context_length: model.contextLength ?? 0,
    max_completion_tokens: endpoint.maxOutputTokens,
    max_prompt_tokens: null,
    quantization: quantization ?? null,
    pricing: serializePricing(pricing, surroundings.now),
    supported_parameters: [...model.supportedParameters],
    supports_implicit_caching: pricing?.inputCacheRead !== undefined && pricing.inputCacheWrite === undefined,
    supports_voice_cloning: endpoint.speech?.clones === true,
    supports_tool_choice: serializeToolChoice(model),
    status: 0,
    ...serializeStats(endpoint, surroundings),
  };
}

export function serializeEndpoints(
  { model, endpoints }: ModelListing,
  surroundings: ModelQueryContext,
): JsonObject {
  return {
    id: model.id,
    name: model.name,
    created: model.created,
    description: model.description ?? "",
    architecture: serializeArchitecture(model),
    endpoints: endpoints.map((endpoint) => serializeEndpoint(endpoint, surroundings)),
  };
}

export function serializeProvider({ id, name }: Provider, about: ProviderFacts): JsonObject {
  return {
    name,
    slug: id,
    privacy_policy_url: about.privacy ?? null,
    terms_of_service_url: about.terms ?? null,
    status_page_url: about.status ?? null,
    headquarters: about.headquarters ?? null,
    datacenters: about.datacenters === undefined ? null : [...about.datacenters],
  };
}
