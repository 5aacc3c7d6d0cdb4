import assert from "node:assert/strict";
import fc from "fast-check";
import snapshot from "../../server/providers/catalog/snapshot.json" with { type: "json" };
import { readSnapshot } from "../../server/providers/catalog/snapshot.ts";
import { computeCharge } from "../../server/billing/pricing/charge.ts";
import { type PriceList, type RateName, rateNames, utcDays } from "../../shared/models.ts";
import { formatUsd, parseUnitPrice, toNanoUsd, toUsdNumber } from "../../shared/money.ts";
import { normalizeUsage, type ReportedCounts } from "../../server/protocols/canonical/usage.ts";
import {
  costBound,
  type CostBoundInput,
  IMAGE_PROMPT_TOKENS,
  MAX_IMAGE_OUTPUT_TOKENS,
  SEARCH_TOKENS,
  TEMPLATE_TOKENS,
  TOOLS_TEMPLATE_TOKENS,
} from "../../server/billing/pricing/cost_bound.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

interface Priced {
  readonly name: string;
  readonly list: PriceList;
  readonly contextLength: number | null;
  readonly cap: number;
}

const catalog = readSnapshot(snapshot);

/** Every offer with a price; those with the most to say first, so that no condition or rate is left out. */
function pricedModels(): readonly Priced[] {
  const all = Object.keys(snapshot.offers).flatMap((provider) =>
    [...catalog.offersOf(provider)].flatMap(([name, { pricing, context, output }]) =>
      pricing === null
        ? []
        : [{ name: `${provider} ${name}`, list: pricing, contextLength: context, cap: output ?? 32_000 }]
    )
  );
  const received = ({ list }: Priced) => JSON.stringify(list).length;
  const telling = all.toSorted((a, b) => received(b) - received(a)).slice(0, 30);
  const others = all.filter((_, at) => at % Math.floor(all.length / 30) === 0).slice(0, 30);
  return [...telling, ...others];
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
/** Mostly nothing or all of it: where bounds are passed, if anywhere. */
const extreme = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 1) }, { weight: 1, arbitrary: share });
const count = (max: number) => fc.nat({ max });

/** How much of what is allowed an answer uses, and when and how it was asked for. */
const legal = fc.record({
  bodyBytes: fc.oneof(count(50), count(5_000), count(400_000), count(4_000_000)),
  images: count(3),
  imageTokens: fc.oneof(fc.constant(0), count(5_000)),
  audioTokens: fc.oneof(fc.constant(0), count(20_000)),
  otherTokens: fc.oneof(fc.constant(0), count(50_000)),
  tools: fc.boolean(),
  searches: fc.oneof(fc.constant(0), count(5)),
  searchRates: fc.subarray<RateName>(["webSearch", "fileSearch", "codeInterpreter"], { minLength: 1 }),
  containerSize: fc.constantFrom(1, 4, 64),
  maxImages: fc.oneof(fc.constant(0), count(3)),
  outputImages: count(2),
  characters: fc.oneof(fc.constant(0), count(5_000)),
  seconds: fc.oneof(fc.constant(0), count(600)),
  cap: extreme,
  shares: fc.array(extreme, { minLength: 12, maxLength: 12 }),
  at: fc.date({ min: new Date("2026-11-21"), max: new Date("2028-01-01"), noInvalidDate: true }),
  tier: fc.constantFrom(undefined, "default", "flex", "priority", "batch", "fast"),
});
type Legal = typeof legal extends fc.Arbitrary<infer One> ? One : never;

function boundsOf(
  { list, contextLength, cap }: Priced,
  one: Legal,
): CostBoundInput & { readonly maxOutputTokens: number } {
  const maxOutputTokens = Math.floor(cap * one.cap);
  return {
    ...one,
    list,
    contextLength,
    media: one,
    maxOutputTokens,
    serviceTier: one.tier,
    hourCache: true,
  };
}

/** Tokens that the body and its media could be, read again after each search, each time within the context. */
function mostInput({ contextLength, tools, searches = 0, ...one }: CostBoundInput): number {
  const { imageTokens = 0, audioTokens = 0, otherTokens = 0 } = one.media ?? {};
  const first = one.bodyBytes + TEMPLATE_TOKENS + (tools ? TOOLS_TEMPLATE_TOKENS : 0) +
    imageTokens + audioTokens + otherTokens;
  let sum = 0;
  for (let step = 0; step <= searches; step++) {
    sum += Math.min(first + step * SEARCH_TOKENS, contextLength ?? Infinity);
  }
  return sum;
}

/** Any split of what is allowed into kinds is one that a provider could tell. */
function countsOf(
  bounds: CostBoundInput & { readonly maxOutputTokens: number },
  { shares, ...one }: Legal,
): ReportedCounts {
  const at = (index: number) => shares[index] ?? 0;
  const part = (index: number, whole: number) => Math.floor(at(index) * whole);
  const inputTokens = part(0, mostInput(bounds));
  const outputTokens = part(1, bounds.maxOutputTokens);
  const steps = one.searches + 1;
  const cachedTokens = part(2, inputTokens);
  const cacheWriteTokens = part(3, inputTokens - cachedTokens);
  const inputAudioTokens = part(4, steps * (one.audioTokens + one.otherTokens));
  const others = steps * one.otherTokens - Math.max(0, inputAudioTokens - steps * one.audioTokens);
  return {
    inputTokens,
    outputTokens,
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: part(5, cacheWriteTokens),
    inputAudioTokens,
    cachedAudioTokens: part(6, inputAudioTokens),
    inputImageTokens: part(7, steps * one.imageTokens + others),
    cachedImageTokens: part(8, steps * one.imageTokens),
    reasoningTokens: part(9, outputTokens),
    outputAudioTokens: part(10, outputTokens),
    outputImageTokens: part(11, outputTokens),
    imageToolInputTokens: part(9, one.maxImages * IMAGE_PROMPT_TOKENS),
    imageToolOutputTokens: part(10, one.maxImages * MAX_IMAGE_OUTPUT_TOKENS),
    inputImages: one.images,
    outputImages: one.outputImages,
    ...toolUses(one, at(11)),
    characters: one.characters,
    seconds: one.seconds,
  };
}

/** All calls are of one kind, which is dearer than any mixture of several. */
function toolUses(
  { searches, searchRates, containerSize }: Omit<Legal, "shares">,
  share: number,
): ReportedCounts {
  const rate = searchRates[Math.floor(share * (searchRates.length - 1))];
  if (rate === "fileSearch") return { fileSearches: searches };
  if (rate === "codeInterpreter") return { codeContainers: searches * containerSize };
  return { webSearches: searches };
}

const ATTO_PER_NANO = 1_000_000_000n;

/** A charge is the exact sum of its lines, rounded up to the next nano-USD and no further. */
function isExact({ total, lines }: ReturnType<typeof computeCharge>): boolean {
  const exact = lines.reduce(
    (sum, { quantity, unitPrice }) => sum + BigInt(quantity) * parseUnitPrice(unitPrice),
    0n,
  );
  const charged = BigInt(total) * ATTO_PER_NANO;
  return charged >= exact && charged - exact < ATTO_PER_NANO;
}

function check(model: Priced, one: Legal): void {
  const bounds = boundsOf(model, one);
  const worst = costBound(bounds);
  const usage = normalizeUsage(countsOf(bounds, one));
  const charge = computeCharge(usage, model.list, { at: one.at.getTime(), serviceTier: one.tier });
  assert.ok(charge.total <= worst.total(), `${model.name}: ${charge.total} of ${worst.total()}`);
  assert.ok(isExact(charge), model.name);
  assert.equal(charge.input + charge.output + charge.tools, charge.total);
  assert.ok(Math.min(charge.input, charge.output, charge.tools) >= 0);
  const cap = worst.maxTokensWithin(worst.total());
  assert.ok(
    cap >= bounds.maxOutputTokens && worst.total(cap) === worst.total(),
    "its own cap fits, and none that costs more",
  );
}

Deno.test(`M1 no legal usage costs more than its worst case, of 60 models (SEED=${seed})`, () => {
  const models = pricedModels();
  assert.equal(models.length, 60);
  for (const model of models) {
    assertProperty(fc.property(legal, (one) => check(model, one)), { numRuns: runs(40) });
  }
});

/** Up to a hundred USD a million. */
const price = fc.bigInt({ min: 0n, max: 10n ** 14n }).map((atto) => `0.${atto.toString().padStart(18, "0")}`);
const rate = fc.dictionary(fc.constantFrom<RateName>(...toRates(Object.keys(rateNames))), price, {
  size: "+1",
});
const override = fc.tuple(
  rate,
  fc.record({
    minPromptTokens: count(500_000),
    serviceTier: fc.constantFrom("flex", "priority"),
    utcStart: fc.integer({ min: 0, max: 23 }).map((hour) => hour * 100),
    utcEnd: fc.integer({ min: 0, max: 24 }).map((hour) => hour * 100),
    utcDays: fc.subarray([...utcDays]),
    from: fc.constantFrom("2026-01-01", "2027-06-01"),
  }, { requiredKeys: [] }),
).map(([rates, when]) => ({ ...rates, ...when }));
const anyList: fc.Arbitrary<PriceList> = fc.tuple(rate, price, price, fc.array(override, { maxLength: 6 }))
  .map(
    ([rates, prompt, completion, overrides]) => ({ ...rates, prompt, completion, overrides }),
  );

/** The keys of the table of rates. */
function toRates(keys: readonly string[]): readonly RateName[] {
  return keys as readonly RateName[];
}

Deno.test(`M1 no legal usage costs more than its worst case, by any list of prices (SEED=${seed})`, () => {
  const property = fc.property(
    anyList,
    legal,
    fc.option(count(300_000)),
    (list, one, contextLength) =>
      check({ name: JSON.stringify(list), list, contextLength, cap: 64_000 }, one),
  );
  assertProperty(property, { numRuns: runs(400) });
});

Deno.test(`M1 what capWithin allows never costs more than the amount (SEED=${seed})`, () => {
  const property = fc.property(anyList, legal, fc.nat({ max: 2 ** 31 - 1 }), (list, one, nano) => {
    const bounds = boundsOf({ name: "any", list, contextLength: 200_000, cap: 64_000 }, one);
    const amount = toNanoUsd(nano * 100);
    const cap = costBound(bounds).maxTokensWithin(amount);
    if (cap < 0) return assert.ok(costBound(bounds).total(0) > amount);
    const capped = { ...bounds, maxOutputTokens: Math.min(cap, 100_000) };
    const usage = normalizeUsage(countsOf(capped, one));
    assert.ok(computeCharge(usage, list, { at: one.at.getTime(), serviceTier: one.tier }).total <= amount);
  });
  assertProperty(property, { numRuns: runs(400) });
});

Deno.test(`an amount's USD number is the one that its decimal string reads as (SEED=${seed})`, () => {
  const property = fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer()), (nano) => {
    const amount = toNanoUsd(nano);
    assert.ok(Object.is(toUsdNumber(amount), Number(formatUsd(amount))), String(nano));
  });
  assertProperty(property, {
    numRuns: runs(5_000),
    examples: [[0], [-0], [1], [-1], [Number.MAX_SAFE_INTEGER]],
  });
});
