/** Parameters of sampling that a model does not take: left out, and named where they ask for something. */

import type { ModelRequest } from "../../../canonical/request.ts";
import type { TraitContext } from "./trait_rule.ts";

/** A value that asks for nothing is not missed. */
const usual = { temperature: 1, topP: 1, frequencyPenalty: 0, presencePenalty: 0 } as const;
const names = {
  temperature: "temperature",
  topP: "top_p",
  frequencyPenalty: "frequency_penalty",
  presencePenalty: "presence_penalty",
} as const;
type SamplingKey = keyof typeof usual;
const samplingKeys: readonly SamplingKey[] = ["temperature", "topP", "frequencyPenalty", "presencePenalty"];

/** The keys of the sampling that are left out, and named. */
export function withoutSampling(keys: readonly SamplingKey[]) {
  return (request: ModelRequest, { note }: TraitContext): ModelRequest => {
    const unwanted = keys.filter((key) => request.sampling[key] !== undefined);
    if (unwanted.length === 0) return request;
    const sampling: Record<string, unknown> = { ...request.sampling };
    for (const key of unwanted) {
      if (request.sampling[key] !== usual[key]) note(names[key]);
      delete sampling[key];
    }
    return { ...request, sampling };
  };
}

/** The texts that end an answer are left out, and named. */
export function withoutStop(request: ModelRequest, { note }: TraitContext): ModelRequest {
  if (request.stop === undefined) return request;
  if (request.stop.length > 0) note("stop");
  return { ...request, stop: undefined };
}

/** Leaves out the parameters that the model's row, where there is one, does not list. */
export function withListedSampling(request: ModelRequest, context: TraitContext): ModelRequest {
  const { parameters = [] } = context.endpoint;
  if (parameters.length === 0) return request;
  const { sampling } = request;
  const keys = samplingKeys.filter((key) => sampling[key] !== undefined && !parameters.includes(names[key]));
  return keys.length === 0 ? request : withoutSampling(keys)(request, context);
}
