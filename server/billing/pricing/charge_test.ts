import assert from "node:assert/strict";
import { type ChargeContext, computeCharge } from "./charge.ts";
import type { PriceList } from "../../../shared/models.ts";
import { exactCost, formatUnitPrice, parseUnitPrice, toNanoUsd } from "../../../shared/money.ts";
import { normalizeUsage, partialUsage, type ReportedCounts } from "../../protocols/canonical/usage.ts";

const list: PriceList = {
  prompt: "0.000002",
  completion: "0.00001",
  inputCacheRead: "0.0000002",
  inputCacheWrite: "0.0000025",
  inputCacheWrite1h: "0.000004",
  audio: "0.00001",
  inputAudioCache: "0.000001",
  imageToken: "0.000003",
  audioOutput: "0.00002",
  imageOutput: "0.00004",
  internalReasoning: "0.000012",
  request: "0.005",
  webSearch: "0.01",
};
const made: ChargeContext = { at: Date.UTC(2026, 10, 2, 12) };
interface How extends Partial<ChargeContext> {
  readonly prices?: PriceList | null;
}
const charge = (counts: ReportedCounts, { prices = list, ...how }: How = {}) =>
  computeCharge(normalizeUsage(counts), prices, { ...made, ...how });
const shown = (counts: ReportedCounts) =>
  charge(counts).lines.map(({ rate, quantity, unitPrice }) =>
    `${quantity} ${rate} ${formatUnitPrice(exactCost({ quantity, price: parseUnitPrice(unitPrice) }))}`
  );

Deno.test("computeCharge prices every quantity once, by its own rate", () => {
  const lines = shown({
    inputTokens: 1000,
    cachedTokens: 400,
    cachedAudioTokens: 50,
    cacheWriteTokens: 200,
    cacheWrite1hTokens: 150,
    inputAudioTokens: 120,
    inputImageTokens: 80,
    outputTokens: 500,
    reasoningTokens: 300,
    outputAudioTokens: 40,
    outputImageTokens: 60,
    webSearches: 2,
  });
  assert.deepEqual(lines, [
    "250 prompt 0.0005",
    "350 inputCacheRead 0.00007",
    "50 inputCacheWrite 0.000125",
    "150 inputCacheWrite1h 0.0006",
    "70 audio 0.0007",
    "50 inputAudioCache 0.00005",
    "80 imageToken 0.00024",
    "1 request 0.005",
    "100 completion 0.001",
    "300 internalReasoning 0.0036",
    "40 audioOutput 0.0008",
    "60 imageOutput 0.0024",
    "2 webSearch 0.02",
  ]);
});

Deno.test("computeCharge splits the sum by sides that add up, and rounds it up once", () => {
  const fine: PriceList = { prompt: "0.0000000001", completion: "0.0000000001", webSearch: "0.0000000001" };
  const { input, output, tools, total } = charge(
    { inputTokens: 3, outputTokens: 3, webSearches: 3 },
    { prices: fine },
  );
  assert.deepEqual([input, output, tools, total], [1, 0, 0, 1], "nine tenths of a nano-USD");
  const more = charge({ inputTokens: 13, outputTokens: 8, webSearches: 9 }, { prices: fine });
  assert.deepEqual([more.input, more.output, more.tools, more.total], [2, 1, 0, 3]);
});

Deno.test("computeCharge takes what is dear first where a provider leaves open what was cached", () => {
  const lines = shown({ inputTokens: 100, cachedTokens: 60, inputAudioTokens: 80, outputTokens: 0 });
  assert.deepEqual(lines.slice(0, 4), [
    "60 inputCacheRead 0.000012",
    "40 audio 0.0004",
    "1 request 0.005",
  ]);
});

Deno.test("computeCharge says what the cache saved, and what writing to it cost more", () => {
  assert.equal(charge({ inputTokens: 1000, cachedTokens: 1000 }).cacheDiscount, 1_800_000);
  assert.equal(charge({ inputTokens: 1000, cacheWriteTokens: 1000 }).cacheDiscount, -500_000);
  const hour = charge({ inputTokens: 1000, cacheWriteTokens: 1000, cacheWrite1hTokens: 1000 });
  assert.equal(hour.cacheDiscount, -2_000_000);
  assert.equal(charge({ inputTokens: 1000 }).cacheDiscount, 0);
});

Deno.test("computeCharge charges what the provider says only where no list is known", () => {
  const reportedCost = toNanoUsd(140_000);
  const ours = charge({ inputTokens: 1, outputTokens: 1, reportedCost });
  assert.deepEqual([ours.by, ours.reported, ours.total], ["list", 140_000, 5_012_000]);
  const theirs = charge({ inputTokens: 1, outputTokens: 1, reportedCost }, { prices: null });
  assert.deepEqual([theirs.by, theirs.reported, theirs.total, theirs.lines], [
    "provider",
    140_000,
    140_000,
    [],
  ]);
  const nobodys = charge({ inputTokens: 1, outputTokens: 1 }, { prices: null });
  assert.deepEqual([nobodys.by, nobodys.reported, nobodys.total], ["nobody", undefined, 0]);
});

Deno.test("computeCharge charges nothing for a failure that brought nothing, and anything else", () => {
  const counts = { inputTokens: 1000, outputTokens: 0, reportedCost: toNanoUsd(7) };
  assert.equal(charge(counts, { failed: true }).total, 0);
  assert.equal(charge(counts, { failed: true, prices: null }).total, 0);
  assert.notEqual(charge(counts).total, 0, "an empty answer is an answer");
  assert.notEqual(charge({ ...counts, outputTokens: 1 }, { failed: true }).total, 0);
  assert.notEqual(charge({ ...counts, outputImages: 1 }, { failed: true }).total, 0);
});

Deno.test("computeCharge goes by the tier that was served, else by what was asked", () => {
  const tiers: PriceList = {
    prompt: "0.000002",
    completion: "0.00001",
    overrides: [{ serviceTier: "flex", prompt: "0.000001" }, { serviceTier: "priority", prompt: "0.000004" }],
  };
  const cost = (serviceTier: string | undefined, requested?: string) =>
    charge({ inputTokens: 1000, serviceTier }, { serviceTier: requested, prices: tiers }).total;
  assert.equal(cost(undefined), 2_000_000);
  assert.equal(cost("flex"), 1_000_000);
  assert.equal(cost(undefined, "flex"), 1_000_000);
  assert.equal(cost("default", "priority"), 2_000_000, "not served as asked");
  assert.equal(cost("priority", "flex"), 4_000_000);
});

Deno.test("normalizeUsage brings back what cannot be true", () => {
  const usage = normalizeUsage({
    inputTokens: 10,
    outputTokens: -5,
    cachedTokens: 8,
    cacheWriteTokens: 99,
    cacheWrite1hTokens: 99,
    inputAudioTokens: 7.2,
    cachedAudioTokens: 1e18,
    inputImageTokens: 50,
    cachedImageTokens: 50,
    reasoningTokens: 3,
    webSearches: 0.5,
    seconds: NaN,
    characters: Infinity,
  });
  assert.deepEqual(usage, {
    inputTokens: 10,
    outputTokens: 0,
    cachedTokens: 8,
    cacheWriteTokens: 2,
    reasoningTokens: 0,
    cacheWrite1hTokens: 2,
    inputAudioTokens: 8,
    cachedAudioTokens: 8,
    inputImageTokens: 2,
    webSearches: 1,
    characters: 100_000_000,
    estimated: false,
  });
});

Deno.test("partialUsage takes the provider's word for the input and ours for the output", () => {
  const counted = normalizeUsage({
    inputTokens: 90,
    outputTokens: 500,
    reasoningTokens: 200,
    estimated: true,
  });
  const reported = normalizeUsage({
    inputTokens: 100,
    cachedTokens: 60,
    outputTokens: 1,
    estimated: true,
    raw: "its own",
  });
  assert.deepEqual(partialUsage(reported, counted), {
    inputTokens: 100,
    outputTokens: 500,
    cachedTokens: 60,
    cacheWriteTokens: 0,
    reasoningTokens: 200,
    estimated: true,
    raw: "its own",
  });
  const final = normalizeUsage({ inputTokens: 100, outputTokens: 7 });
  assert.equal(partialUsage(final, counted), final);
  const nothing = partialUsage(reported, normalizeUsage({ outputTokens: 0, estimated: true }));
  assert.equal(computeCharge(nothing, list, { ...made, failed: true }).total, 0, "a guess is no output");
});
