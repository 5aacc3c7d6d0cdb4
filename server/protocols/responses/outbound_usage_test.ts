import assert from "node:assert/strict";
import { readUsage } from "./outbound_usage.ts";

Deno.test("U14 readUsage reads what the provider counted and keeps its own object", () => {
  const raw = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
    output_tokens_details: { reasoning_tokens: 3 },
  };
  assert.deepEqual(readUsage(raw), {
    inputTokens: 10,
    outputTokens: 5,
    cachedTokens: 4,
    cacheWriteTokens: 2,
    reasoningTokens: 3,
    estimated: false,
    raw,
  });
});

Deno.test("U14 readUsage says nothing where the provider said nothing", () => {
  for (const raw of [undefined, null, {}, [], "12", { input_tokens: null }, { total_tokens: 3 }]) {
    assert.equal(readUsage(raw), undefined, JSON.stringify(raw));
  }
});

Deno.test("U14 readUsage takes zero for zero and brings back what cannot be true", () => {
  const counts = (fields: Record<string, unknown>) => {
    const { raw: _raw, estimated: _estimated, ...rest } = readUsage(fields) ?? { raw: 0, estimated: 0 };
    return Object.values(rest);
  };
  assert.deepEqual(counts({ input_tokens: 0, output_tokens: 0 }), [0, 0, 0, 0, 0]);
  assert.deepEqual(counts({ input_tokens: -5, output_tokens: 1e18 }), [0, 100_000_000, 0, 0, 0]);
  assert.deepEqual(counts({ input_tokens: "NaN", output_tokens: 2.4 }), [0, 3, 0, 0, 0]);
  assert.deepEqual(
    counts({
      input_tokens: 3,
      output_tokens: 2,
      input_tokens_details: { cached_tokens: 9, cache_write_tokens: -1 },
      output_tokens_details: { reasoning_tokens: 9 },
    }),
    [3, 2, 3, 0, 2],
  );
  assert.deepEqual(counts({ input_tokens: 3, output_tokens: 2, input_tokens_details: null }), [
    3,
    2,
    0,
    0,
    0,
  ]);
});
