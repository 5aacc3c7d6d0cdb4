/**
 * Computes the most that a call may cost, from the body that its provider is to get: the ledger reserves it (promises
 * M1).
 */

import { countTextBytes, mediaTokenBound } from "./media_tokens.ts";
import { estimateMedia } from "./media_estimate.ts";
import { type NanoUsd, roundUpToNano } from "../../../shared/money.ts";
import type { RateName } from "../../../shared/models.ts";
import { isPriced, isPricedIn, unitPricesFor } from "./unit_prices.ts";
import { MAX_TOKENS } from "../../protocols/canonical/usage.ts";
import { type CallCostBound as Bounded, costBound, DEFAULT_IMAGES } from "./cost_bound.ts";
import { type ImplicitCharges, implicitCharges } from "./implicit_charges.ts";
import { type HostedToolBound, hostedToolBound } from "./hosted_tools.ts";
import { collectMedia, mediaPartsOf } from "./request_media.ts";
import { type ModelRequest, readableTokens } from "../../protocols/canonical/request.ts";
import type { CostBound, ReservationRequest } from "../ledger/core/ledger.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { Endpoint, Pricing } from "../../providers/endpoint.ts";
import { likelyTokens } from "./text_sample.ts";

export interface OutputDefaults {
  /** Tokens: the cap of a request under a limit that names none. */
  readonly defaultOutputTokens: number;
}

/** Parts of a rendered request that decide its cost bound. */
interface RenderedBody {
  /** Path below the provider's base URL. */
  readonly path: string;
  readonly body: JsonObject;
  /** The body as it is sent. */
  readonly text: string;
  /** Instead of `text`, where the body is not text. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Parameters that the target could not express. */
  readonly dropped: readonly string[];
}

interface ReservationInput {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly providerRequest: RenderedBody;
  /** Ms since the epoch: decides which of an endpoint's prices holds. */
  readonly at: number;
}

export function buildReservationRequest(
  ordered: ReservationInput,
  limits: OutputDefaults,
): ReservationRequest {
  const { endpoint } = ordered;
  const { pricing } = endpoint;
  const { requestedMaxTokens, defaultMaxTokens } = outputLimits(
    ordered,
    limits,
  );
  return {
    costBound: pricing === null ? undefined : new LazyCostBound(ordered, pricing),
    requestedMaxTokens,
    defaultMaxTokens,
    byok: endpoint.byok === true,
    endpoint: { id: endpoint.id, model: endpoint.model.id, provider: endpoint.provider.name },
  };
}

/** Tokens of output to reserve: as the caller asked, and where it did not. */
export function outputLimits(
  { request: { maxOutputTokens }, endpoint }: Pick<ReservationInput, "request" | "endpoint">,
  { defaultOutputTokens }: OutputDefaults,
): Pick<ReservationRequest, "requestedMaxTokens" | "defaultMaxTokens"> {
  const most = mostOutput(endpoint);
  const heeded = heedsCap(endpoint);
  return {
    requestedMaxTokens: maxOutputTokens === undefined || !heeded
      ? undefined
      : Math.min(maxOutputTokens, most),
    // What cannot be capped is reserved whole.
    defaultMaxTokens: heeded ? Math.min(most, defaultOutputTokens) : most,
  };
}

/** No answer is longer, whatever was asked; where nobody tells how long one may be, none that can be counted is. */
export const mostOutput = ({ maxOutputTokens, model }: Endpoint): number =>
  maxOutputTokens ?? model.contextLength ?? MAX_TOKENS;

const capKeys = ["max_output_tokens", "max_completion_tokens", "max_tokens", "maxOutputTokens", "maxTokens"];

/** Some servers refuse a cap, so none is sent to them. */
const heedsCap = ({ provider: { quirks } }: Endpoint): boolean => quirks.omit?.some(isCapKey) !== true;
const isCapKey = (key: string) => capKeys.includes(key);

/** How every wire asks for a cache entry that is kept for an hour. */
const HOUR_CACHE = '"1h"';
/** Most requests are under no limit and never asked for their bound, so it is worked out when somebody asks. */
class LazyCostBound implements CostBound {
  readonly #ordered: ReservationInput;
  readonly #pricing: Pricing;
  #bounded: Bounded | undefined;
  #extras: ImplicitInput | undefined;
  #input: NanoUsd | undefined;

  constructor(ordered: ReservationInput, pricing: Pricing) {
    this.#ordered = ordered;
    this.#pricing = pricing;
  }

  get unpricedItem(): string | undefined {
    return unpricedItemOf(this.#ordered, this.#extra());
  }

  get providerTools(): readonly string[] {
    const { hosted, beside } = this.#extra();
    return beside.searches + beside.sources > 0 ? [...hosted.kinds, "web searches"] : hosted.kinds;
  }

  get inputCost(): NanoUsd {
    this.#input ??= this.#estimate();
    return this.#input;
  }

  total(maxOutputTokens: number): NanoUsd {
    return this.#bound().total(maxOutputTokens);
  }

  maxTokensWithin(amount: NanoUsd): number {
    return this.#bound().maxTokensWithin(amount);
  }

  #bound(): Bounded {
    this.#bounded ??= computeCostBound(this.#ordered, { list: this.#pricing, ...this.#extra() });
    return this.#bounded;
  }

  #extra(): ImplicitInput {
    this.#extras ??= extrasOf(this.#ordered);
    return this.#extras;
  }

  /** Text by its scripts and media by what is likely, but never for more than the model can read. */
  #estimate(): NanoUsd {
    const { request, endpoint: { model, upstreamModel }, providerRequest, at } = this.#ordered;
    const media = collectMedia(request);
    const text = countTextBytes(providerRequest.text, { media, dropped: providerRequest.dropped.length > 0 });
    let tokens = likelyTokens(providerRequest.text, { bytes: text, model: upstreamModel });
    if (media !== undefined) {
      const likely = estimateMedia(mediaPartsOf(request), { model: upstreamModel });
      tokens += likely.imageTokens + likely.audioTokens + likely.otherTokens;
    }
    tokens = Math.min(tokens, readableTokens(request, model) ?? Infinity);
    const occasion = { promptTokens: tokens, at, serviceTier: tierOf(this.#ordered) };
    const { prompt, request: once, image } = unitPricesFor(this.#pricing, occasion);
    return roundUpToNano(BigInt(tokens) * prompt + once + BigInt(media?.images ?? 0) * image);
  }
}

function computeCostBound(
  ordered: ReservationInput,
  { list, hosted, beside }: ImplicitInput & { readonly list: Pricing },
): Bounded {
  const { request, endpoint, providerRequest } = ordered;
  const { model, upstreamModel } = endpoint;
  const contextLength = readableTokens(request, model);
  const media = collectMedia(request);
  const { tools, maxSearches, searchRates, containerSize, searchTokens, maxImages } = hosted;
  return costBound({
    list,
    contextLength,
    bodyBytes: countTextBytes(providerRequest.text, { media, dropped: providerRequest.dropped.length > 0 }),
    media: media === undefined ? undefined : mediaTokenBound(media, { model: upstreamModel, contextLength }),
    tools,
    searches: maxSearches + beside.searches,
    searchRates,
    containerSize,
    searchTokens,
    maxImages,
    sources: beside.sources,
    answers: beside.answers,
    promptRereads: beside.promptRereads,
    // Its own, and those of the image tool where a list has a price for each.
    outputImages: (model.outputModalities.includes("image") ? DEFAULT_IMAGES : 0) + maxImages,
    serviceTier: tierOf(ordered),
    hourCache: providerRequest.text.includes(HOUR_CACHE),
  });
}

/** Charges of what a provider does beside answering. */
interface ImplicitInput {
  readonly hosted: HostedToolBound;
  readonly beside: ImplicitCharges;
}

const extrasOf = ({ request, endpoint, providerRequest }: ReservationInput): ImplicitInput => ({
  hosted: hostedToolBound(request, endpoint.provider.wire),
  beside: implicitCharges(providerRequest.body, endpoint.upstreamModel),
});

/** Tiers whose price is known or follows: cheaper ones cost the usual price, premium ones the dearest multiple. */
const knownTiers =
  /^(?:auto|default|standard|standard_only|on_demand|flex|batch|priority|fast|performance|scale)$/;

/** The tier that the body requests; undefined where the provider chooses it. */
function tierOf(
  { request: { serviceTier }, providerRequest: { body } }: ReservationInput,
): string | undefined {
  const sent = serviceTier === undefined ? undefined : body.service_tier ?? body.serviceTier;
  return sent === undefined || sent === "auto" ? undefined : serviceTier;
}

/** Finds the part of the call whose price the list does not have; undefined when it has all. */
function unpricedItemOf(ordered: ReservationInput, { hosted, beside }: ImplicitInput): string | undefined {
  const { endpoint: { pricing } } = ordered;
  if (pricing === null) return undefined;
  const isKnown = (rates: readonly RateName[]) => rates.some((rate) => isPriced(pricing, rate));
  const tool = hosted.pricedUses.find(({ rates }) => !isKnown(rates));
  if (tool !== undefined) return `the tool ${tool.kind}`;
  // Some charge for each request instead, whatever it searches.
  if (beside.searches + beside.sources > 0 && !isKnown(["webSearch", "request"])) return "web searches";
  // A provider's word of which nothing is known may mean any price.
  const tier = tierOf(ordered);
  return tier === undefined || knownTiers.test(tier) || isPricedIn(pricing, tier)
    ? undefined
    : `the service tier ${tier}`;
}
