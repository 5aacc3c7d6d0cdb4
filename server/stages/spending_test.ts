import assert from "node:assert/strict";
import { type FakeClock, fakeClock } from "../../tests/support/clock.ts";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import { modelRequest } from "../../tests/support/requests.ts";
import { toNanoUsd } from "../../shared/money.ts";
import type { Usage } from "../../shared/usage.ts";
import type { ModelEvent } from "../hub/event.ts";
import type { Hold, Settlement } from "../ledger/ledger.ts";
import { createLog } from "../log.ts";
import { Once } from "../pipeline/once.ts";
import type { Turn } from "../pipeline/turn.ts";
import type { Source } from "../stream/source.ts";
import { Meter } from "./estimate.ts";
import { Spending } from "./spending.ts";

interface Told {
  readonly progress: Settlement[];
  readonly settled: Settlement[];
  released: number;
}

interface RigOptions {
  readonly reserved?: number;
  readonly byok?: boolean;
  readonly limited?: boolean;
}

/** 1,000 nano-USD a token of input, 2,000 of output; the request is one token. */
function rig({ reserved = 1_000_000, byok, limited = true }: RigOptions = {}) {
  const told: Told = { progress: [], settled: [], released: 0 };
  const hold: Hold = {
    reserved: toNanoUsd(reserved),
    outputCap: 300,
    limited: true,
    lowered: false,
    durable: () => Promise.resolve(),
    progress: (sofar) => told.progress.push(sofar),
    grow: () => Promise.resolve(),
    settle: (final) => told.settled.push(final),
    release: () => told.released++,
  };
  const endpoint = testEndpoint({
    endpoint: { pricing: { prompt: "0.000001", completion: "0.000002" }, byok },
  });
  const hangup = new Once();
  const limit = {
    source: "key",
    name: "The key's limit",
    scope: "key:1",
    period: "lifetime",
    amount: toNanoUsd(5_000_000),
    includeByok: false,
  } as const;
  const turn: Turn = {
    request: modelRequest({ instructions: "1234", input: [] }),
    caller: { kind: "api", keyHash: "h", workspaceId: "w" },
    ids: { generation: "gen-1", request: "req_1" },
    hangup,
    notes: {
      attempts: [],
      stages: [],
      dropped: [],
      candidates: [],
      strategy: "direct",
      upstreamMs: 0,
      bills: [],
    },
    startedAt: 0,
    payer: { scopes: [], limits: limited ? [limit] : [] },
  };
  const clock: FakeClock = fakeClock();
  return {
    told,
    turn,
    hangup,
    clock,
    spending: new Spending({ turn, endpoint, hold, clock, log: silent, at: 0, meter: new Meter() }),
  };
}

const silent = createLog({ format: "json", level: "error", now: () => 0, write: () => {} });
const text = (delta: string): ModelEvent => ({ type: "text", at: 0, part: 0, delta });
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

Deno.test("Spending settles what the provider counts, once", async () => {
  const { told, turn, spending } = rig();
  const { source, feed } = fed();
  const watched = spending.watch(source);
  feed({ type: "begin", upstreamId: "up_1" }, text("Hi"));
  feed({ type: "finish", reason: "stop", usage: counted, serviceTier: "flex" });
  await watched.pull();
  await watched.pull();
  await watched.pull();
  watched.cancel("over");
  spending.failed();
  assert.deepEqual(told.settled, [{ cost: 50_000, byok: 0 }]);
  assert.equal(told.released, 0);
  const [bill] = turn.notes.bills;
  assert.deepEqual([bill?.upstreamId, bill?.finish, bill?.serviceTier], ["up_1", "stop", "flex"]);
});

Deno.test("Spending tells the journal of a stream every 50 deltas or 2 seconds", async () => {
  const { told, spending, clock } = rig();
  const { source, feed } = fed();
  const watched = spending.watch(source);
  for (let at = 0; at < 49; at++) feed(text("abcd"));
  for (let at = 0; at < 49; at++) await watched.pull();
  assert.equal(told.progress.length, 0);
  feed(text("abcd"));
  await watched.pull();
  assert.deepEqual(told.progress, [{ cost: 101_000, byok: 0 }]);
  await clock.advance(2_000);
  feed(text("abcd"));
  await watched.pull();
  feed(text("abcd"));
  await watched.pull();
  assert.equal(told.progress.length, 2, "the count begins anew");
});

Deno.test("Spending charges a stream that breaks off what it said, and nothing where it said nothing", async () => {
  for (const [said, cost] of [["12345678", 5_000], ["", undefined]] as const) {
    const { told, spending } = rig();
    const { source, feed } = fed();
    const watched = spending.watch(source);
    feed({ type: "begin" }, text(said));
    feed(broke);
    await watched.pull();
    const last = (await watched.pull())?.at(-1);
    assert.equal(told.settled[0]?.cost, cost);
    assert.equal(told.released, cost === undefined ? 1 : 0);
    assert.equal(last?.type === "failure" ? last.usage?.outputTokens : 0, cost === undefined ? undefined : 2);
  }
});

Deno.test("Spending charges who hangs up for what went in, also before the first word", async () => {
  const { told, spending, hangup } = rig();
  const { source, feed } = fed();
  const watched = spending.watch(source);
  hangup.fire();
  feed(broke);
  await watched.pull();
  watched.cancel("The client left.");
  assert.deepEqual(told.settled, [{ cost: 1_000, byok: 0 }]);
});

Deno.test("Spending lets go of the source when the client does", async () => {
  const { told, spending } = rig();
  const { source, feed, cancelled } = fed();
  const watched = spending.watch(source);
  feed(text("1234"));
  await watched.pull();
  watched.cancel("The client left.");
  assert.equal(cancelled(), 1);
  assert.deepEqual(told.settled, [{ cost: 3_000, byok: 0 }]);
});

Deno.test("Spending never charges more by its own count than was set aside under a limit", async () => {
  for (const [limited, cost] of [[true, 40_000], [false, 201_000]] as const) {
    const { told, turn, spending } = rig({ reserved: 40_000, limited });
    const { source, feed } = fed();
    const watched = spending.watch(source);
    feed(text("x".repeat(400)));
    feed({ type: "finish", reason: "stop" });
    await watched.pull();
    const last = (await watched.pull())?.at(-1);
    assert.equal(told.settled[0]?.cost, cost);
    const [bill] = turn.notes.bills;
    assert.equal(bill?.charge.total, cost);
    assert.equal((bill?.charge.input ?? 0) + (bill?.charge.output ?? 0), cost);
    assert.equal(last?.type === "finish" && last.usage?.estimated, true);
  }
});

Deno.test("Spending takes what a provider bills beyond its cap", async () => {
  const { told, spending } = rig({ reserved: 40_000 });
  const { source, feed } = fed();
  feed({ type: "finish", reason: "stop", usage: { ...counted, outputTokens: 900 } });
  await spending.watch(source).pull();
  assert.equal(told.settled[0]?.cost, 1_810_000);
});

Deno.test("Spending counts calls on a key of the caller's own beside", async () => {
  const { told, spending } = rig({ byok: true });
  const { source, feed } = fed();
  feed({ type: "finish", reason: "stop", usage: counted });
  await spending.watch(source).pull();
  assert.deepEqual(told.settled, [{ cost: 0, byok: 50_000 }]);
});
