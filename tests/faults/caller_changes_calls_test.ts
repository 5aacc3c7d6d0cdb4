/** B3: what changes of a caller before a call has its money, or before another endpoint is tried, holds for that call. */

import assert from "node:assert/strict";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { says, type Script, scripted, wholeText } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { call, price, pricedAt, receiptOf } from "../money/rig.ts";
import { type CallerChange, callerChanges, env, newCaller } from "./caller_changes.ts";
import { shiftedClock } from "../support/ticking_clock.ts";

const answer = says("chat", "one two three");

/** Holds the answer back until the test lets it go. */
function held(script: Script) {
  const gate = Promise.withResolvers<void>();
  const provider = scripted(async (requested, number) => {
    await gate.promise;
    return await script(requested, number);
  });
  return {
    ...provider,
    release: gate.resolve,
    [Symbol.asyncDispose]: () => {
      gate.resolve();
      return provider.close();
    },
  };
}

const failing: Script = () => new Response("{}", { status: 500 });

/** Changes that put a caller's next call out, whatever its endpoint. */
const names = [
  "disabling the key",
  "deleting the key",
  "the expiry of the key",
  "deleting the workspace",
  "a guardrail that puts the model out",
] as const;

function changeOf(name: string): CallerChange & { readonly error: NonNullable<CallerChange["error"]> } {
  const { error, ...change } = callerChanges[name] ?? {};
  assert(error !== undefined && "make" in change, name);
  return { ...change, error };
}

for (const name of names) {
  Deno.test(`B3 ${name} holds for a request that waits for money`, async () => {
    await using provider = held(answer);
    const time = { ahead: 0 };
    const providers = [pricedAt(provider.baseUrl, { wire: "chat" })];
    await using gateway = await startGateway({ providers, env, clock: shiftedClock(time) });
    const change = changeOf(name);
    const caller = await newCaller(gateway, { time, limit: 0.0015 });
    const asking = { key: caller.key, cap: 300 };
    const first = call(gateway, asking);
    await until(() => provider.requested.length === 1, { what: "the first call is made" });
    const waiting = [false, true].map((stream) => call(gateway, { ...asking, stream }));
    try {
      await until(() => gateway.ledger.waiting === 2, { what: "the others wait" });
      await change.make({ gateway, caller, time });
    } finally {
      provider.release();
    }
    for (const response of await Promise.all(waiting)) {
      assert.equal(response.status, change.error.status, await response.text());
      assert.equal((await receiptOf(gateway, response)).cost, 0);
    }
    assert.equal((await first).status, 200, "the call under way ends as it would have");
    await (await first).body?.cancel();
    assert.equal(provider.requested.length, 1);
  });

  Deno.test(`B3 ${name} holds for the next endpoint of a request whose first one fails`, async () => {
    await using first = held(failing);
    await using second = scripted(answer);
    const time = { ahead: 0 };
    const models = [{ ...mockModel, max_output_tokens: 20_000, pricing: price }];
    const providers = [
      providerAt(first.baseUrl, { wire: "chat", models }),
      providerAt(second.baseUrl, { id: "second", name: "Second", wire: "chat", models }),
    ];
    await using gateway = await startGateway({ providers, env, clock: shiftedClock(time) });
    const change = changeOf(name);
    const caller = await newCaller(gateway, { time });
    const response = call(gateway, { key: caller.key, more: { provider: { order: ["mock", "second"] } } });
    await until(() => first.requested.length === 1, { what: "the first endpoint is called" });
    await change.make({ gateway, caller, time }).finally(first.release);
    const { status } = await response;
    const text = await (await response).text();
    // The failure of a provider goes before a route that is no more.
    assert.equal(status, change.error.kind === "not_found" ? 502 : change.error.status, text);
    assert.equal(second.requested.length, 0);
    assert.equal((await receiptOf(gateway, await response)).cost, 0);
  });
}

/** A provider that has an image drawn, and says so in the end. */
const painting: Script = ({ body }) => {
  const isDone = asList(body.messages).some((one) => asObject(one).role === "tool");
  if (isDone) return Response.json(wholeText("chat", "Done."));
  const name = asObject(asObject(asList(body.tools)[0]).function).name;
  const call = { id: "c1", type: "function", function: { name, arguments: '{"prompt":"a cat"}' } };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
  return Response.json({ ...wholeText("chat", ""), choices });
};

Deno.test("B3 a disabled key buys no image at the next provider when the first that draws fails", async () => {
  await using writer = scripted(painting);
  const gate = Promise.withResolvers<void>();
  let drawn = 0;
  /** The first that is called fails in the end, whichever it is. */
  const draw: Script = async (requested, number) => {
    if (drawn++ > 0) return await answer(requested, number);
    await gate.promise;
    return await failing(requested, number);
  };
  await using one = scripted(draw);
  await using other = scripted(draw);
  const time = { ahead: 0 };
  const draws = { ...mockModel, id: "draw/model", output_modalities: ["image", "text"], pricing: price };
  const drawing = { wire: "chat", models: [draws] };
  const providers = [
    pricedAt(writer.baseUrl, { wire: "chat" }),
    providerAt(one.baseUrl, { id: "one", name: "One", ...drawing }),
    providerAt(other.baseUrl, { id: "other", name: "Other", ...drawing }),
  ];
  await using gateway = await startGateway({ providers, env, clock: shiftedClock(time) });
  const caller = await newCaller(gateway, { time });
  const tools = [{ type: "service:image_generation", parameters: { model: "draw/model" } }];
  const asked = call(gateway, { key: caller.key, more: { tools } });
  try {
    await until(() => drawn === 1, { what: "the first that draws is called" });
    await changeOf("disabling the key").make({ gateway, caller, time });
  } finally {
    gate.resolve();
  }
  const response = await asked;
  const text = await response.text();
  assert.match(text, /key was disabled/);
  const { calls, error } = await receiptOf(gateway, response);
  assert.equal(error?.kind, "unauthorized", text);
  assert.deepEqual([writer.requested.length, drawn], [1, 1], "no further call of any provider");
  assert.ok(calls?.some(({ purpose, status }) => purpose === "tool:image_generation" && status === "failed"));
});
