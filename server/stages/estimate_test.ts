import assert from "node:assert/strict";
import type { Usage } from "../../shared/usage.ts";
import type { ModelEvent } from "../hub/event.ts";
import { sourceOf } from "../stream/source.ts";
import { modelRequest } from "../../tests/support/requests.ts";
import { withUsage } from "./estimate.ts";

const counted: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

async function usageOf(...batches: readonly (readonly ModelEvent[])[]): Promise<Usage | undefined> {
  const source = withUsage(sourceOf(...batches), modelRequest({ instructions: "12345678" }));
  let last: ModelEvent | undefined;
  for (let batch = await source.pull(); batch; batch = await source.pull()) last = batch.at(-1);
  return last?.type === "finish" || last?.type === "failure" ? last.usage : undefined;
}

Deno.test("withUsage estimates what the provider does not count", async () => {
  const usage = await usageOf(
    [{ type: "begin" }, { type: "thought", at: 0, part: 0, delta: "12345678" }],
    [{ type: "text", at: 1, part: 0, delta: "1234567890" }, { type: "arguments", at: 2, delta: "12" }],
    [{ type: "finish", reason: "stop" }],
  );
  assert.deepEqual(usage, {
    inputTokens: 3,
    outputTokens: 5,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 2,
    estimated: true,
  });
});

Deno.test("withUsage leaves counts alone, and zero is zero", async () => {
  assert.equal(await usageOf([{ type: "finish", reason: "stop", usage: counted }]), counted);
});

Deno.test("withUsage counts no answer that failed", async () => {
  const failure = { kind: "upstream_failed", message: "It broke." } as const;
  assert.equal(await usageOf([{ type: "failure", failure }]), undefined);
});
