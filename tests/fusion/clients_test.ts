/** The official clients, unmodified, read runs; and functions of the client stand beside a run. */

import assert from "node:assert/strict";
import OpenAI from "openai";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsBase } from "openai/resources/responses/responses";
import { OpenRouter } from "@openrouter/sdk";
import { calls, itemsOf, says, send, wholeOf } from "../server_tools/rig.ts";
import { callsFusion, fusionTool, withFusion } from "./rig.ts";

const PANEL = ["alpha/mock", "beta/mock"];

/** The library's types know no such tool and no plugins. */
const asResponse = (body: { readonly tools: readonly unknown[] }): ResponseCreateParamsBase => {
  const request: ResponseCreateParamsBase = { model: "outer/mock", input: "Hi" };
  return Object.assign(request, body);
};
const asChat = (body: ChatCompletionCreateParamsStreaming & { readonly plugins: unknown }) => body;

Deno.test("openai reads a run on the Responses API, by its stream helper and event by event", async () => {
  await withFusion({}, async ({ gateway, plan }) => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
    const request = asResponse({ tools: [fusionTool(PANEL)] });
    plan({});
    const helped = await openai.responses.stream({ ...request, stream: true }).finalResponse();
    assert.deepEqual(helped.output.map(({ type }) => String(type)), ["openrouter:fusion", "message"]);
    assert.equal(helped.output_text, "The answer.");
    plan({});
    const seen: string[] = [];
    const events = await openai.responses.create({ ...request, stream: true });
    for await (const { type } of events) seen.push(type);
    assert(seen.includes("response.fusion_call.panel.completed"));
    assert(seen.includes("response.fusion_call.completed"));
    assert.equal(seen.at(-1), "response.completed");
  });
});

Deno.test("openai streams a chat with the slug", async () => {
  await withFusion({}, async ({ gateway, plan }) => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
    plan({});
    const request = asChat({
      model: "openrouter/fusion",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
      plugins: [{ id: "fusion", model: "outer/mock", analysis_models: PANEL }],
    });
    const done = await openai.chat.completions.stream(request).finalChatCompletion();
    assert.equal(done.choices[0]?.message.content, "The answer.");
    assert.equal(done.model, "outer/mock");
  });
});

Deno.test("@openrouter/sdk reads the events of a run", async () => {
  await withFusion({}, async ({ gateway, plan }) => {
    const client = new OpenRouter({ serverURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
    plan({});
    const stream = await client.beta.responses.send({
      responsesRequest: {
        model: "outer/mock",
        input: "Hi",
        stream: true,
        tools: [{ type: "openrouter:fusion", parameters: { analysisModels: PANEL } }],
      },
    });
    assert(Symbol.asyncIterator in stream);
    const seen = new Set<string>();
    for await (const { type } of stream) seen.add(String(type));
    for (const name of ["in_progress", "panel.added", "panel.delta", "panel.completed", "completed"]) {
      assert(seen.has(`response.fusion_call.${name}`), `${name} of ${[...seen]}`);
    }
    assert(seen.has("response.completed"));
  });
});

Deno.test("functions of the client stand beside a run, and are answered in the next request", async () => {
  await withFusion({}, async ({ gateway, plan }) => {
    plan({ outer: () => [callsFusion, calls("get_weather", { id: "call_w" })] });
    const weather = {
      type: "function",
      name: "get_weather",
      parameters: { type: "object", properties: {} },
    };
    const body = {
      model: "outer/mock",
      input: [{ role: "user", content: "Hi" }],
      tools: [fusionTool(PANEL), weather],
    };
    const items = itemsOf(wholeOf(await send(gateway, { body })));
    assert.deepEqual(items.map(({ type, status }) => [type, status]), [
      ["openrouter:fusion", "completed"],
      ["function_call", "completed"],
    ]);
    plan({ outer: () => [says("Bye")] });
    const back = { type: "function_call_output", call_id: "call_w", output: "Sun" };
    const next = wholeOf(
      await send(gateway, { body: { ...body, input: [...body.input, ...items, back] } }),
    );
    assert.deepEqual(itemsOf(next).map(({ type }) => type), ["message"]);
  });
});
