import assert from "node:assert/strict";
import { memoryClock, type SteppedClock } from "../../../../tests/support/clock.ts";
import { testEndpoint } from "../../../../tests/support/endpoint.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { toNanoUsd, ZERO } from "../../../../shared/money.ts";
import type { Usage } from "../../../protocols/canonical/usage.ts";
import type { ModelEvent } from "../../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Reservation, ReservationRequest, Settlement } from "../../../billing/ledger/core/ledger.ts";
import { createLogger } from "../../../logger.ts";
import { OneShotSignal } from "../../../one_shot_signal.ts";
import type { ReportedUsage, RequestContext } from "../../request_context.ts";
import { RequestRecord } from "../../request_record.ts";
import type { Pricing } from "../../../providers/endpoint.ts";
import type { Source } from "../../../protocols/stream/source.ts";
import { loadedForTest } from "../../../../tests/support/tokenizer.ts";
import { TextUsageMeter } from "./token_estimate.ts";
import { CallBilling } from "./call_billing.ts";

await loadedForTest();

interface Outcome {
  readonly progress: Settlement[];
  readonly settled: Settlement[];
  released: number;
}

interface RigOptions {
  readonly reserved?: number;
  readonly byok?: boolean;
  readonly limited?: boolean;
  readonly request?: Partial<ModelRequest>;
  readonly pricing?: Partial<Pricing>;
  readonly maxOutputTokens?: number;
}

const limit = {
  source: "key",
  name: "The key's limit",
  scope: "key:1",
  period: "lifetime",
  amount: toNanoUsd(5_000_000),
  includeByok: false,
} as const;

function turnOf(
  { disconnect, request, limited }: Pick<RigOptions, "request" | "limited"> & {
    readonly disconnect: OneShotSignal;
  },
): RequestContext {
  const record = new RequestRecord();
  return {
    request: modelRequest({ instructions: " one", input: [], stream: true, ...request }),
    caller: { kind: "api", keyHash: "h", workspaceId: "w" },
    ids: { generation: "gen-1", request: "req_1" },
    clientDisconnect: disconnect,
    record,
    call: record.first,
    startedAt: 0,
    billing: { scopes: [], limits: limited === true ? [limit] : [] },
  };
}

/** 1,000 nano-USD a token of input, 2,000 of output; the request is one token. */
function rig(options: RigOptions = {}) {
  const { reserved = 1_000_000, byok, limited = true, request, pricing, maxOutputTokens = null } = options;
  const outcome: Outcome = { progress: [], settled: [], released: 0 };
  const reservation: Reservation = {
    reserved: toNanoUsd(reserved),
    maxOutputTokens: 300,
    limited,
    lowered: false,
    durable: () => Promise.resolve(),
    progress: (sofar) => outcome.progress.push(sofar),
    extend: () => Promise.resolve(),
    settle: (final) => outcome.settled.push(final),
    release: () => outcome.released++,
  };
  const endpoint = testEndpoint({
    endpoint: { pricing: { prompt: "0.000001", completion: "0.000002", ...pricing }, byok, maxOutputTokens },
    model: { contextLength: 200_000 },
  });
  const disconnect = new OneShotSignal();
  const context = turnOf({ disconnect, request, limited });
  const clock: SteppedClock = memoryClock();
  const warned: string[] = [];
  const reported: ReportedUsage = {};
  const order: ReservationRequest = {
    costBound: { inputCost: ZERO, total: (cap) => toNanoUsd(1_000 + cap * 2_000), maxTokensWithin: () => 0 },
    requestedMaxTokens: undefined,
    defaultMaxTokens: 300,
    byok: byok === true,
    endpoint: { id: "e", model: "m", provider: "p" },
  };
  return {
    outcome,
    context,
    disconnect,
    clock,
    warned,
    reported,
    billing: new CallBilling({
      context,
      endpoint,
      reservation,
      request: order,
      rendered: { body: {} },
      clock,
      log: { ...silent, warn: (message) => warned.push(message) },
      at: 0,
      meter: new TextUsageMeter({ clock, request: context.request, endpoint, speed: () => undefined }),
      reported,
    }),
  };
}

const silent = createLogger({ format: "json", level: "error", now: () => 0, write: () => {} });
const text = (delta: string): ModelEvent => ({ type: "text", itemKey: 0, part: 0, delta });
const counted: Usage = {
  inputTokens: 10,
  outputTokens: 20,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};
const broke: ModelEvent = { type: "failure", failure: { kind: "upstream_failed", message: "It broke." } };

/** A source that says what it is fed. */
function fed() {
  const batches: (readonly ModelEvent[] | undefined)[] = [];
  let cancelled = 0;
  const source: Source<ModelEvent> = {
    pull: () => Promise.resolve(batches.shift()),
    cancel: () => {
      cancelled++;
    },
  };
  return { source, feed: (...some: readonly ModelEvent[]) => batches.push(some), cancelled: () => cancelled };
}

Deno.test("CallBilling settles what the provider counts, once", async () => {
  const { outcome, context, billing } = rig();
  const { source, feed } = fed();
  const watched = billing.observe(source);
  feed({ type: "begin", upstreamId: "up_1" }, text("Hi"));
  feed({ type: "finish", reason: "stop", usage: counted, serviceTier: "flex" });
  await watched.pull();
  await watched.pull();
  await watched.pull();
  watched.cancel("over");
  billing.release();
  assert.deepEqual(outcome.settled, [{ cost: 50_000, byok: 0 }]);
  assert.equal(outcome.released, 0);
  const [cost] = context.record.callCosts;
  assert.deepEqual([cost?.upstreamId, cost?.finishReason, cost?.serviceTier], ["up_1", "stop", "flex"]);
});

Deno.test("CallBilling tells the journal of a stream every 50 deltas or 2 seconds", async () => {
  const { outcome, billing, clock } = rig();
  const { source, feed } = fed();
  const watched = billing.observe(source);
  for (let at = 0; at < 49; at++) feed(text(" one"));
  for (let at = 0; at < 49; at++) await watched.pull();
  assert.equal(outcome.progress.length, 0);
  feed(text(" one"));
  await watched.pull();
  // Roughly: the tokenizer is for the end.
  assert.deepEqual(outcome.progress, [{ cost: 77_000, byok: 0 }]);
  await clock.advance(2_000);
  feed(text(" one"));
  await watched.pull();
  feed(text(" one"));
  await watched.pull();
  assert.equal(outcome.progress.length, 2, "the count begins anew");
});

Deno.test("CallBilling charges a stream that breaks off what it said, and nothing where it said nothing", async () => {
  for (const [received, cost] of [[" one one", 5_000], ["", undefined]] as const) {
    const { outcome, billing } = rig();
    const { source, feed } = fed();
    const watched = billing.observe(source);
    feed({ type: "begin" }, text(received));
    feed(broke);
    await watched.pull();
    const last = (await watched.pull())?.at(-1);
    assert.equal(outcome.settled[0]?.cost, cost);
    assert.equal(outcome.released, cost === undefined ? 1 : 0);
    assert.equal(last?.type === "failure" ? last.usage?.outputTokens : 0, cost === undefined ? undefined : 2);
  }
});

Deno.test("CallBilling charges the input of a client that disconnects, also before the first output", async () => {
  const { outcome, billing, disconnect } = rig();
  const { source, feed } = fed();
  const watched = billing.observe(source);
  disconnect.fire();
  feed(broke);
  await watched.pull();
  watched.cancel("Client disconnected.");
  assert.deepEqual(outcome.settled, [{ cost: 1_000, byok: 0 }]);
});

Deno.test("CallBilling lets go of the source when the client does", async () => {
  const { outcome, billing } = rig();
  const { source, feed, cancelled } = fed();
  const watched = billing.observe(source);
  feed(text(" one"));
  await watched.pull();
  watched.cancel("Client disconnected.");
  assert.equal(cancelled(), 1);
  assert.deepEqual(outcome.settled, [{ cost: 3_000, byok: 0 }]);
});

Deno.test("CallBilling never charges more by its own count than was set aside under a limit", async () => {
  for (const [limited, cost] of [[true, 40_000], [false, 201_000]] as const) {
    const { outcome, context, billing } = rig({ reserved: 40_000, limited });
    const { source, feed } = fed();
    const watched = billing.observe(source);
    feed(text(" one".repeat(100)));
    feed({ type: "finish", reason: "stop" });
    await watched.pull();
    const last = (await watched.pull())?.at(-1);
    assert.equal(outcome.settled[0]?.cost, cost);
    const [bill] = context.record.callCosts;
    assert.equal(bill?.charge.total, cost);
    assert.equal((bill?.charge.input ?? 0) + (bill?.charge.output ?? 0), cost);
    assert.equal(last?.type === "finish" && last.usage?.estimated, true);
  }
});

Deno.test("CallBilling takes what a provider bills beyond its cap", async () => {
  const { outcome, billing } = rig({ reserved: 40_000 });
  const { source, feed } = fed();
  feed({ type: "finish", reason: "stop", usage: { ...counted, outputTokens: 900 } });
  await billing.observe(source).pull();
  assert.equal(outcome.settled[0]?.cost, 1_810_000);
});

Deno.test("CallBilling counts calls on a key of the caller's own beside", async () => {
  const { outcome, billing } = rig({ byok: true });
  const { source, feed } = fed();
  feed({ type: "finish", reason: "stop", usage: counted });
  await billing.observe(source).pull();
  assert.deepEqual(outcome.settled, [{ cost: 0, byok: 50_000 }]);
});

/** Settled, and the usage that the client sees. */
async function ended(options: RigOptions, ...batches: readonly (readonly ModelEvent[])[]) {
  const { outcome, billing, warned, context } = rig(options);
  const { source, feed } = fed();
  for (const batch of batches) feed(...batch);
  const watched = billing.observe(source);
  let last: ModelEvent | undefined;
  for (const _ of batches) {
    const event = (await watched.pull())?.at(-1);
    if (event !== undefined && event.type !== "audio") last = event;
  }
  const usage = last?.type === "finish" || last?.type === "failure" ? last.usage : undefined;
  return {
    outcome,
    cost: outcome.settled[0]?.cost,
    usage,
    warned,
    bill: context.record.callCosts[0],
  };
}

const finish = (usage?: Usage): ModelEvent => ({ type: "finish", reason: "stop", usage });

Deno.test("CallBilling clamps counts to what the model can read and write, and says so in the log", async () => {
  const absurd = { ...counted, inputTokens: 100_000_000, outputTokens: 100_000_000 };
  const options = { maxOutputTokens: 20_000, limited: false } as const;
  const { cost, usage, warned } = await ended(options, [text(" one"), finish(absurd)]);
  assert.deepEqual([usage?.inputTokens, usage?.outputTokens, usage?.estimated], [200_000, 20_000, true]);
  // As much as would have been reserved for 20,000 tokens of output.
  assert.equal(cost, 1_000 + 20_000 * 2_000);
  assert.equal(warned.length, 1);
  const limited = await ended({ ...options, limited: true, reserved: 70_000 }, [
    text(" one"),
    finish(absurd),
  ]);
  assert.equal(limited.cost, 70_000);
  const possible = { ...counted, inputTokens: 200_000, outputTokens: 20_000 };
  const untouched = await ended(options, [text(" one"), finish(possible)]);
  assert.deepEqual([untouched.cost, untouched.usage, untouched.warned], [240_000_000, possible, []]);
});

Deno.test("CallBilling clamps the provider's tools and the parts of what it clamps", async () => {
  const absurd = {
    ...counted,
    inputTokens: 90_000_000,
    cachedTokens: 80_000_000,
    outputTokens: 30_000_000,
    outputAudioTokens: 25_000_000,
    webSearches: 100_000_000,
    imageToolOutputTokens: 100_000_000,
    seconds: 100_000_000,
  };
  const { usage } = await ended({ maxOutputTokens: 20_000 }, [text(" one"), finish(absurd)]);
  assert.deepEqual(
    [usage?.cachedTokens, usage?.outputAudioTokens, usage?.webSearches, usage?.seconds],
    [200_000, 20_000, 100, 86_400],
  );
  assert((usage?.imageToolOutputTokens ?? 0) < 100_000);
});

Deno.test("CallBilling counts itself where a provider reports nothing for an answer that came", async () => {
  const zero = { ...counted, inputTokens: 0, outputTokens: 0, raw: { prompt_tokens: 0 } };
  const { cost, usage, bill } = await ended({}, [text(" one one"), finish(zero)]);
  assert.equal(cost, 1_000 + 2 * 2_000);
  assert.deepEqual([usage?.estimated, usage?.outputTokens, bill?.usage.raw], [true, 2, zero.raw]);
  const silent = await ended({}, [finish(zero)]);
  assert.deepEqual([silent.cost, silent.usage?.estimated], [0, false], "no text was delivered");
});

Deno.test("CallBilling charges images by the piece where they are priced so", async () => {
  const images = [1, 2, 3].map((n) => ({ type: "image", url: `https://a.example/${n}.png` }) as const);
  const request = { input: [{ type: "message", role: "user", parts: images }] } as const;
  const pricing = { image: "0.001", outputImage: "0.04" };
  const value = { type: "image_generation_call", result: "AAAA" };
  const item = { type: "foreign", wire: "responses", kind: "image_generation_call", value } as const;
  const drawn: readonly ModelEvent[] = [{ type: "item_done", itemKey: 0, item }, {
    type: "item_done",
    itemKey: 1,
    item,
  }];
  const { usage, bill } = await ended({ request, pricing }, drawn, [finish(counted)]);
  assert.deepEqual([usage?.inputImages, usage?.outputImages, usage?.estimated], [3, 2, false]);
  const lines = (bill?.charge.lines ?? []).filter(({ rate }) => rate === "image" || rate === "outputImage");
  assert.deepEqual(lines.map(({ rate, quantity }) => [rate, quantity]), [["image", 3], ["outputImage", 2]]);
  assert.equal(bill?.charge.total, 50_000 + 3 * 1_000_000 + 2 * 40_000_000);
});

Deno.test("CallBilling charges an answer that broke off by the provider's latest counts", async () => {
  const { outcome, billing, reported } = rig();
  let counts: Usage | undefined = undefined;
  const reader = { counts: () => counts, usage: () => counts };
  reported.reader = reader;
  const { source, feed } = fed();
  const watched = billing.observe(source);
  feed(text(" one"));
  counts = counted;
  await watched.pull();
  feed(broke);
  await watched.pull();
  assert.deepEqual(outcome.settled, [{ cost: 50_000, byok: 0 }]);
});

Deno.test("CallBilling adds what came after the provider's latest counts", async () => {
  const { outcome, billing, reported, context } = rig();
  const counts = { ...counted, outputTokens: 0 };
  const reader = { counts: () => counts, usage: () => counts };
  reported.reader = reader;
  const { source, feed } = fed();
  const watched = billing.observe(source);
  feed({ type: "begin" });
  await watched.pull();
  feed(text(" one one one"));
  await watched.pull();
  watched.cancel("Client disconnected.");
  assert.deepEqual(outcome.settled, [{ cost: 16_000, byok: 0 }]);
  assert.equal(context.record.callCosts[0]?.usage.estimated, true);
});

Deno.test("CallBilling charges nothing for a failure without output, however long it took", async () => {
  const { outcome, billing, clock } = rig({ request: { stream: false } });
  const { source, feed } = fed();
  const watched = billing.observe(source);
  await clock.advance(60_000);
  feed(broke);
  await watched.pull();
  assert.deepEqual([outcome.settled, outcome.released], [[], 1]);
});

Deno.test("CallBilling charges a whole answer that nobody waited for by the time it took", async () => {
  const whole = { request: { stream: false }, limited: false };
  const { outcome, billing, clock, reported } = rig(whole);
  reported.hasBegun = true;
  await clock.advance(4_000);
  billing.settleAborted();
  // 50 tokens a second.
  assert.deepEqual(outcome.settled, [{ cost: 1_000 + 200 * 2_000, byok: 0 }]);
  const { outcome: unanswered, billing: idle } = rig(whole);
  idle.settleAborted();
  assert.deepEqual([unanswered.settled, unanswered.released], [[], 1], "it had not begun to answer");
});
