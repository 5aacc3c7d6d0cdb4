import assert from "node:assert/strict";
import type { Usage } from "../../canonical/usage.ts";
import { usageSchema as usageSchema } from "./response_schema.ts";
import { parseUsage } from "./parse_usage.ts";

const cases: readonly (readonly [string, unknown, Partial<Usage> | undefined])[] = [
  ["nothing", undefined, undefined],
  ["null", null, undefined],
  ["plain", { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, { inputTokens: 10, outputTokens: 5 }],
  ["zero is zero", { inputTokens: 0, outputTokens: 0 }, { inputTokens: 0, outputTokens: 0 }],
  ["cache beside the input", {
    inputTokens: 4,
    outputTokens: 60,
    totalTokens: 4264,
    cacheReadInputTokens: 1200,
    cacheWriteInputTokens: 3000,
  }, { inputTokens: 4204, cachedTokens: 1200, cacheWriteTokens: 3000 }],
  ["cache writes by age", {
    inputTokens: 4,
    outputTokens: 60,
    cacheWriteInputTokens: 3000,
    cacheDetails: [{ ttl: "1h", inputTokens: 2000 }, { ttl: "5m", inputTokens: 1000 }],
  }, { inputTokens: 3004, cacheWriteTokens: 3000, cacheWrite1hTokens: 2000 }],
  ["cache writes by age alone", {
    inputTokens: 4,
    outputTokens: 60,
    cacheDetails: [{ ttl: "5m", inputTokens: 1000 }],
  }, { inputTokens: 1004, cacheWriteTokens: 1000 }],
  ["negative", { inputTokens: -4, outputTokens: -1 }, undefined],
  ["one of them negative", { inputTokens: 4, outputTokens: -1 }, undefined],
  ["a negative part", { inputTokens: 4, outputTokens: 1, cacheReadInputTokens: -9 }, {
    inputTokens: 4,
    cachedTokens: 0,
  }],
  ["absurd", { inputTokens: 1e18, outputTokens: 0.5 }, { inputTokens: 100_000_000, outputTokens: 1 }],
  ["odd details", { inputTokens: 1, outputTokens: 1, cacheDetails: {} }, { cacheWriteTokens: 0 }],
];

Deno.test("parseUsage normalises what Converse counts (U14)", async (t) => {
  for (const [name, received, expected] of cases) {
    await t.step(name, () => {
      const usage = parseUsage(usageSchema.nullish().parse(received));
      if (expected === undefined) return assert.equal(usage, undefined);
      assert.deepEqual({ ...usage, ...expected }, usage);
      assert.equal(usage?.estimated, false);
    });
  }
  assert.equal(parseUsage({ inputTokens: 1, outputTokens: 1 }, "flex")?.serviceTier, "flex");
});
