/**
 * Tests the memory of a request with server tools: one body and the newest turn, however many turns there were
 * before.
 */

import assert from "node:assert/strict";
import { reachableBytes } from "../support/heap.ts";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { send } from "./rig.ts";

const MIB = 1024 * 1024;
const PICTURE = 6 * MIB;
const TURNS = 12;
/** From this turn on everything that is made once has been made. */
const FIRST = 3;

const call = (id: string) => ({ id, type: "function", function: { name: "datetime", arguments: "{}" } });

/** One turn of the model on the chat wire. */
function answer(turn: number, stream: boolean): Response {
  const says = turn < TURNS
    ? { role: "assistant", content: null, tool_calls: [call(`call_${turn}`)] }
    : { role: "assistant", content: "Done." };
  const reason = turn < TURNS ? "tool_calls" : "stop";
  const about = { id: `chatcmpl-${turn}`, created: 1, model: "mock" };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  if (!stream) {
    const choices = [{ index: 0, message: says, finish_reason: reason }];
    return Response.json({ ...about, object: "chat.completion", choices, usage });
  }
  const delta = turn < TURNS ? { ...says, tool_calls: [{ index: 0, ...call(`call_${turn}`) }] } : says;
  const chunks = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: reason }], usage },
  ].map((chunk) => `data: ${JSON.stringify({ ...about, object: "chat.completion.chunk", ...chunk })}\n\n`);
  return new Response(`${chunks.join("")}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

/** A provider that keeps nothing of its requests, and notes at each what the process holds. */
function watchingProvider(held: number[]) {
  let turn = 0;
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async ({ body }) => {
    let start = "";
    const decoder = new TextDecoder();
    for await (const bytes of body ?? []) {
      if (start.length < 4_096) start += decoder.decode(bytes.slice(0, 4_096));
    }
    held.push(await reachableBytes());
    return answer(turn++, start.includes('"stream":true'));
  });
}

for (const stream of [false, true]) {
  for (const limit of [undefined, 1]) {
    const how = `${stream ? "streamed" : "whole"}, ${limit === undefined ? "no limit" : "under a limit"}`;
    Deno.test(`a loop holds no more with each turn (${how})`, async () => {
      const held: number[] = [];
      await using provider = watchingProvider(held);
      const model = { ...mockModel, pricing: { prompt: "0.000001", completion: "0.000002" } };
      await using gateway = await startGateway({
        providers: [providerAt(`http://127.0.0.1:${provider.addr.port}`, { wire: "chat", models: [model] })],
      });
      const key = limit === undefined ? gateway.apiKey : await gateway.addKey({ kind: "api", limit });
      const image_url = `data:image/png;base64,${"A".repeat(PICTURE)}`;
      const content = [{ type: "input_text", text: "What time is it?" }, { type: "input_image", image_url }];
      const body = {
        model: "mock/model",
        stream,
        input: [{ role: "user", content }],
        tools: [{ type: "service:datetime" }],
        max_output_tokens: 1_000,
      };
      const { status, text } = await send(gateway, { key, body });
      assert.equal(status, 200);
      assert.ok(text.includes("Done."));
      assert.equal(held.length, TURNS + 1);
      const grown = (held.at(-1) ?? NaN) - (held[FIRST] ?? NaN);
      assert.ok(grown < PICTURE / 2, `${grown} bytes more than at turn ${FIRST}: ${held}`);
    });
  }
}
