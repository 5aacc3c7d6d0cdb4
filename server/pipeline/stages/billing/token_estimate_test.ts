import assert from "node:assert/strict";
import type { ModelEvent } from "../../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { memoryClock, type SteppedClock } from "../../../../tests/support/clock.ts";
import { type EndpointChanges, testEndpoint } from "../../../../tests/support/endpoint.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { loadedForTest } from "../../../../tests/support/tokenizer.ts";
import { TextUsageMeter } from "./token_estimate.ts";

const tokenizer = await loadedForTest();

interface MeterRig extends EndpointChanges {
  readonly request?: Partial<ModelRequest>;
  readonly clock?: SteppedClock;
  readonly speed?: number;
}

const meterOf = ({ request, clock = memoryClock(), speed, ...changes }: MeterRig = {}) =>
  new TextUsageMeter({
    clock,
    request: modelRequest({ instructions: " one two three", input: [], stream: true, ...request }),
    endpoint: testEndpoint(changes),
    speed: () => speed,
  });

function metered(...batches: readonly (readonly ModelEvent[])[]): TextUsageMeter {
  const meter = meterOf();
  for (const batch of batches) meter.addEvents(batch);
  return meter;
}

const item = (type: "reasoning" | "message"): ModelEvent =>
  type === "message"
    ? { type: "item", itemKey: 1, item: { type, role: "assistant", parts: [] } }
    : { type: "item", itemKey: 0, item: { type, summary: [], content: [] } };
const received = (delta: string): ModelEvent => ({ type: "text", itemKey: 1, part: 0, delta });

Deno.test("TextUsageMeter estimates what the provider does not count", () => {
  const meter = metered(
    [{ type: "begin", upstreamId: "up_1" }, { type: "thought", itemKey: 0, part: 0, delta: " one two" }],
    [received(" one two three"), { type: "arguments", itemKey: 2, delta: " four" }],
    [{ type: "finish", reason: "stop" }],
  );
  assert.deepEqual(meter.usage({ tokenizer }), {
    inputTokens: 3,
    outputTokens: 6,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 2,
    estimated: true,
  });
  assert.equal(meter.deltas, 3);
  assert.equal(meter.upstreamId, "up_1");
});

Deno.test("TextUsageMeter never counts more than the cap that was sent", () => {
  const { outputTokens, reasoningTokens } = metered(
    [{ type: "thought", itemKey: 0, part: 0, delta: " one".repeat(100) }],
  ).usage({ maxOutputTokens: 30, tokenizer });
  assert.deepEqual([outputTokens, reasoningTokens], [30, 30]);
});

Deno.test("TextUsageMeter counts long texts by a sample of them", () => {
  const english = "The quick brown fox jumps over the lazy dog. ";
  const meter = metered(Array.from({ length: 20_000 }, () => received(english)));
  const whole = tokenizer.countNow(english.repeat(100)) * 200;
  const { outputTokens } = meter.usage({ tokenizer });
  assert(Math.abs(outputTokens / whole - 1) < 0.05, `${outputTokens} of ${whole}`);
});

Deno.test("TextUsageMeter counts hidden reasoning by the time it takes and the endpoint's speed", async () => {
  for (const [speed, tokens] of [[undefined, 500], [200, 2_000]] as const) {
    const clock = memoryClock();
    const meter = meterOf({ clock, speed });
    await clock.advance(5_000);
    meter.addEvents([item("reasoning")]);
    await clock.advance(10_000);
    meter.addEvents([{ type: "item_done", itemKey: 0 }, item("message"), received(" one")]);
    await clock.advance(60_000);
    const { outputTokens, reasoningTokens } = meter.usage({ tokenizer });
    assert.deepEqual([outputTokens, reasoningTokens], [tokens + 1, tokens]);
  }
});

Deno.test("TextUsageMeter counts reasoning that is shown by its text, and a summary by the time it stands for", async () => {
  for (const [type, tokens] of [["thought", 2], ["summary", 500]] as const) {
    const clock = memoryClock();
    const meter = meterOf({ clock });
    meter.addEvents([item("reasoning")]);
    await clock.advance(10_000);
    meter.addEvents([{ type, itemKey: 0, part: 0, delta: " one two" }, received(" one")]);
    assert.equal(meter.usage({ tokenizer }).outputTokens, tokens + 1);
  }
});

Deno.test("TextUsageMeter takes silence for reasoning only where the model may be reasoning", async () => {
  const reasons = { supportedParameters: ["reasoning"] };
  const cases: readonly (readonly [MeterRig, number])[] = [
    [{ provider: { wire: "chat" }, model: reasons }, 500],
    [{ provider: { wire: "chat" } }, 0],
    [{ provider: { wire: "chat" }, model: reasons, request: { reasoning: { effort: "none" } } }, 0],
    [{ provider: { wire: "chat" }, request: { reasoning: { effort: "high" } } }, 500],
    [{ provider: { wire: "responses" }, model: reasons }, 0],
    [{ provider: { wire: "bedrock" }, model: reasons }, 0],
    [{ provider: { wire: "bedrock" }, request: { reasoning: { effort: "low" } } }, 500],
    [{ request: { stream: false } }, 500],
  ];
  for (const [rig, tokens] of cases) {
    const clock = memoryClock();
    const meter = meterOf({ ...rig, clock });
    await clock.advance(10_000);
    assert.equal(meter.usage({ tokenizer }).outputTokens, tokens, JSON.stringify(rig));
  }
});

Deno.test("TextUsageMeter tells whether anything came", () => {
  const failure = { kind: "upstream_failed", message: "It broke." } as const;
  const item = { type: "message", role: "assistant", parts: [] } as const;
  assert.equal(metered([{ type: "begin" }, { type: "failure", failure }]).hasOutput, false);
  assert.equal(metered([{ type: "item", itemKey: 0, item }]).hasOutput, false);
  assert.equal(metered([{ type: "text", itemKey: 0, part: 0, delta: "" }]).hasOutput, false);
  assert.equal(metered([{ type: "text", itemKey: 0, part: 0, delta: "a" }]).hasOutput, true);
  assert.equal(metered([{ type: "item_done", itemKey: 0, item }]).hasOutput, true);
});
