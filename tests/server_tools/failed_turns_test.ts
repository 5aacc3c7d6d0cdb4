/**
 * Tests the ends of a loop after a turn that was paid: the response is 200 in its API's form of "failed", with what
 * was made and what it cost, streamed and whole. Clients send an error status again, and would buy it all once more.
 */

import assert from "node:assert/strict";
import { OneShotSignal } from "../../server/one_shot_signal.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type ApiName, apiNames, call, framesOf, pricedAt, receiptOf, usageIn } from "../money/rig.ts";
import { type ChaosStore, chaosStore } from "../support/chaos_store.ts";
import { type FakeClock, fakeClock, turns } from "../support/clock.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { chatChunk, chatTurn, type Script, scripted, sse } from "../support/scripted.ts";
import { until } from "../support/until.ts";

/** USD of the first turn. */
const TURN_COST = 0.000017;

interface Rig {
  readonly gateway: Gateway;
  readonly clock: FakeClock;
  readonly store: ChaosStore;
  readonly stop: OneShotSignal;
  readonly key: string;
  readonly hash: string;
}

interface Ending {
  /** The `error_type`, and the error's type on Messages. */
  readonly type: string;
  readonly messagesType: string;
  readonly words: RegExp;
  /** The second turn, where it is called; without it nothing answers. */
  readonly second?: Script;
  /** Acts once the second turn is called. */
  readonly then?: (rig: Rig) => Promise<unknown> | void;
  readonly filters?: Json;
  /** From which turn on the store is away: no receipt is kept. */
  readonly storeAwayIn?: number;
}

const gone: Script = () => Response.json({ error: { message: "Down for good." } }, { status: 500 });
const cut: Script = ({ body }) =>
  body.stream === true ? sse([chatChunk({ delta: { content: "Half" } })]) : new Response('{"choices": [');
const secret = says("The secret-word is this.");
const done = says("Done.");

const endings: Readonly<Record<string, Ending>> = {
  "a provider that fails": {
    type: "provider_unavailable",
    messagesType: "api_error",
    words: /Down for good/,
    second: gone,
  },
  "a provider whose response breaks off": {
    type: "provider_unavailable",
    messagesType: "api_error",
    words: /provider/,
    second: cut,
  },
  "a guardrail that blocks what the model says": {
    type: "content_policy_violation",
    messagesType: "permission_error",
    words: /guardrail blocked/,
    second: secret,
    filters: { content_filters: [{ pattern: "secret-word", action: "block", label: "WORD" }] },
  },
  "a guardrail that blocks what a tool brings": {
    type: "content_policy_violation",
    messagesType: "permission_error",
    words: /guardrail blocked/,
    filters: { content_filters: [{ pattern: "\\d{4}-\\d\\d-\\d\\d", action: "block", label: "DATE" }] },
  },
  "time that runs out": {
    type: "timeout",
    messagesType: "timeout_error",
    words: /longer than 30 s/,
    then: ({ clock }) => clock.advanceOnce(turns, 30_000),
  },
  "a stop of the gateway": {
    type: "provider_overloaded",
    messagesType: "overloaded_error",
    words: /stopping/,
    then: ({ stop }) => stop.fire(),
  },
  "abort=true": {
    type: "permission_denied",
    messagesType: "permission_error",
    words: /key was disabled/,
    then: ({ gateway, hash }) =>
      managed(gateway, { call: `PATCH /keys/${hash}?abort=true`, body: { disabled: true } }),
  },
  "a store that is away from the first turn on": {
    type: "provider_overloaded",
    messagesType: "overloaded_error",
    words: /receipt|account for/i,
    second: done,
    storeAwayIn: 0,
  },
  "a store that is away when the receipt is written": {
    type: "provider_overloaded",
    messagesType: "overloaded_error",
    words: /receipt|account for/i,
    second: done,
    storeAwayIn: 1,
  },
};

function says(content: string): Script {
  return ({ body }) => chatTurn(body, { content });
}

/** The first turn says something and calls a tool. */
function firstTurn(body: Json): Response {
  const call = { id: "call_1", type: "function", function: { name: "datetime", arguments: "{}" } };
  return chatTurn(body, { content: "Let me see.", tool_calls: [{ index: 0, ...call }] });
}

/** The end of a response in its API's words: what failed it, and what it cost. */
interface Reported {
  readonly type: unknown;
  readonly message: string;
  readonly cost: unknown;
}

const lastWord: { readonly [A in ApiName]: (frames: readonly Json[]) => Reported } = {
  responses: (frames) => {
    const last = frames.at(-1) ?? {};
    const result = "response" in last ? asObject(last.response) : last;
    assert.equal(result.status, "failed");
    const { message } = asObject(result.error);
    return { type: result.error_type, message: String(message), cost: usageIn(frames).cost };
  },
  chat: (frames) => {
    const { message, metadata } = asObject(frames.at(-1)?.error);
    const { error_type } = asObject(metadata);
    return { type: error_type, message: String(message), cost: usageIn(frames).cost };
  },
  messages: (frames) => {
    const { type, message } = asObject(frames.at(-1)?.error);
    return { type, message: String(message), cost: usageIn(frames).cost };
  },
};

interface Run {
  readonly ending: Ending;
  readonly api: ApiName;
  readonly stream: boolean;
}

async function run({ ending, api, stream }: Run): Promise<void> {
  const { second, then } = ending;
  const never = Promise.withResolvers<Response>();
  const clock = fakeClock();
  const stop = new OneShotSignal();
  const store = chaosStore(memoryStore(), { clock });
  await using upstream = scripted((requested, number) => {
    if (number === ending.storeAwayIn) store.follow(() => ({ type: "before" }));
    if (number === 0) return firstTurn(requested.body);
    return second?.(requested, number) ?? never.promise;
  });
  const options: GatewayOptions = {
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
    limits: { loop_seconds: 30, attempts: 1 },
    clock,
    stop,
    store,
  };
  await using gateway = await startGateway(options);
  const { key, hash } = await callerOf(gateway, ending);
  const more = { tools: [{ type: "service:datetime" }] };
  const asked = call(gateway, { api, stream, key, text: "What time is it?", more });
  if (then !== undefined) {
    await until(() => upstream.requested.length === 2, { what: "that the second turn is called" });
    await then({ gateway, clock, store, stop, key, hash });
  }
  const response = await whileTimePasses(clock, asked);
  const text = await whileTimePasses(clock, response.text());
  never.resolve(new Response("{}"));
  store.follow(() => undefined);
  assert.equal(response.status, 200, text);
  assert.match(text, /Let me .*see\./s);
  assert.doesNotMatch(text, /secret-word/);
  const { type, message, cost } = lastWord[api](stream ? framesOf(text) : [asObject(JSON.parse(text))]);
  assert.equal(type, api === "messages" ? ending.messagesType : ending.type, text);
  assert.match(message, ending.words);
  assert.ok(Number(cost) >= TURN_COST, text);
  if (ending.storeAwayIn !== undefined) return;
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.status, "failed");
  assert.equal(receipt.cost, Math.round(Number(cost) * 1e9));
}

/** A key in a workspace with the ending's guardrail. */
async function callerOf(gateway: Gateway, { filters }: Ending) {
  const { body } = await managed(gateway, { call: "POST /workspaces", body: { name: "lab", slug: "lab" } });
  const { id: workspace_id, default_guardrail_id } = asObject(body.data);
  if (filters !== undefined) {
    const change = { call: `PATCH /guardrails/${default_guardrail_id}`, body: filters };
    assert.equal((await managed(gateway, change)).status, 200);
  }
  const { key, record: { hash } } = await createKey(gateway, { workspace_id });
  return { key, hash };
}

/** Lets deadlines of the store pass while something is waited for. */
async function whileTimePasses<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let over = false;
  const end = () => void (over = true);
  work.then(end, end);
  while (!over) await clock.advanceOnce(turns, 100);
  return await work;
}

for (const [name, ending] of Object.entries(endings)) {
  for (const api of apiNames) {
    for (const stream of [true, false]) {
      const how = stream ? "streamed" : "whole";
      Deno.test(`${name} after a paid turn leaves what was made (${api}, ${how})`, async () => {
        await run({ ending, api, stream });
      });
    }
  }
}
