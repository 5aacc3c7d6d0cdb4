/** Computes once what routing reads of an endpoint again and again. */

import type { Endpoint, Pricing } from "../../../providers/endpoint.ts";
import { type Hash, hashText } from "./hash.ts";

/**
 * USD: prompt and completion per million tokens, character per million of them, request, image and second per
 * chunk.
 */
interface EndpointPrices {
  readonly prompt: number;
  readonly completion: number;
  readonly request: number;
  readonly image: number;
  readonly character: number;
  readonly second: number;
}

export interface EndpointProfile {
  readonly endpoint: Endpoint;
  readonly hash: Hash;
  /** Names that `order`, `only` and `ignore` may use for it, in small letters. */
  readonly names: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  readonly prices: EndpointPrices | null;
  /** USD per million tokens of a usual request; null when no price is known. */
  readonly blendedPrice: number | null;
}

const MILLION = 1_000_000;
/** A usual request reads three tokens for each that it writes. */
const PROMPT_SHARE = 0.75;

const known = new WeakMap<Endpoint, EndpointProfile>();

export function endpointProfile(endpoint: Endpoint): EndpointProfile {
  const found = known.get(endpoint);
  if (found !== undefined) return found;
  const made = profile(endpoint);
  known.set(endpoint, made);
  return made;
}

function profile(endpoint: Endpoint): EndpointProfile {
  const prices = endpoint.pricing === null ? null : pricesOf(endpoint.pricing);
  return {
    endpoint,
    hash: hashText(endpoint.id),
    names: namesOf(endpoint),
    parameters: new Set(endpoint.model.supportedParameters),
    prices,
    blendedPrice: prices === null ? null : blendedOf(prices),
  };
}

/**
 * Blended price of an endpoint; what is charged by the character or by the second is never charged by the token as
 * well.
 */
function blendedOf({ prompt, completion, request, character, second }: EndpointPrices): number {
  return prompt * PROMPT_SHARE + completion * (1 - PROMPT_SHARE) + request * 1_000 + character +
    second * MILLION / CHARACTERS_A_SECOND;
}

/** Characters that usual speech has per second. */
const CHARACTERS_A_SECOND = 15;

/** As far as a usual request can tell. */
export const isTypicallyFree = (prices: EndpointPrices | null): boolean =>
  prices !== null && [prices.prompt, prices.completion, prices.request, prices.character, prices.second]
    .every((price) => price === 0);

function pricesOf({ prompt, completion, request, image, character, second }: Pricing): EndpointPrices {
  return {
    prompt: Number(prompt) * MILLION,
    completion: Number(completion) * MILLION,
    request: Number(request ?? 0),
    image: Number(image ?? 0),
    character: Number(character ?? 0) * MILLION,
    second: Number(second ?? 0),
  };
}

/** `deepinfra/turbo` is also `deepinfra`; a provider that serves at fp8 is also `<slug>/fp8`. */
function namesOf({ provider, quantization }: Endpoint): ReadonlySet<string> {
  const { id, name } = provider;
  const base = id.split("/", 1)[0] ?? id;
  const names = [id, base, name.toLowerCase()];
  if (quantization !== undefined) names.push(`${base}/${quantization}`);
  return new Set(names);
}
