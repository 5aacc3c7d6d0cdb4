/** GET /models (wire-reference §9.5). */

import type { Json } from "../hub/item.ts";
import type { Endpoint, Model, Pricing } from "../providers/endpoint.ts";

/** Every price is a decimal string in USD per unit; a free or unpriced model says "0". */
function shownPricing(pricing: Pricing | null): Json {
  if (pricing === null) return { prompt: "0", completion: "0" };
  const { prompt, completion, inputCacheRead, inputCacheWrite, request, image } = pricing;
  return {
    prompt,
    completion,
    ...(request === undefined ? {} : { request }),
    ...(image === undefined ? {} : { image }),
    ...(inputCacheRead === undefined ? {} : { input_cache_read: inputCacheRead }),
    ...(inputCacheWrite === undefined ? {} : { input_cache_write: inputCacheWrite }),
  };
}

const modality = ({ inputModalities, outputModalities }: Model) =>
  `${inputModalities.join("+")}->${outputModalities.join("+")}`;

function shownModel(model: Model, endpoint: Endpoint): Json {
  return {
    id: model.id,
    canonical_slug: model.id,
    object: "model",
    owned_by: model.id.split("/")[0],
    name: model.name,
    created: model.created,
    description: model.description ?? "",
    context_length: model.contextLength,
    architecture: {
      modality: modality(model),
      input_modalities: model.inputModalities,
      output_modalities: model.outputModalities,
      tokenizer: model.tokenizer ?? "Other",
      instruct_type: null,
    },
    pricing: shownPricing(endpoint.pricing),
    top_provider: {
      context_length: model.contextLength,
      max_completion_tokens: endpoint.maxOutputTokens,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: model.supportedParameters,
    default_parameters: null,
    supported_voices: null,
    links: { details: `/v1/models/${model.id}/endpoints` },
  };
}

/** Every model that is not hidden, once, with its first endpoint's prices. */
export function listModels(endpoints: readonly Endpoint[]): Json {
  const first = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const { model } = endpoint;
    if (!model.hidden && !first.has(model.id)) first.set(model.id, endpoint);
  }
  const data = [...first.values()].map((endpoint) => shownModel(endpoint.model, endpoint));
  return { object: "list", data, links: { next: null }, total_count: data.length };
}
