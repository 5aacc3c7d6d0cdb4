/** What a call could cost at most, from the body that its provider is to get: what the ledger sets aside (promises M1). */

import { mediaBound, textBytes } from "../../shared/media.ts";
import { type NanoUsd, roundedUp } from "../../shared/money.ts";
import { chargesFor } from "../../shared/pricing.ts";
import { DRAWINGS, type WorstCase as Bounded, worstCase } from "../../shared/worst_case.ts";
import { besideOf } from "./beside.ts";
import { hostedOf } from "../hub/hosted.ts";
import { mediaOf } from "../hub/media.ts";
import type { ModelRequest } from "../hub/request.ts";
import type { Order, WorstCase } from "../ledger/ledger.ts";
import type { Rendered } from "../pipeline/turn.ts";
import type { Endpoint, Pricing } from "../providers/endpoint.ts";

export interface OrderLimits {
  /** Tokens: the cap of a request under a limit that names none. */
  readonly defaultOutputTokens: number;
}

export interface Ordered {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly rendered: Rendered;
  /** Ms since the epoch: decides which of an endpoint's prices holds. */
  readonly at: number;
}

export function orderOf(ordered: Ordered, limits: OrderLimits): Order {
  const { endpoint } = ordered;
  const { pricing } = endpoint;
  const { askedCap, usualCap } = capsOf(ordered, limits);
  return {
    worst: pricing === null ? undefined : new Worst(ordered, pricing),
    askedCap,
    usualCap,
    byok: endpoint.byok === true,
    endpoint: { id: endpoint.id, model: endpoint.model.id, provider: endpoint.provider.name },
  };
}

/** Tokens of output to reserve: as the caller asked, and where it did not. */
export function capsOf(
  { request: { maxOutputTokens: asked }, endpoint }: Pick<Ordered, "request" | "endpoint">,
  { defaultOutputTokens }: OrderLimits,
): Pick<Order, "askedCap" | "usualCap"> {
  const most = mostOutput(endpoint);
  const heeded = heedsCap(endpoint);
  const usual = Math.min(most, defaultOutputTokens);
  return {
    askedCap: asked === undefined || !heeded ? undefined : Math.min(asked, most),
    // What cannot be capped is reserved whole.
    usualCap: heeded || !Number.isFinite(most) ? usual : most,
  };
}

/** No answer is longer, whatever was asked. */
const mostOutput = ({ maxOutputTokens, model }: Endpoint): number =>
  maxOutputTokens ?? model.contextLength ?? Infinity;

const capKeys = ["max_output_tokens", "max_completion_tokens", "max_tokens", "maxOutputTokens", "maxTokens"];

/** Some servers refuse a cap, so none is sent to them. */
const heedsCap = ({ provider: { quirks } }: Endpoint): boolean => quirks.omit?.some(isCapKey) !== true;
const isCapKey = (key: string) => capKeys.includes(key);

/** What is usual for text in western languages. */
const CHARS_PER_TOKEN = 4;

/** Most requests are under no limit and never asked for their bound, so it is worked out when somebody asks. */
class Worst implements WorstCase {
  readonly #ordered: Ordered;
  readonly #pricing: Pricing;
  #bounded: Bounded | undefined;
  #input: NanoUsd | undefined;

  constructor(ordered: Ordered, pricing: Pricing) {
    this.#ordered = ordered;
    this.#pricing = pricing;
  }

  get input(): NanoUsd {
    this.#input ??= this.#estimate();
    return this.#input;
  }

  total(outputCap: number): NanoUsd {
    return this.#bound().total(outputCap);
  }

  capWithin(amount: NanoUsd): number {
    return this.#bound().capWithin(amount);
  }

  #bound(): Bounded {
    this.#bounded ??= boundOf(this.#ordered, this.#pricing);
    return this.#bounded;
  }

  /** Media count by their text in the body, but never for more than the model can read. */
  #estimate(): NanoUsd {
    const { endpoint: { model }, rendered, at } = this.#ordered;
    const tokens = Math.min(
      Math.ceil(rendered.text.length / CHARS_PER_TOKEN),
      model.contextLength ?? Infinity,
    );
    const { prompt, request } = chargesFor(this.#pricing, { promptTokens: tokens, at });
    return roundedUp(BigInt(tokens) * prompt + request);
  }
}

function boundOf({ request, endpoint, rendered }: Ordered, list: Pricing): Bounded {
  const { model: { contextLength, outputModalities }, upstreamModel } = endpoint;
  const media = mediaOf(request);
  const { tools, searches, searchTokens, drawings } = hostedOf(request);
  const beside = besideOf(rendered.body, upstreamModel);
  return worstCase({
    list,
    contextLength,
    bodyBytes: textBytes(rendered.text, { media, dropped: rendered.dropped.length > 0 }),
    media: media === undefined ? undefined : mediaBound(media, { model: upstreamModel, contextLength }),
    tools,
    searches: searches + beside.searches,
    searchTokens,
    drawings,
    sources: beside.sources,
    answers: beside.answers,
    rereads: beside.rereads,
    outputImages: outputModalities.includes("image") ? DRAWINGS : 0,
  });
}
