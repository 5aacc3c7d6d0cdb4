/** The most that a call could cost: what is reserved before it is made (promises M1). */

import type { PriceList, RateName } from "../../../shared/models.ts";
import {
  type NanoUsd,
  roundUpToNano,
  toNanoUsd,
  toUnitPrice,
  type UnitPrice,
} from "../../../shared/money.ts";
import { highestUnitPrices, isPriced, type UnitPrices } from "./unit_prices.ts";

/**
 * Tokens that a provider adds to a prompt and charges for, more than the JSON around it makes up for: its chat
 * template, with the instructions that some open models bring along.
 */
export const TEMPLATE_TOKENS = 256;
/** The same where tools are offered: Anthropic publishes up to 700 for one of its own tools and 530 for any. */
export const TOOLS_TEMPLATE_TOKENS = 1_536;
/** Most tokens that the results of one search by the provider add to its prompt. */
export const SEARCH_TOKENS = 16_384;
/** The same of a page that it fetches, or of a program that it runs. */
export const PAGE_TOKENS = 131_072;
/** Searches, and images, that a provider's own tools make for one answer unless the request says how many. */
export const DEFAULT_SEARCHES = 5;
export const DEFAULT_IMAGES = 4;
/**
 * Most tokens of one image of the provider's image tool: gpt-image-1 at its best takes 6,240 to draw one of 1536 ×
 * 1024.
 */
export const MAX_IMAGE_OUTPUT_TOKENS = 6_240;
/** Most tokens that the image tool reads to draw one image: the prompt, and the images that it is to change. */
export const IMAGE_PROMPT_TOKENS = 16_384;

/** The most tokens that what is no text could be, and how many chunks it is: see request_media.ts. */
export interface MediaTokenBound {
  readonly images: number;
  readonly imageTokens: number;
  readonly audioTokens: number;
  /** Files and videos, which may hold text, images and sound. */
  readonly otherTokens: number;
}

export interface CostBoundInput {
  readonly list: PriceList;
  /** Tokens; null when nobody told. */
  readonly contextLength: number | null;
  /** UTF-8 bytes of the rendered body without the payloads of `media`: a token is at least a byte. */
  readonly bodyBytes: number;
  readonly media?: MediaTokenBound;
  /** Tokens; what `total()` counts with unless it is told another. */
  readonly maxOutputTokens?: number;
  /** The request offers tools of any kind. */
  readonly tools?: boolean;
  /** Calls of its own tools that the provider may make; 0 when the request offers it no such tool. */
  readonly searches?: number;
  /** How they may be charged; as searches of the web by default. */
  readonly searchRates?: readonly RateName[];
  /** As how many containers one counts in which a tool runs programs; one by default. */
  readonly containerSize?: number;
  /** Charged as searches are, but not read one by one. */
  readonly sources?: number;
  /** Answers that the request asks for at once, each as long as the cap allows; one by default. */
  readonly answers?: number;
  /** How often the prompt is read besides, for what does not add to it. */
  readonly promptRereads?: number;
  /** Tokens that each search adds to the prompt; `SEARCH_TOKENS` by default. */
  readonly searchTokens?: number;
  /** Images that the provider's image tool may draw, and that the model itself may charge by the chunk. */
  readonly maxImages?: number;
  readonly outputImages?: number;
  /** Number of characters of the text to be spoken. */
  readonly characters?: number;
  /** Length of the audio, in seconds. */
  readonly seconds?: number;
  /** The tier that is requested; absent for the usual one. */
  readonly serviceTier?: string;
  /** The request has the provider keep what it caches for an hour. */
  readonly hourCache?: boolean;
}

export interface CallCostBound {
  /** Most that the whole input may cost. */
  readonly input: NanoUsd;
  readonly perOutputToken: bigint;
  /** Cost that does not depend on the number of tokens: the request, searches, drawings, chunks of any kind. */
  readonly fixed: NanoUsd;
  /** With so many tokens of output; summed exactly and rounded up once. */
  total(maxOutputTokens?: number): NanoUsd;
  /** The most tokens of output whose cost bound is within the amount; -1 when not even none is. */
  maxTokensWithin(amount: NanoUsd): number;
}

/** More than any limit. Quantities that cost as much are somebody's nonsense, and are told as this. */
const MOST = toNanoUsd(9_000_000_000_000_000);
const exactMost = toUnitPrice(MOST);
const upToMost = (exact: bigint): NanoUsd => exact >= exactMost ? MOST : roundUpToNano(exact);

export function costBound(bounds: CostBoundInput): CallCostBound {
  const tokens = inputTokens(bounds);
  const charges = highestUnitPrices(bounds.list, {
    promptTokens: tokens.total,
    serviceTier: bounds.serviceTier,
  });
  return new CostBound({
    input: costOfInput(tokens, { charges, text: textPrice(bounds, charges) }),
    fixed: costOfChunks(bounds, charges),
    perOutputToken: highestBy(charges).output * BigInt(bounds.answers ?? 1),
    defaultMaxTokens: bounds.maxOutputTokens ?? 0,
  });
}

interface Exact {
  readonly input: bigint;
  readonly fixed: bigint;
  readonly perOutputToken: bigint;
  readonly defaultMaxTokens: number;
}

/** One is made with every request under a limit: accessors of an object literal are made anew with each of them. */
class CostBound implements CallCostBound {
  readonly #exact: Exact;

  constructor(exact: Exact) {
    this.#exact = exact;
  }

  get input(): NanoUsd {
    return upToMost(this.#exact.input);
  }

  get perOutputToken(): bigint {
    return this.#exact.perOutputToken;
  }

  get fixed(): NanoUsd {
    return upToMost(this.#exact.fixed);
  }

  total(cap = this.#exact.defaultMaxTokens): NanoUsd {
    const { input, fixed, perOutputToken } = this.#exact;
    return upToMost(input + fixed + BigInt(cap) * perOutputToken);
  }

  maxTokensWithin(amount: NanoUsd): number {
    const { input, fixed, perOutputToken } = this.#exact;
    const left = toUnitPrice(amount) - input - fixed;
    if (left < 0n) return -1;
    if (perOutputToken === 0n) return Number.MAX_SAFE_INTEGER;
    const cap = left / perOutputToken;
    return cap > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(cap);
  }
}

/** Highest prices of one resolved list for a token of text and for one of output. */
interface HighestPrices {
  readonly text: UnitPrice;
  readonly output: UnitPrice;
}

const dearestKinds = new WeakMap<UnitPrices, HighestPrices>();

function highestBy(charges: UnitPrices): HighestPrices {
  const known = dearestKinds.get(charges);
  if (known !== undefined) return known;
  const { prompt, inputCacheRead, inputCacheWrite } = charges;
  const { completion, internalReasoning, imageOutput, audioOutput } = charges;
  const kinds = {
    text: highestOf(prompt, inputCacheRead, inputCacheWrite),
    output: highestOf(completion, internalReasoning, imageOutput, audioOutput),
  };
  dearestKinds.set(charges, kinds);
  return kinds;
}

/** Entries of an hour count where the request has some, and where the list names a price for them. */
function textPrice({ list, hourCache }: CostBoundInput, charges: UnitPrices): UnitPrice {
  const { text } = highestBy(charges);
  const counts = hourCache === true || isPriced(list, "inputCacheWrite1h");
  return counts ? highestOf(text, charges.inputCacheWrite1h) : text;
}

interface Tokens {
  readonly total: number;
  readonly text: number;
  readonly image: number;
  readonly audio: number;
  readonly other: number;
}

/** A provider reads the whole prompt again after each of its own searches, with what they found so far. */
function inputTokens(bounds: CostBoundInput): Tokens {
  const { media, searches = 0, searchTokens = SEARCH_TOKENS, promptRereads = 0, contextLength } = bounds;
  const most = contextLength ?? Number.MAX_SAFE_INTEGER;
  const first = bounds.bodyBytes + TEMPLATE_TOKENS + (bounds.tools === true ? TOOLS_TEMPLATE_TOKENS : 0);
  const image = Math.min(media?.imageTokens ?? 0, most);
  const audio = Math.min(media?.audioTokens ?? 0, most);
  const other = Math.min(media?.otherTokens ?? 0, most);
  let text = Math.min(first, most) * promptRereads;
  let total = Math.min(first + image + audio + other, most) * promptRereads;
  for (let step = 0; step <= searches; step++) {
    const read = Math.min(first + step * searchTokens, most);
    text += read;
    total += Math.min(read + image + audio + other, most);
  }
  const steps = searches + 1 + promptRereads;
  return { total, text, image: image * steps, audio: audio * steps, other: other * steps };
}

interface InputPrices {
  readonly charges: UnitPrices;
  /** The dearest that a token of text could be. */
  readonly text: UnitPrice;
}

/** The dearest kinds come first: a prompt that is cut off by the context is full of them. */
function costOfInput(tokens: Tokens, { charges, text }: InputPrices): bigint {
  if (tokens.text >= tokens.total && tokens.image + tokens.audio + tokens.other === 0) {
    return BigInt(tokens.total) * text;
  }
  const image = highestOf(text, charges.imageToken);
  const audio = highestOf(text, charges.audio, charges.inputAudioCache);
  const kinds = [
    { price: highestOf(image, audio), count: tokens.other },
    ...inOrder({ price: image, count: tokens.image }, { price: audio, count: tokens.audio }),
    { price: text, count: tokens.text },
  ];
  let left = tokens.total;
  let cost = 0n;
  for (const { price, count } of kinds) {
    const taken = Math.min(count, left);
    left -= taken;
    cost += BigInt(taken) * price;
  }
  return cost;
}

interface Kind {
  readonly price: UnitPrice;
  readonly count: number;
}

const inOrder = (one: Kind, other: Kind): readonly Kind[] =>
  one.price >= other.price ? [one, other] : [other, one];

function costOfChunks(bounds: CostBoundInput, charges: UnitPrices): bigint {
  let cost: bigint = charges.request;
  const { media, searches, sources, maxImages, outputImages, characters, seconds } = bounds;
  // Most requests have none of them, and sums of such fine numbers take time.
  if (media) cost += BigInt(media.images) * charges.image;
  if (searches) cost += BigInt(searches) * searched(bounds, charges);
  if (sources) cost += BigInt(sources) * charges.webSearch;
  if (maxImages) cost += BigInt(maxImages) * drawing(charges);
  if (outputImages) cost += BigInt(outputImages * (bounds.answers ?? 1)) * charges.outputImage;
  if (characters) cost += BigInt(characters) * charges.character;
  if (seconds) cost += BigInt(seconds) * charges.second;
  return cost;
}

function searched({ searchRates = [], containerSize = 1 }: CostBoundInput, charges: UnitPrices): bigint {
  let most: bigint = charges.webSearch;
  for (const rate of searchRates) {
    const price = charges[rate] * BigInt(rate === "codeInterpreter" ? containerSize : 1);
    if (price > most) most = price;
  }
  return most;
}

const drawing = (charges: UnitPrices): bigint =>
  BigInt(IMAGE_PROMPT_TOKENS) * charges.imageToken + BigInt(MAX_IMAGE_OUTPUT_TOKENS) * charges.imageOutput;

function highestOf(first: UnitPrice, ...others: readonly UnitPrice[]): UnitPrice {
  let most = first;
  for (const other of others) if (other > most) most = other;
  return most;
}
