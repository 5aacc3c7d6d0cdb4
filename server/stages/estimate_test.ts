import assert from "node:assert/strict";
import type { ModelEvent } from "../hub/event.ts";
import { modelRequest } from "../../tests/support/requests.ts";
import { Meter } from "./estimate.ts";

function metered(...batches: readonly (readonly ModelEvent[])[]): Meter {
  const meter = new Meter();
  for (const batch of batches) meter.see(batch);
  return meter;
}

const request = modelRequest({ instructions: "12345678" });

Deno.test("Meter estimates what the provider does not count", () => {
  const meter = metered(
    [{ type: "begin", upstreamId: "up_1" }, { type: "thought", at: 0, part: 0, delta: "12345678" }],
    [{ type: "text", at: 1, part: 0, delta: "1234567890" }, { type: "arguments", at: 2, delta: "12" }],
    [{ type: "finish", reason: "stop" }],
  );
  assert.deepEqual(meter.usage(request), {
    inputTokens: 3,
    outputTokens: 5,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 2,
    estimated: true,
  });
  assert.equal(meter.deltas, 3);
  assert.equal(meter.upstreamId, "up_1");
});

Deno.test("Meter never counts more than the cap that was sent", () => {
  const { outputTokens, reasoningTokens } = metered(
    [{ type: "thought", at: 0, part: 0, delta: "x".repeat(400) }],
  ).usage(request, 30);
  assert.deepEqual([outputTokens, reasoningTokens], [30, 30]);
});

Deno.test("Meter tells whether anything came", () => {
  const failure = { kind: "upstream_failed", message: "It broke." } as const;
  const item = { type: "message", role: "assistant", parts: [] } as const;
  assert.equal(metered([{ type: "begin" }, { type: "failure", failure }]).produced, false);
  assert.equal(metered([{ type: "item", at: 0, item }]).produced, false);
  assert.equal(metered([{ type: "text", at: 0, part: 0, delta: "" }]).produced, false);
  assert.equal(metered([{ type: "text", at: 0, part: 0, delta: "a" }]).produced, true);
  assert.equal(metered([{ type: "item_done", at: 0, item }]).produced, true);
});
