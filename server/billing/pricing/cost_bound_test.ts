import assert from "node:assert/strict";
import { computeCharge } from "./charge.ts";
import { type PriceList, type RateName, rateNames } from "../../../shared/models.ts";
import { parseUsd, toNanoUsd } from "../../../shared/money.ts";
import { normalizeUsage, type ReportedCounts } from "../../protocols/canonical/usage.ts";
import { costBound, SEARCH_TOKENS, TEMPLATE_TOKENS, TOOLS_TEMPLATE_TOKENS } from "./cost_bound.ts";

const list: PriceList = {
  prompt: "0.000001",
  completion: "0.000002",
  inputCacheWrite1h: "0.000002",
  internalReasoning: "0.000003",
  request: "0.005",
  webSearch: "0.01",
  overrides: [{ minPromptTokens: 200_000, inputCacheWrite1h: "0.000004", completion: "0.000006" }],
};
const bytes = 1000 - TEMPLATE_TOKENS;
const plain = { list, contextLength: 1_000_000, bodyBytes: bytes };

Deno.test("costBound takes every byte for a token, at the dearest rate that could apply", () => {
  const worst = costBound(plain);
  assert.equal(worst.input, 2_000_000);
  assert.equal(worst.fixed, 5_000_000);
  assert.equal(worst.total(), 7_000_000);
  assert.equal(worst.total(1000), 10_000_000);
  assert.equal(costBound({ ...plain, maxOutputTokens: 1000 }).total(), 10_000_000);
});

Deno.test("costBound reckons with a long prompt's prices only where the prompt could be one", () => {
  const long = costBound({ ...plain, bodyBytes: 300_000 - TEMPLATE_TOKENS });
  assert.equal(long.input, 1_200_000_000);
  assert.equal(long.total(1000), 1_200_000_000 + 6_000_000 + 5_000_000);
  const just = costBound({ ...plain, bodyBytes: 200_000 - TEMPLATE_TOKENS });
  assert.equal(just.input, 400_000_000, "strictly more");
});

Deno.test("costBound never takes more than the context for the input", () => {
  const worst = costBound({ ...plain, contextLength: 4000, bodyBytes: 32_000_000 });
  assert.equal(worst.input, 8_000_000);
  const unknown = costBound({ ...plain, contextLength: null, bodyBytes: 2000 - TEMPLATE_TOKENS });
  assert.equal(unknown.input, 4_000_000);
});

Deno.test("costBound counts what is added to the prompt for tools, and reads it again after each search", () => {
  assert.equal(costBound({ ...plain, tools: true }).input, 2_000_000 + TOOLS_TEMPLATE_TOKENS * 2000);
  const searched = costBound({ ...plain, searches: 2 });
  assert.equal(searched.input, (3 * 1000 + 3 * SEARCH_TOKENS) * 2000);
  assert.equal(searched.fixed, 25_000_000);
  const fetched = costBound({ ...plain, searches: 1, searchTokens: 500 });
  assert.equal(fetched.input, (1000 + 1500) * 2000);
  const full = costBound({ ...plain, contextLength: 1500, searches: 2 });
  assert.equal(full.input, (1000 + 1500 + 1500) * 2000);
});

Deno.test("costBound prices media by the dearest kind first", () => {
  const media = { images: 2, imageTokens: 500, audioTokens: 300, otherTokens: 0 };
  const prices = { ...list, image: "0.001", imageToken: "0.000005", audio: "0.00001" };
  const worst = costBound({ ...plain, list: prices, media });
  assert.equal(worst.input, 1000 * 2000 + 500 * 5000 + 300 * 10_000);
  assert.equal(worst.fixed, 7_000_000);
  const full = costBound({ ...plain, list: prices, media, contextLength: 400 });
  assert.equal(full.input, 300 * 10_000 + 100 * 5000);
  const other = costBound({
    ...plain,
    list: prices,
    media: { ...media, otherTokens: 1000 },
    contextLength: 400,
  });
  assert.equal(other.input, 400 * 10_000);
});

Deno.test("capWithin is the largest cap whose worst case fits", () => {
  const worst = costBound(plain);
  for (const usd of ["0.007", "0.007000001", "0.007003", "0.01", "12.345678901", "9000000"]) {
    const amount = parseUsd(usd);
    const cap = worst.maxTokensWithin(amount);
    assert.ok(worst.total(cap) <= amount, usd);
    assert.ok(cap > 1e12 || worst.total(cap + 1) > amount, usd);
  }
  assert.equal(worst.maxTokensWithin(toNanoUsd(7_000_000)), 0);
  assert.equal(worst.maxTokensWithin(toNanoUsd(6_999_999)), -1);
  const free = costBound({ ...plain, list: { prompt: "0", completion: "0" } });
  assert.equal(free.maxTokensWithin(toNanoUsd(0)), Number.MAX_SAFE_INTEGER);
  assert.equal(free.total(1_000_000), 0);
});

Deno.test("costBound counts pieces, characters and seconds", () => {
  const speech: PriceList = { prompt: "0", completion: "0", character: "0.000015", second: "0.0001" };
  assert.equal(costBound({ ...plain, list: speech, characters: 1000, seconds: 60 }).total(), 21_000_000);
  const drawn: PriceList = { prompt: "0", completion: "0", outputImage: "0.04" };
  assert.equal(costBound({ ...plain, list: drawn, outputImages: 3 }).total(), 120_000_000);
});

/** A usage that is charged by each rate. */
const usedBy: { readonly [R in RateName]: ReportedCounts } = {
  prompt: { inputTokens: 1 },
  completion: { outputTokens: 1 },
  request: {},
  image: { inputImages: 1 },
  outputImage: { outputImages: 1 },
  imageToken: { inputTokens: 1, inputImageTokens: 1 },
  imageOutput: { outputTokens: 1, outputImageTokens: 1 },
  audio: { inputTokens: 1, inputAudioTokens: 1 },
  audioOutput: { outputTokens: 1, outputAudioTokens: 1 },
  inputAudioCache: { inputTokens: 1, inputAudioTokens: 1, cachedTokens: 1, cachedAudioTokens: 1 },
  webSearch: { webSearches: 1 },
  fileSearch: { fileSearches: 1 },
  codeInterpreter: { codeContainers: 1 },
  internalReasoning: { outputTokens: 1, reasoningTokens: 1 },
  inputCacheRead: { inputTokens: 1, cachedTokens: 1 },
  inputCacheWrite: { inputTokens: 1, cacheWriteTokens: 1 },
  inputCacheWrite1h: { inputTokens: 1, cacheWriteTokens: 1, cacheWrite1hTokens: 1 },
  character: { characters: 1 },
  second: { seconds: 1 },
};

Deno.test("costBound reckons with every rate, also where no other is dear", () => {
  for (const [name, used] of Object.entries(usedBy)) {
    const dear: PriceList = { prompt: "0", completion: "0", inputCacheRead: "0", ...({ [name]: "1" }) };
    const charge = computeCharge(normalizeUsage(used), dear, { at: 0 });
    assert.equal(charge.total, 1_000_000_000, name);
    const worst = costBound({
      list: dear,
      contextLength: null,
      bodyBytes: 0,
      media: { images: 1, imageTokens: 1, audioTokens: 1, otherTokens: 0 },
      maxOutputTokens: 1,
      searches: 1,
      searchRates: ["webSearch", "fileSearch", "codeInterpreter"],
      outputImages: 1,
      characters: 1,
      seconds: 1,
    });
    assert.ok(worst.total() >= charge.total, name);
  }
  assert.deepEqual(Object.keys(usedBy).toSorted(), Object.keys(rateNames).toSorted());
});

Deno.test("costBound reckons with sound, images and files as what they could be", () => {
  const dear: PriceList = {
    prompt: "0.000001",
    completion: "0",
    imageToken: "0.000002",
    inputAudioCache: "0.000003",
  };
  const input = (kind: "imageTokens" | "audioTokens" | "otherTokens") =>
    costBound({
      list: dear,
      contextLength: null,
      bodyBytes: 0,
      media: { images: 0, imageTokens: 0, audioTokens: 0, otherTokens: 0, [kind]: 1000 },
    }).input - TEMPLATE_TOKENS * 1000;
  assert.deepEqual([input("imageTokens"), input("audioTokens"), input("otherTokens")], [
    2_000_000,
    3_000_000,
    3_000_000,
  ]);
});

Deno.test("costBound reckons with several answers, with what is read again, and with sources", () => {
  const four = costBound({ ...plain, answers: 4 });
  assert.equal(four.total(1_000), costBound(plain).total(4_000));
  assert.equal(four.maxTokensWithin(four.total(321)), 321);
  assert.equal(costBound({ ...plain, promptRereads: 1 }).input, 2 * costBound(plain).input);
  assert.equal(costBound({ ...plain, sources: 3 }).fixed, costBound(plain).fixed + 30_000_000);
});

Deno.test("costBound stays an amount, whatever is asked for", () => {
  const worst = costBound({ ...plain, contextLength: null, searches: 1_000 });
  const most = worst.total(Number.MAX_SAFE_INTEGER);
  assert.equal(most, 9_000_000_000_000_000);
  assert.ok(worst.maxTokensWithin(most) > 1_000_000);
});
