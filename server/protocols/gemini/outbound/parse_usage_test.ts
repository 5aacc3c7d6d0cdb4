import assert from "node:assert/strict";
import { parseUsage } from "./parse_usage.ts";

const counts = (raw: unknown) => {
  const usage = parseUsage(raw);
  return usage && [usage.inputTokens, usage.outputTokens, usage.cachedTokens, usage.reasoningTokens];
};

Deno.test("parseUsage counts thoughts as output and tools' results as input (U14)", () => {
  const cases: readonly (readonly [unknown, readonly number[] | undefined])[] = [
    [{ promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 }, [10, 2, 0, 0]],
    [{ promptTokenCount: 10, candidatesTokenCount: 2, thoughtsTokenCount: 5, totalTokenCount: 17 }, [
      10,
      7,
      0,
      5,
    ]],
    [{ promptTokenCount: 10, toolUsePromptTokenCount: 90, candidatesTokenCount: 1 }, [100, 1, 0, 0]],
    [{ promptTokenCount: 10, cachedContentTokenCount: 8 }, [10, 0, 8, 0]],
    [{ promptTokenCount: 10, cachedContentTokenCount: 80 }, [10, 0, 10, 0]],
    [{ promptTokenCount: 10, totalTokenCount: 30, thoughtsTokenCount: 5 }, [10, 20, 0, 5]],
    [{ promptTokenCount: 0, candidatesTokenCount: 0 }, [0, 0, 0, 0]],
    [{ promptTokenCount: 5, candidatesTokenCount: 1e18 }, [5, 100_000_000, 0, 0]],
    [{ promptTokenCount: -5, candidatesTokenCount: 1 }, undefined],
    [{ candidatesTokenCount: -1, totalTokenCount: 1 }, undefined],
    [{ promptTokenCount: "10", candidatesTokenCount: null, totalTokenCount: 3 }, undefined],
    [{}, undefined],
    [{ trafficType: "ON_DEMAND" }, undefined],
    [null, undefined],
    ["x", undefined],
  ];
  for (const [raw, expected] of cases) assert.deepEqual(counts(raw), expected, JSON.stringify(raw));
});

Deno.test("parseUsage tells sound and images apart, and what of them was cached", () => {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }));
  const raw = {
    promptTokenCount: 1000,
    cachedContentTokenCount: 400,
    toolUsePromptTokenCount: 50,
    candidatesTokenCount: 200,
    promptTokensDetails: list({ TEXT: 100, AUDIO: 500, IMAGE: 400 }),
    cacheTokensDetails: list({ AUDIO: 300, IMAGE: 100 }),
    toolUsePromptTokensDetails: list({ TEXT: 30, IMAGE: 20 }),
    candidatesTokensDetails: list({ TEXT: 20, AUDIO: 60, IMAGE: 120 }),
  };
  assert.deepEqual(parseUsage(raw, 3), {
    inputTokens: 1050,
    outputTokens: 200,
    cachedTokens: 400,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    inputAudioTokens: 500,
    cachedAudioTokens: 300,
    inputImageTokens: 420,
    cachedImageTokens: 100,
    outputAudioTokens: 60,
    outputImageTokens: 120,
    webSearches: 3,
    estimated: false,
    raw,
  });
});

Deno.test("parseUsage counts the images that the answer's own count leaves out", () => {
  const details = [{ modality: "IMAGE", tokenCount: 1290 }, { modality: "TEXT", tokenCount: 10 }];
  const usage = parseUsage({
    promptTokenCount: 5,
    candidatesTokenCount: 10,
    candidatesTokensDetails: details,
  });
  assert.deepEqual([usage?.outputTokens, usage?.outputImageTokens], [1300, 1290]);
  const odd = parseUsage({ promptTokenCount: 5, candidatesTokenCount: 10, candidatesTokensDetails: "none" });
  assert.equal(odd?.outputTokens, 10);
});

Deno.test("parseUsage says the tier in our clients' words", () => {
  const tier = (fields: Readonly<Record<string, unknown>>) =>
    parseUsage({ promptTokenCount: 1, ...fields })?.serviceTier;
  assert.equal(tier({}), undefined);
  assert.equal(tier({ serviceTier: "STANDARD" }), "default");
  assert.equal(tier({ serviceTier: "PRIORITY" }), "priority");
  assert.equal(tier({ trafficType: "ON_DEMAND" }), "default");
  assert.equal(tier({ trafficType: "ON_DEMAND_FLEX" }), "flex");
});
