/** Which endpoints may serve a request at all: one filter a reason, each a line of reading. */

import { ownValue } from "../../../shared/util/own_value.ts";
import { assumedModalities, type Endpoint } from "../../providers/endpoint.ts";
import type { Demand, SpeechDemand } from "./request_requirements.ts";
import type { Exclusion, FilterReason } from "./exclusion.ts";
import { filterReasons } from "./exclusion.ts";
import type { AskedModel } from "./model_names.ts";
import { isFree, type Profile } from "./endpoint_profile.ts";
import type { MaxPrice, Wishes } from "./provider_preferences.ts";

export interface Question {
  readonly profile: Profile;
  readonly asked: AskedModel;
  readonly wishes: Wishes;
  readonly demand: Demand;
}

interface Filter {
  /** The request's field that brings it in, where the verdict names no other. */
  readonly field: string;
  /** What is missing, in words; undefined for an endpoint that passes. */
  readonly judge: (question: Question) => string | Verdict | undefined;
}

interface Verdict {
  /** The request's field that decided. */
  readonly field: string;
  readonly detail: string;
}

const named = ({ names }: Profile, list: readonly string[]) => list.some((name) => names.has(name));

/** A policy that nobody has stated is not relied on. */
const policyOf = ({ endpoint }: Profile) => endpoint.dataPolicy ?? endpoint.provider.dataPolicy;

const filters: Readonly<Record<FilterReason, Filter>> = {
  allowed_providers: {
    field: "provider.only",
    judge: ({ profile, wishes: { only } }) =>
      only === undefined || named(profile, only) ? undefined : "is not among the allowed providers",
  },
  ignored_providers: {
    field: "provider.ignore",
    judge: ({ profile, wishes: { ignore } }) => named(profile, ignore) ? "is to be ignored" : undefined,
  },
  free_variant: {
    field: "model",
    judge: ({ profile: { prices }, asked }) =>
      asked.variants.has("free") && !isFree(prices)
        ? { field: asked.field, detail: "is not known to be free" }
        : undefined,
  },
  "data_policy:training": {
    field: "provider.data_collection",
    judge: ({ profile, wishes }) =>
      wishes.noTraining && policyOf(profile)?.training !== false
        ? "is not known to keep prompts out of training"
        : undefined,
  },
  "data_policy:zdr": {
    field: "provider.zdr",
    judge: ({ profile, wishes }) =>
      wishes.zdr && policyOf(profile)?.zdr !== true ? "is not known to retain nothing" : undefined,
  },
  distillable: {
    field: "provider.enforce_distillable_text",
    judge: ({ profile: { endpoint }, wishes }) =>
      wishes.distillable && endpoint.model.distillable !== true
        ? "is not known to allow its text in training"
        : undefined,
  },
  quantization: {
    field: "provider.quantizations",
    judge: ({ profile: { endpoint }, wishes: { quantizations } }) =>
      quantizations === undefined || quantizations.includes(endpoint.quantization ?? "unknown")
        ? undefined
        : `serves at ${endpoint.quantization ?? "an unknown quantization"}`,
  },
  max_price: {
    field: "provider.max_price",
    judge: ({ profile, wishes: { maxPrice } }) =>
      maxPrice === undefined ? undefined : tooDear(profile, maxPrice),
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
      if (contextLength === null || demand.shrinks || !demand.exceeds(contextLength)) return undefined;
      return `takes ${contextLength} tokens, and the input is longer`;
    },
  },
};

/** Prices that were multiplied are as good as equal when they differ in the last digits. */
const ROUNDING = 1 + 1e-9;

function tooDear({ prices }: Profile, most: MaxPrice): string | Verdict | undefined {
  const bounds = [most.prompt, most.completion, most.request, most.image];
  if (bounds.every((bound) => bound === undefined)) return undefined;
  if (prices === null) return "has no known price";
  const kinds = ["prompt", "completion", "request", "image"] as const;
  const over = kinds.find((kind) => prices[kind] > (most[kind] ?? Infinity) * ROUNDING);
  if (over === undefined) return undefined;
  return { field: `provider.max_price.${over}`, detail: `costs more than the ${over} price that is allowed` };
}

/** Where nobody has stated what an endpoint takes, nothing is missing. */
function missingModality({ profile: { endpoint }, asked, demand }: Question): string | Verdict | undefined {
  const mute = demand.speech === undefined ? undefined : muteness(endpoint, { asked, speech: demand.speech });
  if (mute !== undefined) return mute;
  if (endpoint.guessed === true) return undefined;
  const { inputModalities, outputModalities } = endpoint.model;
  if (demand.speech === undefined && outputModalities.length > 0 && outputModalities.every(isSpeech)) {
    return { field: asked.field, detail: "puts out nothing but speech" };
  }
  for (const kind of inputModalities === assumedModalities ? [] : demand.inputs) {
    if (!inputModalities.includes(kind)) return `takes no ${kind} input`;
  }
  if (outputModalities === assumedModalities) return undefined;
  const out = demand.outputs.find((kind) => !outputModalities.includes(kind));
  if (out === undefined) return undefined;
  return { field: demand.speech === undefined ? "modalities" : asked.field, detail: `puts out no ${out}` };
}

const isSpeech = (kind: string) => kind === "speech";

/** Why an endpoint cannot speak at all, or not with that voice. */
function muteness(
  { provider, speech }: Endpoint,
  { asked, speech: { clones } }: Spoken,
): Verdict | undefined {
  if (provider.speech === undefined) {
    return { field: asked.field, detail: "is served by a provider that does not speak" };
  }
  if (!clones || speech?.clones === true) return undefined;
  return { field: "input_references", detail: "does not clone voices" };
}

interface Spoken {
  readonly asked: AskedModel;
  readonly speech: SpeechDemand;
}

/** Either name of the output cap is as good as the other. */
const otherNames: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  reasoning: "reasoning_effort",
  top_logprobs: "logprobs",
};

function missingParameter({ profile: { parameters }, wishes, demand }: Question): string | undefined {
  if (!wishes.requireParameters) return undefined;
  const missing = demand.parameters.filter((name) =>
    !parameters.has(name) && !parameters.has(ownValue(otherNames, name) ?? name)
  );
  return missing.length === 0 ? undefined : `does not list ${missing.join(", ")}`;
}

const inOrder = filterReasons.map((by) => ({ by, ...filters[by] }));

/** The first filter that removes the endpoint; undefined when it may serve. */
export function exclusionOf(question: Question): Exclusion | undefined {
  for (const { by, field, judge } of inOrder) {
    const verdict = judge(question);
    if (verdict === undefined) continue;
    const found = typeof verdict === "string" ? { field, detail: verdict } : verdict;
    return { endpoint: question.profile.endpoint, by, ...found };
  }
  return undefined;
}
