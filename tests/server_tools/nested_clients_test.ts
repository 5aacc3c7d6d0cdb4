/** The official clients, unmodified, read advisors and subagents. */

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ResponseCreateParamsBase } from "openai/resources/responses/responses";
import { OpenRouter } from "@openrouter/sdk";
import { nestedTool, planBoth } from "./nested_rig.ts";
import { calls, says, type ToolRig, withTools } from "./rig.ts";

const tools = [
  nestedTool("advisor", { model: "mock/messages", stream: true }),
  nestedTool("subagent", { model: "mock/gemini" }),
];

/** One call of each, then a text. */
const plan = (rig: ToolRig) =>
  planBoth(rig, {
    outer: (turn) =>
      [
        [calls("advisor", { args: { prompt: "Left?" } })],
        [calls("subagent", { args: { task_name: "T", task_description: "Look." } })],
      ][turn] ?? [says("I went left.")],
  });

/** The libraries' types know no such tools. */
const asResponse = (fields: object): ResponseCreateParamsBase =>
  Object.assign({ model: "mock/chat", input: "Do it." } satisfies ResponseCreateParamsBase, fields);
const asCreate = <T extends object>(request: T, fields: object): T => Object.assign(request, fields);

Deno.test("openai reads them on the Responses API: whole, by its helper and event by event", async () => {
  await withTools({}, async (rig) => {
    const openai = new OpenAI({ baseURL: `${rig.gateway.url}/v1`, apiKey: rig.gateway.apiKey });
    const kinds = ["openrouter:advisor", "openrouter:subagent", "message"];
    plan(rig);
    const whole = await openai.responses.create({ ...asResponse({ tools }), stream: false });
    assert.deepEqual(whole.output.map(({ type }) => String(type)), kinds);
    assert.equal(whole.output_text, "I went left.");
    plan(rig);
    const helped = await openai.responses.stream({ ...asResponse({ tools }), stream: true }).finalResponse();
    assert.deepEqual(helped.output.map(({ type }) => String(type)), kinds);
    assert.equal(helped.output_text, "I went left.");
    plan(rig);
    let advice = "";
    const events = await openai.responses.create({ ...asResponse({ tools }), stream: true });
    for await (const event of events) {
      if (event.type === "response.output_text.done" && event.output_index === 0) advice = event.text;
    }
    assert.equal(advice, "Wait.");
  });
});

Deno.test("openai reads a chat with them", async () => {
  await withTools({}, async (rig) => {
    const openai = new OpenAI({ baseURL: `${rig.gateway.url}/v1`, apiKey: rig.gateway.apiKey });
    plan(rig);
    const request = {
      model: "mock/chat",
      messages: [{ role: "user" as const, content: "Do it." }],
      stream: true as const,
    };
    const done = await openai.chat.completions.stream(asCreate(request, { tools })).finalChatCompletion();
    assert.equal(done.choices[0]?.message.content, "I went left.");
  });
});

Deno.test("@anthropic-ai/sdk reads them, whole and streamed", async () => {
  await withTools({}, async (rig) => {
    const client = new Anthropic({ baseURL: rig.gateway.url, apiKey: rig.gateway.apiKey });
    const request = {
      model: "mock/chat",
      max_tokens: 100,
      messages: [{ role: "user" as const, content: "Do it." }],
    };
    const kinds = ["server_tool_use", "advisor_tool_result", "text"];
    plan(rig);
    const whole = await client.messages.create(asCreate({ ...request }, { tools }));
    assert.deepEqual(whole.content.map(({ type }) => String(type)), kinds);
    plan(rig);
    const streamed = await client.messages.stream(asCreate({ ...request }, { tools })).finalMessage();
    assert.deepEqual(streamed.content.map(({ type }) => String(type)), kinds);
    const last = streamed.content.at(-1);
    assert.equal(last?.type === "text" ? last.text : "", "I went left.");
  });
});

Deno.test("@openrouter/sdk reads them, whole and streamed", async () => {
  await withTools({}, async (rig) => {
    const client = new OpenRouter({ serverURL: `${rig.gateway.url}/v1`, apiKey: rig.gateway.apiKey });
    const request = {
      model: "mock/chat",
      input: "Do it.",
      tools: [
        { type: "openrouter:advisor" as const, parameters: { model: "mock/messages", stream: true } },
        {
          type: "openrouter:subagent" as const,
          parameters: { model: "mock/gemini", instructions: "Mind the inner rules." },
        },
      ],
    };
    plan(rig);
    const stream = await client.beta.responses.send({ responsesRequest: { ...request, stream: true } });
    assert(Symbol.asyncIterator in stream);
    const seen = new Set<string>();
    for await (const { type } of stream) seen.add(String(type));
    assert(seen.has("response.output_text.done") && seen.has("response.completed"), [...seen].join());
    plan(rig);
    const whole = await client.beta.responses.send({ responsesRequest: { ...request, stream: false } });
    assert("output" in whole);
    assert.deepEqual(whole.output.map(({ type }) => String(type)), [
      "openrouter:advisor",
      "openrouter:subagent",
      "message",
    ]);
  });
});
