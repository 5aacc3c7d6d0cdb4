/** The cost of an answer: every quantity once, at its own rate, summed exactly and rounded up once (promises M6). */

import type { ChargedRate, PriceList, RateName } from "../../../shared/models.ts";
import {
  exactCost,
  formatUnitPrice,
  type NanoUsd,
  roundUpToNano,
  toNanoUsd,
  ZERO,
} from "../../../shared/money.ts";
import { isPriced, isUnpricedTier, type UnitPrices, unitPricesFor } from "./unit_prices.ts";
import type { Usage } from "../../protocols/canonical/usage.ts";

/** The side that a cost is for; `tool` is what the provider's own tools cost. */
type ChargeSide = "input" | "output" | "tool";

interface ChargeItem {
  readonly rate: ChargedRate;
  readonly side: ChargeSide;
  readonly quantity: number;
  /** USD for one, a decimal string. */
  readonly unitPrice: string;
}

/** Amounts are nano-USD; `input`, `output` and `tools` add up to `total`. */
export interface Charge {
  readonly lines: readonly ChargeItem[];
  readonly total: NanoUsd;
  readonly input: NanoUsd;
  readonly output: NanoUsd;
  readonly tools: NanoUsd;
  /** Amount that reading from a cache saved; below zero where writing to it cost more than that. */
  readonly cacheDiscount: NanoUsd;
  /** Cost that the provider reports, whatever we charge. */
  readonly reported?: NanoUsd;
  /** Whose prices these are: the list's, the provider's own sum (there are no lines then), or nobody's. */
  readonly by: "list" | "provider" | "nobody";
  /** The counts are the gateway's own. */
  readonly estimated: boolean;
  /** Something of it has no price in the list, and is not charged. */
  readonly incomplete?: true;
  /** The list has no price for its service tier: it is charged at the dearest multiple known. */
  readonly unpricedTier?: true;
}

/** When and how an answer was made. */
export interface ChargeContext {
  /** When the request began: ms since the Unix epoch. */
  readonly at: number;
  /** The tier that counts where the usage names none: what the provider told elsewhere, else what was asked. */
  readonly serviceTier?: string;
  /** The answer ended with an error: it costs nothing when it brought nothing. */
  readonly failed?: boolean;
}

/** `list` is null for a model without known prices. */
export function computeCharge(usage: Usage, list: PriceList | null, made: ChargeContext): Charge {
  if (made.failed === true && isEmpty(usage)) return reportedOnly(ZERO, { usage, by: "nobody" });
  if (list === null) {
    const { reportedCost } = usage;
    return reportedOnly(reportedCost ?? ZERO, {
      usage,
      by: reportedCost === undefined ? "nobody" : "provider",
    });
  }
  const serviceTier = usage.serviceTier ?? made.serviceTier;
  const charges = unitPricesFor(list, { promptTokens: usage.inputTokens, at: made.at, serviceTier });
  const sum = new Sum(charges);
  addInput(sum, usage);
  addOutput(sum, usage);
  addTools(sum, usage);
  return {
    lines: sum.lines,
    ...sum.sides(),
    cacheDiscount: cacheDiscount(usage, charges),
    reported: usage.reportedCost,
    by: "list",
    estimated: usage.estimated,
    ...(lacksPrice(usage, list) ? { incomplete: true } : {}),
    ...(isUnpricedTier(list, serviceTier) ? { unpricedTier: true } : {}),
  };
}

/** Rates by which providers' own tools are charged: one of them has to be known. */
const toolRates = [
  // Some charge for each request instead, whatever it searches.
  { count: "webSearches", rates: ["webSearch", "request"] },
  { count: "fileSearches", rates: ["fileSearch"] },
  { count: "codeContainers", rates: ["codeInterpreter"] },
  { count: "imageToolOutputTokens", rates: ["imageOutput", "outputImage"] },
] as const;

/** A provider's own tool was used, and the list does not say what it costs. */
function lacksPrice(usage: Usage, list: PriceList): boolean {
  for (const { count, rates } of toolRates) {
    if (usage[count] !== undefined && !rates.some((rate) => isPriced(list, rate))) return true;
  }
  return false;
}

/** Nothing came out of it. */
const isEmpty = (usage: Usage): boolean =>
  usage.outputTokens === 0 && usage.outputImages === undefined && usage.imageToolOutputTokens === undefined;

/** A provider's sum, of which nobody says what it is for: it stands as output. */
function reportedOnly(total: NanoUsd, { usage, by }: Pick<Charge, "by"> & { readonly usage: Usage }): Charge {
  return {
    lines: [],
    total,
    input: ZERO,
    output: total,
    tools: ZERO,
    cacheDiscount: ZERO,
    reported: usage.reportedCost,
    by,
    estimated: usage.estimated,
  };
}

/** Charged per chunk, so a list that does not name it charges nothing for it and a receipt says nothing of it. */
const chunks: ReadonlySet<RateName> = new Set([
  "request",
  "image",
  "outputImage",
  "webSearch",
  "fileSearch",
  "codeInterpreter",
  "character",
  "second",
]);

/** Prices of each resolved list as decimal strings, each written when it is first charged. */
const writtenBy = new WeakMap<UnitPrices, Partial<Record<RateName, string>>>();

function cacheWriteTokensOf(charges: UnitPrices): Partial<Record<RateName, string>> {
  const known = writtenBy.get(charges);
  if (known !== undefined) return known;
  const written = {};
  writtenBy.set(charges, written);
  return written;
}

/** Adds up the lines of a charge. Built with every answer, so nothing is copied. */
class Sum {
  readonly lines: ChargeItem[] = [];
  readonly #charges: UnitPrices;
  readonly #written: Partial<Record<RateName, string>>;
  #input = 0n;
  #output = 0n;
  #tools = 0n;

  constructor(charges: UnitPrices) {
    this.#charges = charges;
    this.#written = cacheWriteTokensOf(charges);
  }

  input(rate: RateName, quantity: number): void {
    if (quantity !== 0) this.#input += this.#charged({ rate, side: "input", quantity });
  }

  output(rate: RateName, quantity: number): void {
    if (quantity !== 0) this.#output += this.#charged({ rate, side: "output", quantity });
  }

  tool(rate: RateName, quantity: number): void {
    if (quantity !== 0) this.#tools += this.#charged({ rate, side: "tool", quantity });
  }

  /** Rounded up once, over all; each side is what its lines add to the sum of those before. */
  sides(): Pick<Charge, "total" | "input" | "output" | "tools"> {
    const input = roundUpToNano(this.#input);
    const withOutput = roundUpToNano(this.#input + this.#output);
    const total = this.#tools === 0n ? withOutput : roundUpToNano(this.#input + this.#output + this.#tools);
    return { total, input, output: toNanoUsd(withOutput - input), tools: toNanoUsd(total - withOutput) };
  }

  /** Computes the cost of a quantity, to the last atto-USD. */
  #charged({ rate, side, quantity }: Omit<ChargeItem, "unitPrice"> & { readonly rate: RateName }): bigint {
    const price = this.#charges[rate];
    // A chunk without a price is none that anybody charges for.
    if (price === 0n && chunks.has(rate)) return 0n;
    const exact = exactCost({ quantity, price });
    this.lines.push({ rate, side, quantity, unitPrice: this.#written[rate] ??= formatUnitPrice(price) });
    return exact;
  }
}

// Every token stands in one line only.

function addInput(sum: Sum, usage: Usage): void {
  const { inputTokens, cachedTokens, cacheWriteTokens } = usage;
  const cachedAudio = usage.cachedAudioTokens ?? 0;
  const hour = usage.cacheWrite1hTokens ?? 0;
  // A provider that says what was heard and not how much of it was cached leaves it open which tokens were: the
  // dear ones count as not cached.
  const fresh = inputTokens - cachedTokens - cacheWriteTokens;
  const audio = Math.min((usage.inputAudioTokens ?? 0) - cachedAudio, fresh);
  const images = Math.min((usage.inputImageTokens ?? 0) - (usage.cachedImageTokens ?? 0), fresh - audio);
  sum.input("prompt", fresh - audio - images);
  sum.input("inputCacheRead", cachedTokens - cachedAudio);
  sum.input("inputCacheWrite", cacheWriteTokens - hour);
  sum.input("inputCacheWrite1h", hour);
  sum.input("audio", audio);
  sum.input("inputAudioCache", cachedAudio);
  sum.input("imageToken", images);
  sum.input("image", usage.inputImages ?? 0);
  sum.input("request", usage.calls ?? 1);
  sum.input("character", usage.characters ?? 0);
  sum.input("second", usage.seconds ?? 0);
}

function addOutput(sum: Sum, usage: Usage): void {
  const { outputTokens, outputAudioTokens = 0, outputImageTokens = 0 } = usage;
  const reasoning = Math.min(usage.reasoningTokens, outputTokens - outputAudioTokens - outputImageTokens);
  sum.output("completion", outputTokens - outputAudioTokens - outputImageTokens - reasoning);
  sum.output("internalReasoning", reasoning);
  sum.output("audioOutput", outputAudioTokens);
  sum.output("imageOutput", outputImageTokens);
  sum.output("outputImage", usage.outputImages ?? 0);
}

function addTools(sum: Sum, usage: Usage): void {
  sum.tool("webSearch", usage.webSearches ?? 0);
  sum.tool("fileSearch", usage.fileSearches ?? 0);
  sum.tool("codeInterpreter", usage.codeContainers ?? 0);
  sum.tool("imageToken", usage.imageToolInputTokens ?? 0);
  sum.tool("imageOutput", usage.imageToolOutputTokens ?? 0);
}

function cacheDiscount(usage: Usage, charges: UnitPrices): NanoUsd {
  const { cachedTokens, cacheWriteTokens, cachedAudioTokens = 0, cacheWrite1hTokens = 0 } = usage;
  // Mostly nothing was cached, and sums of such fine numbers take time.
  if (cachedTokens === 0 && cacheWriteTokens === 0 && cachedAudioTokens === 0 && cacheWrite1hTokens === 0) {
    return ZERO;
  }
  const saved = [
    BigInt(cachedTokens - cachedAudioTokens) * (charges.prompt - charges.inputCacheRead),
    BigInt(cachedAudioTokens) * (charges.audio - charges.inputAudioCache),
    BigInt(cacheWriteTokens - cacheWrite1hTokens) * (charges.prompt - charges.inputCacheWrite),
    BigInt(cacheWrite1hTokens) * (charges.prompt - charges.inputCacheWrite1h),
  ];
  return roundUpToNano(saved.reduce((sum, one) => sum + one, 0n));
}
