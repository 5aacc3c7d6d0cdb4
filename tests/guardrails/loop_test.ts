/** Content filters on what server tools bring, and on each turn of their loop. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type GatewayOptions, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { chatChunk, scripted, sse } from "../support/scripted.ts";
import { framesOf, pricedAt, receiptOf } from "../money/rig.ts";

const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

interface TurnSaid {
  readonly text: string;
  /** Arguments of a call of the clock; without them the turn is the last. */
  readonly args?: Json;
}

const callOf = (args: Json, id: string) => [
  { index: 0, id, type: "function", function: { name: "service_datetime", arguments: JSON.stringify(args) } },
];

/** A provider that calls the clock in each turn that says so. */
function callingProvider(turnAt: () => ReturnType<Turns>, count: () => number) {
  return scripted(async ({ body }) => {
    const { text, args } = await turnAt();
    const name = asList(body.tools).map((tool) => asObject(asObject(tool).function).name)[0];
    const calls = args && callOf(args, `call_${count()}`).map((one) => ({
      ...one,
      function: { ...one.function, name },
    }));
    const finish_reason = calls === undefined ? "stop" : "tool_calls";
    if (body.stream !== true) {
      const message = { role: "assistant", content: text, tool_calls: calls };
      const choices = [{ index: 0, message, finish_reason }];
      return Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage });
    }
    return sse([
      chatChunk({ delta: { role: "assistant", content: text } }),
      ...(calls === undefined ? [] : [chatChunk({ delta: { tool_calls: calls } })]),
      chatChunk({ delta: {}, finish_reason }),
      chatChunk(undefined, usage),
      "data: [DONE]\n\n",
    ]);
  });
}

interface LoopGuardrail {
  readonly fields: Json;
  readonly file?: GatewayOptions["file"];
}

/** Gives what the provider says in a turn; it may change something first. */
type Turns = (turn: number) => TurnSaid | Promise<TurnSaid>;

const loopRig = (filters: readonly Json[], turns: Turns) =>
  guardedLoop({ fields: { content_filters: filters } }, turns);

async function guardedLoop({ fields, file }: LoopGuardrail, turns: Turns) {
  let turn = 0;
  const upstream = callingProvider(() => turns(turn++), () => turn);
  const gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })], file });
  const { key, record } = await createKey(gateway);
  const { body } = await managed(gateway, {
    call: "POST /guardrails",
    body: { name: "Loop", ...fields },
  });
  const { id } = asObject(body.data);
  const assign = async (verb: "POST" | "DELETE") => {
    const call = `POST /guardrails/${id}/assignments/keys${verb === "POST" ? "" : "/remove"}`;
    const { status, body } = await managed(gateway, { call, body: { key_hashes: [record.hash] } });
    assert.equal(status, 200, JSON.stringify(body));
  };
  await assign("POST");
  const ask = async (more: Json) => {
    turn = 0;
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "mock/model",
        input: "mark-0 what time is it?",
        tools: [{ type: "service:datetime" }],
        ...more,
      }),
    });
    return { response, raw: await response.text() };
  };
  return {
    gateway,
    upstream,
    ask,
    assign,
    set: async (body: Json) => {
      assert.equal((await managed(gateway, { call: `PATCH /guardrails/${id}`, body })).status, 200);
    },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
}

const once = (turn: number): TurnSaid =>
  turn === 0 ? { text: "", args: { timezone: "Europe/Rome" } } : { text: "Done." };

Deno.test("what a tool brings is replaced for the model and for the client", async () => {
  await using rig = await loopRig(
    [{ pattern: "\\d{4}-\\d\\d-\\d\\d", action: "redact", label: "DATE" }],
    once,
  );
  for (const stream of [false, true]) {
    const { raw, response } = await rig.ask({ stream });
    assert.equal(response.status, 200, raw);
    const sent = JSON.stringify(rig.upstream.requested.at(-1)?.body);
    assert.match(sent, /\[DATE\]/);
    assert.match(raw, /\[DATE\]/);
    for (const text of [sent, raw]) assert.ok(!/\d{4}-\d\d-\d\dT/.test(text), text);
  }
});

Deno.test("what a tool brings can end the response: the model is not told", async () => {
  await using rig = await loopRig(
    [{ pattern: "\\d{4}-\\d\\d-\\d\\d", action: "block", label: "DATE" }],
    once,
  );
  const whole = await rig.ask({ stream: false });
  assert.equal(whole.response.status, 200, whole.raw);
  assert.match(whole.raw, /"status":"failed".*"patterns":\["DATE"\]/);
  assert.ok(!/\d{4}-\d\d-\d\dT/.test(whole.raw), whole.raw);
  assert.equal(rig.upstream.requested.length, 1);
  const streamed = await rig.ask({ stream: true });
  const last = framesOf(streamed.raw).at(-1);
  assert.equal(last?.type, "response.failed", streamed.raw);
  assert.match(streamed.raw, /"patterns":\["DATE"\]/);
  assert.ok(!/\d{4}-\d\d-\d\dT/.test(streamed.raw), streamed.raw);
  assert.equal(rig.upstream.requested.length, 2);
});

Deno.test("the arguments of a call can end the response: the tool does not run", async () => {
  await using rig = await loopRig([{ pattern: "Europe/Rome", action: "block" }], once);
  const { raw, response } = await rig.ask({ stream: false });
  assert.equal(response.status, 403, raw);
  assert.equal((await receiptOf(rig.gateway, response)).calls, undefined);
});

Deno.test("each turn of a long loop is read once", async () => {
  const turns = (turn: number): TurnSaid =>
    turn < 30 ? { text: `mark-${turn + 1} `, args: { timezone: "Europe/Rome" } } : { text: "mark-31" };
  const filters = [
    { pattern: "mark-\\d+", action: "flag", label: "MARK" },
    { pattern: "\\d{4}-\\d\\d-\\d\\d", action: "flag", label: "DATE" },
    { pattern: "never", action: "redact" },
  ];
  await using rig = await loopRig(filters, turns);
  for (const stream of [false, true]) {
    const { raw, response } = await rig.ask({ stream });
    assert.equal(response.status, 200, raw);
    const { guardrails } = await receiptOf(rig.gateway, response);
    const counts = guardrails?.map(({ label, side, count }) => `${label} ${side} ${count}`).sort();
    const dates = counts?.[0];
    assert.match(dates ?? "", /^DATE tools \d+$/);
    assert.deepEqual(counts?.slice(1), ["MARK input 1", "MARK output 31"]);
    assert.equal(Number(dates?.split(" ")[2]) % 30, 0, dates);
  }
});

Deno.test("tools of the gateway see placeholders, and the client its own text", async () => {
  const filters = [{ pattern: "mark-\\d", action: "mask", label: "MARK" }];
  await using rig = await loopRig(
    filters,
    (turn) =>
      turn === 0
        ? { text: "Looking for [MARK_1]", args: { timezone: "[MARK_1]" } }
        : { text: "It is late, [MARK_1]" },
  );
  for (const stream of [false, true]) {
    const { response, raw } = await rig.ask({ stream });
    assert.equal(response.status, 200, raw);
    assert.ok(!raw.includes("MARK_1"), raw);
    assert.match(raw, /It is late, (?:.*)mark-0|mark-0/);
    const sent = JSON.stringify(rig.upstream.requested.map(({ body }) => body));
    assert.ok(!sent.includes("mark-0") && sent.includes("[MARK_1]"), sent);
  }
});

const [masking, flagging] = (["mask", "flag"] as const).map((action) => ({
  content_filters: [{ pattern: "mark-\\d", action, label: "MARK" }],
}));

type Loop = Awaited<ReturnType<typeof guardedLoop>>;

interface ChangedLoop {
  readonly before: (loop: Loop) => Promise<void>;
  /** Within the first turn. */
  readonly change: (loop: Loop) => Promise<void>;
  /** Whether the provider sees a placeholder, by turn. */
  readonly isMasked: readonly [boolean, boolean];
}

const changes: Readonly<Record<string, ChangedLoop>> = {
  "assigned first": {
    before: (loop) => loop.assign("DELETE"),
    change: (loop) => loop.assign("POST"),
    isMasked: [false, true],
  },
  "made to mask": {
    before: (loop) => loop.set(flagging ?? {}),
    change: (loop) => loop.set(masking ?? {}),
    isMasked: [false, true],
  },
  "taken away": { before: async () => {}, change: (loop) => loop.assign("DELETE"), isMasked: [true, true] },
};

Deno.test("what a guardrail masks that comes or goes in the middle of a loop comes back to the client", async () => {
  for (const [name, { before, change, isMasked }] of Object.entries(changes)) {
    for (const stream of [false, true]) {
      await using loop: Loop = await guardedLoop({ fields: masking ?? {} }, async (turn) => {
        if (turn === 1) return { text: "It is late, [MARK_1] and [MARK_2]" };
        await change(loop);
        return { text: "Looking", args: { timezone: "Europe/Rome" } };
      });
      await before(loop);
      const { response, raw } = await loop.ask({ stream });
      assert.equal(response.status, 200, raw);
      assert.ok(raw.includes("It is late, mark-0 and [MARK_2]"), `${name} ${stream} ${raw}`);
      const sent = loop.upstream.requested.map(({ body }) => JSON.stringify(body));
      assert.deepEqual(sent.map((one) => one.includes("[MARK_1]")), isMasked, name);
      assert.deepEqual(sent.map((one) => !one.includes("mark-0")), isMasked, name);
    }
  }
});

Deno.test("a service judges what a tool brings once, before the model and the client see it", async () => {
  const asked: Json[] = [];
  const date = /\d{4}-\d\d-\d\d/g;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const one = asObject(await request.json());
    asked.push(one);
    const texts = asList(one.texts).map(asObject).map(({ path, text }) => ({
      path,
      text: String(text).replaceAll(date, "[DATE]"),
    }));
    return Response.json({ action: "replace", texts });
  });
  const { port } = server.addr;
  const external = { type: "http", url: `http://127.0.0.1:${port}/`, on: ["input", "output", "tools"] };
  const file = { fetch: { allowed_hosts: [`127.0.0.1:${port}`] } };
  {
    await using rig = await guardedLoop({ fields: { external }, file }, once);
    for (const stream of [false, true]) {
      asked.length = 0;
      const { raw, response } = await rig.ask({ stream });
      assert.equal(response.status, 200, raw);
      for (const text of [JSON.stringify(rig.upstream.requested.at(-1)?.body), raw]) {
        assert.match(text, /\[DATE\]/);
        assert.ok(!/\d{4}-\d\d-\d\dT/.test(text), text);
      }
      assert.equal(asked.filter(({ side }) => side === "tools").length, 1);
      const texts = asked.flatMap((one) => asList(one.texts).map((text) => asObject(text).text));
      assert.equal(texts.filter((text) => text === "mark-0 what time is it?").length, 1);
    }
  }
  await server.shutdown();
});

Deno.test("a match that goes on in the next turn is replaced from there on, or blocks", async () => {
  const turns = (turn: number): TurnSaid =>
    turn === 0 ? { text: "It is id-47", args: { timezone: "Europe/Rome" } } : { text: "11-x, you know." };
  for (const action of ["redact", "block"]) {
    await using rig = await loopRig([{ pattern: "id-\\d{4}-[a-z]", action, label: "ID" }], turns);
    for (const stream of [false, true]) {
      const { raw } = await rig.ask({ stream });
      assert.ok(!raw.includes("11-x"), raw);
      assert.match(raw, action === "redact" ? /\[ID\], you know\./ : /"patterns":\["ID"\]/);
    }
  }
});
