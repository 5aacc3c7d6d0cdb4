/** Long prompts at once: everybody else has a turn between two of their steps. */

import assert from "node:assert/strict";
import { mock } from "node:test";
import { ask } from "../support/call.ts";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { answer, upstreamServer } from "../support/upstream_server.ts";

const LONG = 1024 * 1024;

const completion = answer(
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  { headers: "content-type: application/json\r\n" },
);

/** Counts turns of the event loop, and notes in which of them each long step is taken. */
function watchSteps() {
  const steps: { readonly what: string; readonly turn: number }[] = [];
  let turn = 0;
  let timer = setTimeout(count, 0);
  function count() {
    turn++;
    timer = setTimeout(count, 0);
  }
  const note = (what: string, size: number) => {
    if (size >= LONG) steps.push({ what, turn });
  };
  const { parse, stringify } = JSON;
  const parsing = mock.method(JSON, "parse", (text: string, revive?: Parameters<typeof parse>[1]) => {
    note("parse", text.length);
    return parse(text, revive);
  });
  const rendering = mock.method(JSON, "stringify", (...input: Parameters<typeof stringify>) => {
    const text = stringify(...input);
    note("render", text?.length ?? 0);
    return text;
  });
  const { encodeInto } = TextEncoder.prototype;
  const sending = mock.method(
    TextEncoder.prototype,
    "encodeInto",
    function (this: TextEncoder, text: string, room: Uint8Array) {
      note("send", text.length);
      return encodeInto.call(this, text, room);
    },
  );
  const stop = () => {
    clearTimeout(timer);
    for (const one of [parsing, rendering, sending]) one.mock.restore();
  };
  return { steps, stop };
}

for (const wire of ["chat", "responses"] as const) {
  Deno.test(`the event loop turns between two steps of long prompts, on ${wire}`, async () => {
    await using upstream = upstreamServer(async (connection) => {
      while (await connection.request() !== undefined) await connection.write(completion);
    });
    const models = [{ ...mockModel, context_length: 100_000_000 }];
    await using gateway = await startGateway({
      providers: [providerAt(upstream.url, { wire: "chat", models })],
    });
    const input = "The quick brown fox jumps over the lazy dog. ".repeat(2 * LONG / 45);
    const body = wire === "chat"
      ? { model: "mock/model", messages: [{ role: "user", content: input }] }
      : { model: "mock/model", input };
    const text = JSON.stringify(body);
    const path = wire === "chat" ? "chat/completions" : "responses";
    const { steps, stop } = watchSteps();
    try {
      const send = () =>
        fetch(`${gateway.url}/v1/${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
          body: text,
        });
      const replies = await Promise.all(Array.from({ length: 4 }, send));
      for (const reply of replies) {
        assert.equal(reply.status, 200);
        await reply.body?.cancel();
      }
    } finally {
      stop();
    }
    for (const what of ["parse", "render", "send"]) {
      assert.equal(steps.filter((step) => step.what === what).length, 4, what);
    }
    const turns = steps.map(({ turn }) => turn);
    assert.equal(new Set(turns).size, turns.length, `two steps in one turn: ${JSON.stringify(steps)}`);
  });
}

Deno.test("a short request waits for no turn of its own", async () => {
  await using upstream = upstreamServer(async (connection) => {
    while (await connection.request() !== undefined) await connection.write(completion);
  });
  await using gateway = await startGateway({ providers: [providerAt(upstream.url, { wire: "chat" })] });
  const { steps, stop } = watchSteps();
  try {
    const response = await ask(gateway, { model: "mock/model", input: "Hi" });
    assert.equal(response.status, 200);
    await response.body?.cancel();
  } finally {
    stop();
  }
  assert.deepEqual(steps, []);
});
