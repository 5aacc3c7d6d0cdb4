/** One model has one id, however its providers spell it, and the names that open providers take lead to it. */

import type { Endpoint } from "../endpoint.ts";
import { plainSpelling, versionless, versionOf, withoutVersion } from "../model_spelling.ts";

/** Longer names are no model's. */
const MOST_CHARS = 200;

/**
 * Gives the endpoints of one model one id. `preferred` are the ids that win, the best first; else it is the first
 * one. An endpoint that was there under two ids is there once.
 */
export function unifySpellings(
  endpoints: readonly Endpoint[],
  preferred: readonly string[],
): readonly Endpoint[] {
  const ids = new Map<string, string>();
  for (const id of [...preferred, ...endpoints.map(({ model }) => model.id)]) {
    const plain = plainSpelling(id);
    if (!ids.has(plain)) ids.set(plain, id);
  }
  const unified = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const one = withModelId(endpoint, ids.get(plainSpelling(endpoint.model.id)) ?? endpoint.model.id);
    if (!unified.has(one.id)) unified.set(one.id, one);
  }
  return [...unified.values()];
}

function withModelId(endpoint: Endpoint, id: string): Endpoint {
  if (endpoint.model.id === id) return endpoint;
  const { provider, model, upstreamModel } = endpoint;
  return { ...endpoint, id: `${provider.id}|${id}|${upstreamModel}`, model: { ...model, id } };
}

interface KnownModels {
  /** Endpoints of the model that the id means in any spelling; undefined for an unknown one. */
  bySpelling(id: string): readonly Endpoint[] | undefined;
  /**
   * The endpoint that an open provider's own name of a model stands for, or the dated version of it: the same model at
   * the same price, called by the dated name. Undefined where the provider is not known to have the model.
   */
  atProvider(assumed: Endpoint): Endpoint | undefined;
}

/** Indexes the endpoints that there are; each model has one id. */
export function indexModels(endpoints: readonly Endpoint[]): KnownModels {
  const spelled = Map.groupBy(endpoints, ({ model }) => plainSpelling(model.id));
  const whole = Map.groupBy(endpoints, (one) => upstreamKey(one, plainSpelling(one.upstreamModel)));
  const general = Map.groupBy(endpoints, (one) => upstreamKey(one, versionless(one.upstreamModel)));
  const baseOf = (assumed: Endpoint): Endpoint | undefined => {
    const key = upstreamKey(assumed, versionless(assumed.upstreamModel));
    const [base] = whole.get(key) ?? [];
    if (base !== undefined) return base;
    const [first, ...others] = general.get(key) ?? [];
    // Versions of several models do not say what the name without one costs.
    return others.every(({ model }) => model.id === first?.model.id) ? first : undefined;
  };
  return {
    bySpelling: (id) => id.length > MOST_CHARS ? undefined : spelled.get(plainSpelling(id)),
    atProvider: (assumed) => {
      const name = assumed.upstreamModel;
      const [own] = whole.get(upstreamKey(assumed, plainSpelling(name))) ?? [];
      if (own !== undefined) return own;
      const base = baseOf(assumed);
      return base && versionAt(base, versionOf(name));
    },
  };
}

const upstreamKey = ({ provider }: Endpoint, name: string): string => `${provider.id}|${name}`;

/** Nobody knows whether the provider has this version. */
function versionAt(base: Endpoint, version: string): Endpoint {
  const { provider, model } = base;
  const upstreamModel = withoutVersion(base.upstreamModel) + version;
  return { ...base, id: `${provider.id}|${model.id}|${upstreamModel}`, upstreamModel, isAssumed: true };
}
