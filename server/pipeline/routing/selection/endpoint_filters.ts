/** Which endpoints may serve a request at all: one filter a reason, each a line of reading. */

import { makesEmbeddings } from "../../../protocols/mod.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { assumedModalities, type Endpoint, isApart } from "../../../providers/endpoint.ts";
import type { RequestRequirements, SpeechRequirements } from "./request_requirements.ts";
import type { Exclusion, FilterReason } from "./exclusion.ts";
import { filterReasons } from "./exclusion.ts";
import type { RequestedModel } from "./model_names.ts";
import { type EndpointProfile, isTypicallyFree } from "./endpoint_profile.ts";
import type { MaxPrice, RoutingPreferences } from "./provider_preferences.ts";

interface FilterInput {
  readonly profile: EndpointProfile;
  readonly models: RequestedModel;
  readonly preferences: RoutingPreferences;
  readonly demand: RequestRequirements;
}

interface Filter {
  /** The request's field that brings it in, where the verdict names no other. */
  readonly field: string;
  /** Says what is missing, in words; undefined for an endpoint that passes. */
  readonly judge: (question: FilterInput) => string | Verdict | undefined;
}

type ProviderInput = Pick<FilterInput, "profile" | "preferences">;

interface ProviderFilter extends Pick<Filter, "field"> {
  readonly judge: (question: ProviderInput) => string | undefined;
}

interface Verdict {
  /** The request's field that decided. */
  readonly field: string;
  readonly detail: string;
}

const named = ({ names }: EndpointProfile, list: readonly string[]) => list.some((name) => names.has(name));

/** A policy that nobody has stated is not relied on. */
const policyOf = ({ endpoint }: EndpointProfile) => endpoint.dataPolicy ?? endpoint.provider.dataPolicy;

/** Filters of those that may be sent the caller's texts at all, also by a call that is none of a model's. */
const providerFilters = {
  ignored_providers: {
    field: "provider.ignore",
    judge: ({ profile, preferences: { ignore } }) => named(profile, ignore) ? "is to be ignored" : undefined,
  },
  "data_policy:training": {
    field: "provider.data_collection",
    judge: ({ profile, preferences }) =>
      preferences.denyTraining && policyOf(profile)?.training !== false
        ? "is not known to keep prompts out of training"
        : undefined,
  },
  "data_policy:zdr": {
    field: "provider.zdr",
    judge: ({ profile, preferences }) =>
      preferences.zdr && policyOf(profile)?.zdr !== true ? "is not known to retain nothing" : undefined,
  },
} satisfies Partial<Record<FilterReason, ProviderFilter>>;

/** Whether the request's `provider` keeps its texts from an endpoint, whatever it is asked for. */
export const isKeptAway = (question: ProviderInput): boolean =>
  Object.values<ProviderFilter>(providerFilters).some(({ judge }) => judge(question) !== undefined);

const filters: Readonly<Record<FilterReason, Filter>> = {
  ...providerFilters,
  allowed_providers: {
    field: "provider.only",
    judge: ({ profile, preferences: { only } }) =>
      only === undefined || named(profile, only) ? undefined : "is not among the allowed providers",
  },
  free_variant: {
    field: "model",
    judge: ({ profile: { prices }, models }) =>
      models.variants.has("free") && !isTypicallyFree(prices)
        ? { field: models.field, detail: "is not known to be free" }
        : undefined,
  },
  distillable: {
    field: "provider.enforce_distillable_text",
    judge: ({ profile: { endpoint }, preferences }) =>
      preferences.distillable && endpoint.model.distillable !== true
        ? "is not known to allow its text in training"
        : undefined,
  },
  quantization: {
    field: "provider.quantizations",
    judge: ({ profile: { endpoint }, preferences: { quantizations } }) =>
      quantizations === undefined || quantizations.includes(endpoint.quantization ?? "unknown")
        ? undefined
        : `serves at ${endpoint.quantization ?? "an unknown quantization"}`,
  },
  max_price: {
    field: "provider.max_price",
    judge: ({ profile, preferences: { maxPrice } }) =>
      maxPrice === undefined ? undefined : exceedsMaxPrice(profile, maxPrice),
  },
  modality: { field: "input", judge: missingModality },
  tool_kind: {
    field: "tools",
    judge: ({ profile: { parameters }, demand: { tools } }) => {
      // Without any parameter listed nobody has listed them.
      return tools && parameters.size > 0 && !parameters.has("tools") ? "calls no tools" : undefined;
    },
  },
  tool_choice: {
    field: "tool_choice",
    judge: ({ profile: { endpoint }, demand: { hosted } }) =>
      hosted === undefined || hosted.wire === endpoint.provider.wire
        ? undefined
        : `cannot run ${hosted.kind}`,
  },
  require_parameters: { field: "provider.require_parameters", judge: missingParameter },
  context_length: {
    field: "input",
    judge: ({ profile: { endpoint }, demand }) => {
      const { contextLength } = endpoint.model;
      if (contextLength === null || !demand.exceedsContext(contextLength)) return undefined;
      if (demand.canBeShortened(endpoint)) return undefined;
      return `takes ${contextLength} tokens, and the input is at least ${demand.minimumTokens}`;
    },
  },
};

/** Prices that were multiplied are as good as equal when they differ in the last digits. */
const ROUNDING = 1 + 1e-9;

function exceedsMaxPrice({ prices }: EndpointProfile, most: MaxPrice): string | Verdict | undefined {
  const bounds = [most.prompt, most.completion, most.request, most.image];
  if (bounds.every((bound) => bound === undefined)) return undefined;
  if (prices === null) return "has no known price";
  const kinds = ["prompt", "completion", "request", "image"] as const;
  const over = kinds.find((kind) => prices[kind] > (most[kind] ?? Infinity) * ROUNDING);
  if (over === undefined) return undefined;
  return { field: `provider.max_price.${over}`, detail: `costs more than the ${over} price that is allowed` };
}

/** Where nobody has stated what an endpoint takes, nothing is missing. */
function missingModality(
  { profile: { endpoint }, models, demand }: FilterInput,
): string | Verdict | undefined {
  const mute = demand.speech === undefined
    ? undefined
    : missingSpeech(endpoint, { requested: models, speech: demand.speech });
  if (mute !== undefined) return mute;
  if (demand.embeddings && !canEmbed(endpoint)) {
    return { field: models.field, detail: "is served by a provider that makes no embeddings" };
  }
  const unsupported = demand.missingFileSupport(endpoint.provider.wire);
  if (unsupported !== undefined) return unsupported;
  if (endpoint.isAssumed === true) return undefined;
  const { inputModalities, outputModalities } = endpoint.model;
  const [only] = outputModalities;
  if (
    only !== undefined && isApart(only) && outputModalities.length === 1 && !demand.outputs.includes(only)
  ) {
    return { field: models.field, detail: `puts out nothing but ${only}` };
  }
  for (const kind of inputModalities === assumedModalities ? [] : demand.inputs) {
    if (!inputModalities.includes(kind)) return `takes no ${kind} input`;
  }
  if (outputModalities === assumedModalities) return undefined;
  const out = demand.outputs.find((kind) => !outputModalities.includes(kind));
  if (out === undefined) return undefined;
  return {
    field: isApart(out) ? models.field : "modalities",
    detail: `puts out no ${out}`,
  };
}

/** A deployment whose path is for conversations has none for vectors that anybody knows. */
const canEmbed = ({ provider: { wire, address } }: Endpoint): boolean =>
  makesEmbeddings(wire) && address?.path === undefined;

/** Why an endpoint cannot speak at all, or not with that voice. */
function missingSpeech(
  { provider, speech }: Endpoint,
  { requested, speech: { clones } }: Speech,
): Verdict | undefined {
  if (provider.speech === undefined) {
    return { field: requested.field, detail: "is served by a provider that does not speak" };
  }
  if (!clones || speech?.clones === true) return undefined;
  return { field: "input_references", detail: "does not clone voices" };
}

interface Speech {
  readonly requested: RequestedModel;
  readonly speech: SpeechRequirements;
}

/** Either name of the output cap is as good as the other. */
const otherNames: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  reasoning: "reasoning_effort",
  top_logprobs: "logprobs",
};

function missingParameter(
  { profile: { parameters }, preferences, demand }: FilterInput,
): string | undefined {
  if (!preferences.requireParameters) return undefined;
  const missing = demand.parameters.filter((name) =>
    !parameters.has(name) && !parameters.has(ownValue(otherNames, name) ?? name)
  );
  return missing.length === 0 ? undefined : `does not list ${missing.join(", ")}`;
}

const inOrder = filterReasons.map((by) => ({ by, ...filters[by] }));

/** The first filter that removes the endpoint; undefined when it may serve. */
export function findExclusion(question: FilterInput): Exclusion | undefined {
  for (const { by, field, judge } of inOrder) {
    const verdict = judge(question);
    if (verdict === undefined) continue;
    const found = typeof verdict === "string" ? { field, detail: verdict } : verdict;
    return { endpoint: question.profile.endpoint, reason: by, ...found };
  }
  return undefined;
}
