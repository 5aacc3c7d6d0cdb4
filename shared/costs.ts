/** What an answer costs: every quantity once, at its own rate, summed exactly and rounded up once (promises M6). */

import type { PriceList, RateName } from "./models.ts";
import {
  exactCost,
  formatUnitPrice,
  type NanoUsd,
  roundedUp,
  toNanoUsd,
  type UnitPrice,
  ZERO,
} from "./money.ts";
import { type Charges, chargesFor } from "./pricing.ts";
import type { Usage } from "./usage.ts";

/** What a cost is for; `tool` is what the provider's own tools cost. */
export type Side = "input" | "output" | "tool";

export interface ChargeLine {
  readonly rate: RateName;
  readonly side: Side;
  readonly quantity: number;
  /** USD for one, a decimal string. */
  readonly unitPrice: string;
  /** USD for all, exact, a decimal string. */
  readonly cost: string;
}

/** Amounts are nano-USD; `input`, `output` and `tools` add up to `total`. */
export interface Charge {
  readonly lines: readonly ChargeLine[];
  readonly total: NanoUsd;
  readonly input: NanoUsd;
  readonly output: NanoUsd;
  readonly tools: NanoUsd;
  /** What reading from a cache saved; below zero where writing to it cost more than that. */
  readonly cacheDiscount: NanoUsd;
  /** What the provider says that it charges, whatever we charge. */
  readonly reported?: NanoUsd;
  /** Whose prices these are: the list's, the provider's own sum (there are no lines then), or nobody's. */
  readonly by: "list" | "provider" | "nobody";
  /** The counts are the gateway's own. */
  readonly estimated: boolean;
}

/** When and how an answer was made. */
export interface Made {
  /** When the request began: ms since the Unix epoch. */
  readonly at: number;
  /** The tier that counts where the usage names none: what the provider told elsewhere, else what was asked. */
  readonly serviceTier?: string;
  /** The answer ended with an error: it costs nothing when it brought nothing. */
  readonly failed?: boolean;
}

/** `list` is null for a model without known prices. */
export function chargeFor(usage: Usage, list: PriceList | null, made: Made): Charge {
  if (made.failed === true && isEmpty(usage)) return lump(ZERO, { usage, by: "nobody" });
  if (list === null) {
    const { reportedCost } = usage;
    return lump(reportedCost ?? ZERO, { usage, by: reportedCost === undefined ? "nobody" : "provider" });
  }
  const charges = chargesFor(list, {
    promptTokens: usage.inputTokens,
    at: made.at,
    serviceTier: usage.serviceTier ?? made.serviceTier,
  });
  const priced: Priced[] = [];
  for (const one of quantities(usage)) {
    const price = charges[one.rate];
    // A piece without a price is none that anybody charges for.
    if (one.quantity === 0 || (price === 0n && pieces.has(one.rate))) continue;
    priced.push({ ...one, price, exact: exactCost({ quantity: one.quantity, price }) });
  }
  return {
    lines: priced.map(lineOf),
    ...sidesOf(priced),
    cacheDiscount: cacheDiscount(usage, charges),
    reported: usage.reportedCost,
    by: "list",
    estimated: usage.estimated,
  };
}

/** Nothing came out of it. */
const isEmpty = (usage: Usage): boolean =>
  usage.outputTokens === 0 && usage.outputImages === undefined && usage.imageToolOutputTokens === undefined;

/** A provider's sum, of which nobody says what it is for: it stands as output. */
function lump(total: NanoUsd, { usage, by }: Pick<Charge, "by"> & { readonly usage: Usage }): Charge {
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

/** Charged per piece, so a list that does not name it charges nothing for it and a receipt says nothing of it. */
const pieces: ReadonlySet<RateName> = new Set([
  "request",
  "image",
  "outputImage",
  "webSearch",
  "character",
  "second",
]);
interface Quantity {
  readonly rate: RateName;
  readonly side: Side;
  readonly quantity: number;
}

/** Every token stands in one line only. */
function quantities(usage: Usage): readonly Quantity[] {
  return [...inputOf(usage), ...outputOf(usage), ...toolsOf(usage)];
}

function inputOf(usage: Usage): readonly Quantity[] {
  const { inputTokens, cachedTokens, cacheWriteTokens } = usage;
  const cachedAudio = usage.cachedAudioTokens ?? 0;
  const hour = usage.cacheWrite1hTokens ?? 0;
  // A provider that says what was heard and not how much of it was cached leaves it open which tokens were: the
  // dear ones count as not cached.
  const fresh = inputTokens - cachedTokens - cacheWriteTokens;
  const audio = Math.min((usage.inputAudioTokens ?? 0) - cachedAudio, fresh);
  const images = Math.min((usage.inputImageTokens ?? 0) - (usage.cachedImageTokens ?? 0), fresh - audio);
  return [
    { side: "input", rate: "prompt", quantity: fresh - audio - images },
    { side: "input", rate: "inputCacheRead", quantity: cachedTokens - cachedAudio },
    { side: "input", rate: "inputCacheWrite", quantity: cacheWriteTokens - hour },
    { side: "input", rate: "inputCacheWrite1h", quantity: hour },
    { side: "input", rate: "audio", quantity: audio },
    { side: "input", rate: "inputAudioCache", quantity: cachedAudio },
    { side: "input", rate: "imageToken", quantity: images },
    { side: "input", rate: "image", quantity: usage.inputImages ?? 0 },
    { side: "input", rate: "request", quantity: usage.calls ?? 1 },
    { side: "input", rate: "character", quantity: usage.characters ?? 0 },
    { side: "input", rate: "second", quantity: usage.seconds ?? 0 },
  ];
}

function outputOf(usage: Usage): readonly Quantity[] {
  const { outputTokens, outputAudioTokens: audio = 0, outputImageTokens: images = 0 } = usage;
  const reasoning = Math.min(usage.reasoningTokens, outputTokens - audio - images);
  return [
    { side: "output", rate: "completion", quantity: outputTokens - audio - images - reasoning },
    { side: "output", rate: "internalReasoning", quantity: reasoning },
    { side: "output", rate: "audioOutput", quantity: audio },
    { side: "output", rate: "imageOutput", quantity: images },
    { side: "output", rate: "outputImage", quantity: usage.outputImages ?? 0 },
  ];
}

const toolsOf = (usage: Usage): readonly Quantity[] => [
  { side: "tool", rate: "webSearch", quantity: usage.webSearches ?? 0 },
  { side: "tool", rate: "imageToken", quantity: usage.imageToolInputTokens ?? 0 },
  { side: "tool", rate: "imageOutput", quantity: usage.imageToolOutputTokens ?? 0 },
];

/** `exact` is what all of it costs. */
interface Priced extends Quantity {
  readonly price: UnitPrice;
  readonly exact: UnitPrice;
}

const lineOf = ({ rate, side, quantity, price, exact }: Priced): ChargeLine => ({
  rate,
  side,
  quantity,
  unitPrice: formatUnitPrice(price),
  cost: formatUnitPrice(exact),
});

/** Rounded up once, over all; each side is what its lines add to the sum of those before. */
function sidesOf(priced: readonly Priced[]): Pick<Charge, "total" | "input" | "output" | "tools"> {
  const exact = { input: 0n, output: 0n, tool: 0n };
  for (const line of priced) exact[line.side] += line.exact;
  const input = roundedUp(exact.input);
  const withOutput = roundedUp(exact.input + exact.output);
  const total = roundedUp(exact.input + exact.output + exact.tool);
  return { total, input, output: toNanoUsd(withOutput - input), tools: toNanoUsd(total - withOutput) };
}

function cacheDiscount(usage: Usage, charges: Charges): NanoUsd {
  const { cachedTokens, cacheWriteTokens, cachedAudioTokens = 0, cacheWrite1hTokens = 0 } = usage;
  const saved = [
    BigInt(cachedTokens - cachedAudioTokens) * (charges.prompt - charges.inputCacheRead),
    BigInt(cachedAudioTokens) * (charges.audio - charges.inputAudioCache),
    BigInt(cacheWriteTokens - cacheWrite1hTokens) * (charges.prompt - charges.inputCacheWrite),
    BigInt(cacheWrite1hTokens) * (charges.prompt - charges.inputCacheWrite1h),
  ];
  return roundedUp(saved.reduce((sum, one) => sum + one, 0n));
}
