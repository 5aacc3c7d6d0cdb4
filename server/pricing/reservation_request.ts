/** What a call could cost at most, from the body that its provider is to get: what the ledger sets aside (promises M1). */

import { mediaBound, textBytes } from "./media_tokens.ts";
import { estimateMedia } from "./media_estimate.ts";
import { type NanoUsd, roundedUp } from "../../shared/money.ts";
import type { RateName } from "../../shared/models.ts";
import { chargesFor, isPriced, isPricedIn } from "./unit_prices.ts";
import { MOST_TOKENS } from "../canonical/usage.ts";
import { DRAWINGS, type WorstCase as Bounded, worstCase } from "./cost_bound.ts";
import { type Beside, besideOf } from "./implicit_charges.ts";
import { type Hosted, hostedOf } from "./hosted_tools.ts";
import { mediaOf, mediaPartsOf } from "./request_media.ts";
import type { ModelRequest } from "../canonical/request.ts";
import type { Order, WorstCase } from "../ledger/core/ledger.ts";
import type { Json } from "../canonical/item.ts";
import type { Endpoint, Pricing } from "../providers/endpoint.ts";
import { tokensOfBytes } from "./text_sample.ts";

export interface OrderLimits {
  /** Tokens: the cap of a request under a limit that names none. */
  readonly defaultOutputTokens: number;
}

/** What of a rendered request decides its cost bound. */
export interface RenderedBody {
  /** Path below the provider's base URL. */
  readonly path: string;
  readonly body: Json;
  /** The body as it is sent. */
  readonly text: string;
  /** Instead of `text`, where the body is not text. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** What the target could not express. */
  readonly dropped: readonly string[];
}

export interface Ordered {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly rendered: RenderedBody;
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
  return {
    askedCap: asked === undefined || !heeded ? undefined : Math.min(asked, most),
    // What cannot be capped is reserved whole.
    usualCap: heeded ? Math.min(most, defaultOutputTokens) : most,
  };
}

/** No answer is longer, whatever was asked; where nobody tells how long one may be, none that can be counted is. */
export const mostOutput = ({ maxOutputTokens, model }: Endpoint): number =>
  maxOutputTokens ?? model.contextLength ?? MOST_TOKENS;

const capKeys = ["max_output_tokens", "max_completion_tokens", "max_tokens", "maxOutputTokens", "maxTokens"];

/** Some servers refuse a cap, so none is sent to them. */
const heedsCap = ({ provider: { quirks } }: Endpoint): boolean => quirks.omit?.some(isCapKey) !== true;
const isCapKey = (key: string) => capKeys.includes(key);

/** How every wire asks for a cache entry that is kept for an hour. */
const HOUR_CACHE = '"1h"';
/** Most requests are under no limit and never asked for their bound, so it is worked out when somebody asks. */
class Worst implements WorstCase {
  readonly #ordered: Ordered;
  readonly #pricing: Pricing;
  #bounded: Bounded | undefined;
  #extras: Extras | undefined;
  #input: NanoUsd | undefined;

  constructor(ordered: Ordered, pricing: Pricing) {
    this.#ordered = ordered;
    this.#pricing = pricing;
  }

  get lacks(): string | undefined {
    return lackOf(this.#ordered, this.#extra());
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
    this.#bounded ??= boundOf(this.#ordered, { list: this.#pricing, ...this.#extra() });
    return this.#bounded;
  }

  #extra(): Extras {
    this.#extras ??= extrasOf(this.#ordered);
    return this.#extras;
  }

  /** Text by its bytes and media by what is likely, but never for more than the model can read. */
  #estimate(): NanoUsd {
    const { request, endpoint: { model, upstreamModel }, rendered, at } = this.#ordered;
    const media = mediaOf(request);
    const text = textBytes(rendered.text, { media, dropped: rendered.dropped.length > 0 });
    let tokens = tokensOfBytes(text);
    if (media !== undefined) {
      const likely = estimateMedia(mediaPartsOf(request), { model: upstreamModel, quick: true });
      tokens += likely.imageTokens + likely.audioTokens + likely.otherTokens;
    }
    tokens = Math.min(tokens, model.contextLength ?? Infinity);
    const occasion = { promptTokens: tokens, at, serviceTier: tierOf(this.#ordered) };
    const { prompt, request: once, image } = chargesFor(this.#pricing, occasion);
    return roundedUp(BigInt(tokens) * prompt + once + BigInt(media?.images ?? 0) * image);
  }
}

function boundOf(
  ordered: Ordered,
  { list, hosted, beside }: Extras & { readonly list: Pricing },
): Bounded {
  const { request, endpoint, rendered } = ordered;
  const { model: { contextLength, outputModalities }, upstreamModel } = endpoint;
  const media = mediaOf(request);
  const { tools, searches, searchRates, containerSize, searchTokens, drawings } = hosted;
  return worstCase({
    list,
    contextLength,
    bodyBytes: textBytes(rendered.text, { media, dropped: rendered.dropped.length > 0 }),
    media: media === undefined ? undefined : mediaBound(media, { model: upstreamModel, contextLength }),
    tools,
    searches: searches + beside.searches,
    searchRates,
    containerSize,
    searchTokens,
    drawings,
    sources: beside.sources,
    answers: beside.answers,
    rereads: beside.rereads,
    outputImages: outputModalities.includes("image") ? DRAWINGS : 0,
    serviceTier: tierOf(ordered),
    hourCache: rendered.text.includes(HOUR_CACHE),
  });
}

/** What a provider does beside answering. */
interface Extras {
  readonly hosted: Hosted;
  readonly beside: Beside;
}

const extrasOf = ({ request, endpoint, rendered }: Ordered): Extras => ({
  hosted: hostedOf(request, endpoint.provider.wire),
  beside: besideOf(rendered.body, endpoint.upstreamModel),
});

/** Tiers whose price is known or follows: cheaper ones cost the usual price, premium ones the dearest multiple. */
const knownTiers =
  /^(?:auto|default|standard|standard_only|on_demand|flex|batch|priority|fast|performance|scale)$/;

/** The tier that the body requests; undefined where the provider chooses it. */
function tierOf({ request: { serviceTier: tier }, rendered: { body } }: Ordered): string | undefined {
  const sent = tier === undefined ? undefined : body.service_tier ?? body.serviceTier;
  return sent === undefined || sent === "auto" ? undefined : tier;
}

/** What of the call costs an amount that the list does not tell; undefined when it tells all. */
function lackOf(ordered: Ordered, { hosted, beside }: Extras): string | undefined {
  const { endpoint: { pricing } } = ordered;
  if (pricing === null) return undefined;
  const isKnown = (rates: readonly RateName[]) => rates.some((rate) => isPriced(pricing, rate));
  const tool = hosted.charged.find(({ rates }) => !isKnown(rates));
  if (tool !== undefined) return `the tool ${tool.kind}`;
  // Some charge for each request instead, whatever it searches.
  if (beside.searches + beside.sources > 0 && !isKnown(["webSearch", "request"])) return "web searches";
  // A provider's word of which nothing is known may mean any price.
  const tier = tierOf(ordered);
  return tier === undefined || knownTiers.test(tier) || isPricedIn(pricing, tier)
    ? undefined
    : `the service tier ${tier}`;
}
