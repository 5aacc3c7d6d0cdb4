import assert from "node:assert/strict";
import { parseUsage } from "./usage.ts";

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
    [{ promptTokenCount: -5, candidatesTokenCount: 1e18 }, [0, 100_000_000, 0, 0]],
    [{ promptTokenCount: "10", candidatesTokenCount: null, totalTokenCount: 3 }, [0, 3, 0, 0]],
    [{}, undefined],
    [{ trafficType: "ON_DEMAND" }, undefined],
    [null, undefined],
    ["x", undefined],
  ];
  for (const [raw, expected] of cases) assert.deepEqual(counts(raw), expected, JSON.stringify(raw));
});
