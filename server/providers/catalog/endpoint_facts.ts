/** Fills what an endpoint's row leaves open with what the snapshot knows, and sets the operator's corrections. */

import { type FactSource, type PriceList, toPriceList } from "../../../shared/models.ts";
import { omitUndefined } from "../../../shared/util/json.ts";
import type { ModelCorrection, ModelRow } from "../../config/config.ts";
import type { SpeechCapabilities } from "../../protocols/canonical/speech.ts";
import type { Endpoint, Model } from "../endpoint.ts";
import type { KnownOffer, Snapshot } from "./snapshot.ts";

/** Which facts of an endpoint its own row states; the others are only fallbacks. */
export interface StatedFields {
  readonly name: boolean;
  readonly inputs: boolean;
  readonly outputs: boolean;
  readonly parameters: boolean;
  /** Its price is the operator's own. */
  readonly prices?: boolean;
}

export const allStated: StatedFields = { name: true, inputs: true, outputs: true, parameters: true };
export const nothingStated: StatedFields = { name: false, inputs: false, outputs: false, parameters: false };

/** Marks the fields that a row of the configuration file states. */
export function statedFieldsOf(row: ModelRow): StatedFields {
  return {
    name: row.name !== undefined,
    inputs: row.input_modalities !== undefined,
    outputs: row.output_modalities !== undefined,
    parameters: row.supported_parameters !== undefined,
    prices: row.pricing !== undefined,
  };
}

/** `known` is what the snapshot says of this model at this provider; `general` what it says of it at its author. */
interface EndpointFacts {
  readonly known?: KnownOffer;
  readonly general?: KnownOffer;
  readonly stated: StatedFields;
  readonly snapshot: Snapshot;
}

export function fillFacts(endpoint: Endpoint, { known, general, stated, snapshot }: EndpointFacts): Endpoint {
  const offer = known ?? general;
  const scores = scoresOf(snapshot, endpoint.model.id);
  if (!offer) return scores === undefined ? endpoint : { ...endpoint, scores };
  return {
    ...endpoint,
    model: enrichModel(endpoint.model, { offer, stated }),
    maxOutputTokens: endpoint.maxOutputTokens ?? offer.output,
    ...(snapshot.isOperators && stated.prices !== true ? pricedBy(known) : undefined) ??
      priceOf(endpoint, known),
    scores,
    isAssumed: known === undefined ? endpoint.isAssumed : undefined,
  };
}

function enrichModel(
  model: Model,
  { offer, stated }: { readonly offer: KnownOffer; readonly stated: StatedFields },
): Model {
  return {
    ...model,
    name: stated.name ? model.name : offer.name,
    created: model.created === 0 ? offer.created : model.created,
    contextLength: model.contextLength ?? offer.context,
    inputModalities: stated.inputs ? model.inputModalities : offer.inputs,
    outputModalities: stated.outputs ? model.outputModalities : offer.outputs,
    supportedParameters: stated.parameters ? model.supportedParameters : offer.parameters,
    tokenizer: model.tokenizer ?? offer.tokenizer,
  };
}

interface Priced {
  readonly pricing: PriceList | null;
  readonly pricedBy?: FactSource;
}

const pricedBy = (known: KnownOffer | undefined): Priced | undefined =>
  known?.pricing ? { pricing: known.pricing, pricedBy: known.pricedBy ?? undefined } : undefined;

/** A row's own price stands; where the snapshot agrees with it, its finer rates (sizes, hours) come on top. */
function priceOf({ pricing, pricedBy }: Endpoint, known: KnownOffer | undefined): Priced {
  if (!known?.pricing) return { pricing, pricedBy };
  const by = known.pricedBy ?? undefined;
  if (pricing === null) return { pricing: known.pricing, pricedBy: by };
  const agree = Number(pricing.prompt) === Number(known.pricing.prompt) &&
    Number(pricing.completion) === Number(known.pricing.completion);
  if (!agree) return { pricing, pricedBy };
  // The snapshot knows more conditions than a row: tiers, sizes, hours.
  const overrides = known.pricing.overrides ?? pricing.overrides;
  return { pricing: { ...known.pricing, ...omitUndefined(pricing), overrides }, pricedBy: by };
}

/** The mean of a kind's benchmarks. */
function scoresOf(snapshot: Snapshot, model: string): Readonly<Record<string, number>> | undefined {
  const scores = snapshot.scoresOf(model);
  if (scores.length === 0) return undefined;
  const kinds = Map.groupBy(scores, ({ kind }) => kind);
  return Object.fromEntries(
    [...kinds].map(([kind, all]) => [kind, all.reduce((sum, { value }) => sum + value, 0) / all.length]),
  );
}

/** The operator has the last word. */
export function applyCorrection(endpoint: Endpoint, row: ModelCorrection): Endpoint {
  const { model } = endpoint;
  return {
    ...endpoint,
    model: {
      ...model,
      name: row.name ?? model.name,
      description: row.description ?? model.description,
      created: row.created ?? model.created,
      contextLength: row.context_length ?? model.contextLength,
      inputModalities: row.input_modalities ?? model.inputModalities,
      outputModalities: row.output_modalities ?? model.outputModalities,
      supportedParameters: row.supported_parameters ?? model.supportedParameters,
      tokenizer: row.tokenizer ?? model.tokenizer,
      distillable: row.distillable ?? model.distillable,
      hidden: row.hidden ?? model.hidden,
    },
    maxOutputTokens: row.max_output_tokens ?? endpoint.maxOutputTokens,
    traits: row.traits ?? endpoint.traits,
    quantization: row.quantization ?? endpoint.quantization,
    speech: correctSpeech(endpoint.speech, row),
    ...(row.pricing === undefined ? {} : { pricing: toPriceList(row.pricing), pricedBy: undefined }),
  };
}

function correctSpeech(
  traits: SpeechCapabilities | undefined,
  row: ModelCorrection,
): SpeechCapabilities | undefined {
  const speaks = traits !== undefined || row.output_modalities?.includes("speech") === true;
  if (!speaks) return undefined;
  return {
    voices: row.supported_voices ?? traits?.voices,
    defaultVoice: row.default_voice ?? traits?.defaultVoice,
    clones: row.supports_voice_cloning ?? traits?.clones ?? false,
    maxChars: row.max_input_characters ?? traits?.maxChars,
    sampleRate: row.sample_rate ?? traits?.sampleRate,
    formats: row.speech_formats ?? traits?.formats,
    events: row.speech_events ?? traits?.events,
  };
}
