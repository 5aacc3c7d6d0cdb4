/** The official clients, unmodified, in front of a gateway that runs the tools itself. */

import assert from "node:assert/strict";
import type Anthropic from "@anthropic-ai/sdk";
import type { StreamEvents } from "@openrouter/sdk/models";
import type { ChatCompletionTool } from "openai/resources/chat/completions";
import type { Tool } from "openai/resources/responses/responses";
import type { Json } from "../support/event_stream.ts";
import { isObject } from "../support/event_stream.ts";
import type { Plan } from "../mocks/plan.ts";
import { anthropicOf, textOf as textOfMessage } from "./anthropic.ts";
import { SEARCH_KEY, startSearchMock } from "../mocks/search_upstream.ts";
import { asInput, mocked, type Rig, targets, withTarget } from "./targets.ts";

const TYPE = "openrouter:datetime";
const INPUT = 'Use the datetime tool with: {"timezone": "Asia/Tokyo"}';
const TOLD = /Asia\/Tokyo/;

/** Plan of an obedient provider: the call, and then its result. */
function answer(body: Json): Plan {
  const text = JSON.stringify(body);
  const isTold = text.includes("+09:00");
  return {
    items: isTold ? [{ type: "text", text: "It is late in Asia/Tokyo." }] : [{
      type: "call",
      kind: "function",
      callId: "call_tokyo",
      name: "datetime",
      arguments: '{"timezone":"Asia/Tokyo"}',
    }],
    finish: "stop",
    counts: { input: 9, output: 5, cached: 0, reasoning: 0 },
    pieces: [4, 7],
  };
}

function forEach(name: string, test: (rig: Rig) => Promise<void>): void {
  for (const target of targets) {
    Deno.test(`${name}, on ${target}`, () => withTarget({ target, mock: { answer } }, test));
  }
}

/** The libraries' types know their own tools only. */
const asTool = (tool: { readonly type: string }) => tool as unknown as Tool;
const asChatTool = (tool: { readonly type: string }) => tool as unknown as ChatCompletionTool;
const asMessagesTool = (tool: { readonly type: string }) => tool as unknown as Anthropic.Tool;

forEach("openai's responses run a server tool, and take their items back", async ({ openai, model }) => {
  const request = { model, input: INPUT, tools: [asTool({ type: TYPE })] };
  const whole = await openai.responses.create(request);
  const streamed = await openai.responses.stream(request).finalResponse();
  for (const { output, output_text } of [whole, streamed]) {
    const types: readonly string[] = output.map(({ type }) => type);
    assert.deepEqual(types, [TYPE, "message"]);
    assert.match(output_text, TOLD);
  }
  const again = await openai.responses.create({
    ...request,
    input: [{ role: "user", content: INPUT }, ...asInput(whole.output), { role: "user", content: "Thanks!" }],
  });
  assert.equal(again.status, "completed");
});

forEach("openai's chat runs a server tool, and takes its message back", async ({ openai, model }) => {
  const question = { role: "user" as const, content: INPUT };
  const request = { model, messages: [question], tools: [asChatTool({ type: TYPE })] };
  const whole = await openai.chat.completions.create(request);
  const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
  for (const { choices: [choice] } of [whole, streamed]) {
    assert.equal(choice?.finish_reason, "stop");
    assert.equal(choice.message.tool_calls?.length ?? 0, 0);
    assert.match(choice.message.content ?? "", TOLD);
  }
  const message = whole.choices[0]?.message;
  assert(message !== undefined);
  const again = await openai.chat.completions.create({
    ...request,
    messages: [question, message, { role: "user", content: "Thanks!" }],
  });
  assert.equal(again.choices[0]?.finish_reason, "stop");
});

forEach("@anthropic-ai/sdk runs a server tool, whole and streamed", async (rig) => {
  const { model } = rig;
  const client = anthropicOf(rig);
  const question = { role: "user" as const, content: INPUT };
  const request = { model, max_tokens: 1_000, messages: [question], tools: [asMessagesTool({ type: TYPE })] };
  const whole = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  for (const message of [whole, streamed]) {
    assert.equal(message.stop_reason, "end_turn");
    assert.match(textOfMessage(message), TOLD);
  }
  const again = await client.messages.create({
    ...request,
    messages: [question, { role: "assistant", content: whole.content }, { role: "user", content: "Thanks!" }],
  });
  assert.equal(again.stop_reason, "end_turn");
});

/**
 * The library marks what it cannot read instead of failing. Of the tools that a response repeats it knows OpenAI's
 * only, also of those that it sends itself.
 */
function assertKnown(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(assertKnown);
  if (!isObject(value)) return;
  assert.notEqual(value.isUnknown, true, JSON.stringify(value));
  for (const [key, inner] of Object.entries(value)) if (key !== "tools") assertKnown(inner);
}

forEach("@openrouter/sdk runs a server tool and knows its items", async ({ openrouter, model }) => {
  const request = { model, input: INPUT, tools: [{ type: TYPE } as const] };
  const whole = await openrouter.beta.responses.send({ responsesRequest: { ...request, stream: false } });
  assert("output" in whole);
  const stream = await openrouter.beta.responses.send({ responsesRequest: { ...request, stream: true } });
  assert(!("output" in stream));
  const events: StreamEvents[] = [];
  for await (const event of stream) events.push(event);
  const last = events.at(-1);
  assert(last?.type === "response.completed");
  assertKnown(events);
  for (const result of [whole, last.response]) {
    assertKnown(result);
    assert.deepEqual(result.output.map(({ type }) => type), [TYPE, "message"]);
    const [item] = result.output;
    assert(item?.type === TYPE);
    assert.equal(item.timezone, "Asia/Tokyo");
    assert.equal(result.usage?.costDetails !== undefined, true);
  }
});

const found = [
  { url: "https://a.example/one", title: "One 👋", text: "The first text" },
  { url: "https://b.example/two", title: "Two", text: "The second text" },
];
const CITING = "👩‍👩‍👧 See [One](https://a.example/one), and https://b.example/two.";

/** Searches, and then cites what was found. */
const searchAnswer = (body: Json): Plan => ({
  items: JSON.stringify(body).includes("The first text") ? [{ type: "text", text: CITING }] : [{
    type: "call",
    kind: "function",
    callId: "call_news",
    name: "web_search",
    arguments: '{"query":"news"}',
  }],
  finish: "stop",
  counts: { input: 9, output: 5, cached: 0, reasoning: 0 },
  pieces: [1, 2, 5],
});

function searchWith(name: string, test: (rig: Rig) => Promise<void>): void {
  for (const target of mocked) {
    Deno.test(`${name}, on ${target}`, async () => {
      await using engine = startSearchMock("exa", { hits: found });
      const gateway = {
        env: { EXA_API_KEY: SEARCH_KEY },
        file: { search: { exa: { base_url: engine.url } } },
      };
      await withTarget({ target, mock: { answer: searchAnswer }, gateway }, test);
    });
  }
}

const cited = ["[One](https://a.example/one)", "https://b.example/two"];

searchWith("openai's responses search the web, with citations at their places", async ({ openai, model }) => {
  const request = { model, input: "News?", tools: [{ type: "web_search" } as const] };
  const whole = await openai.responses.create(request);
  const stream = openai.responses.stream(request);
  const progress: string[] = [];
  for await (const { type } of stream) if (type.startsWith("response.web_search_call.")) progress.push(type);
  assert.deepEqual(progress.map((type) => type.split(".").at(-1)), ["in_progress", "searching", "completed"]);
  for (const { output } of [whole, await stream.finalResponse()]) {
    const [search, message] = output;
    assert(search?.type === "web_search_call" && message?.type === "message");
    assert(search.status === "completed" && search.action.type === "search");
    assert.deepEqual(search.action.sources?.map(({ url }) => url), found.map(({ url }) => url));
    const [part] = message.content;
    assert(part?.type === "output_text");
    assert.equal(part.text, CITING);
    const places = part.annotations.map((one) =>
      one.type === "url_citation" ? part.text.slice(one.start_index, one.end_index) : one.type
    );
    assert.deepEqual(places, cited);
  }
});

searchWith("openai's chat cites what a search has found", async ({ openai, model }) => {
  const request = {
    model,
    messages: [{ role: "user" as const, content: "News?" }],
    tools: [asChatTool({ type: "service:web_search" })],
  };
  const whole = await openai.chat.completions.create(request);
  const message = whole.choices[0]?.message;
  const places = message?.annotations?.map(({ url_citation: one }) =>
    message.content?.slice(one.start_index, one.end_index)
  );
  assert.deepEqual(places, cited);
  const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
  assert.equal(streamed.choices[0]?.message.content, CITING);
});

searchWith("@anthropic-ai/sdk shows a search in Anthropic's own blocks, and takes them back", async (rig) => {
  const client = anthropicOf(rig);
  const question = { role: "user" as const, content: "News?" };
  const request = {
    model: rig.model,
    max_tokens: 1_000,
    messages: [question],
    tools: [{ type: "web_search_20250305", name: "web_search" } as const],
  };
  const whole = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  for (const message of [whole, streamed]) {
    const [call, result, text] = message.content;
    assert(call?.type === "server_tool_use" && call.name === "web_search");
    assert.deepEqual(call.input, { query: "news" });
    assert(result?.type === "web_search_tool_result" && Array.isArray(result.content));
    assert.equal(result.tool_use_id, call.id);
    assert.deepEqual(
      result.content.map(({ url, title }) => ({ url, title })),
      found.map(({ url, title }) => ({ url, title })),
    );
    assert(text?.type === "text" && text.text === CITING);
    assert.deepEqual(
      text.citations?.map((one) => "url" in one ? one.url : one.type),
      found.map(({ url }) => url),
    );
  }
  const again = await client.messages.create({
    ...request,
    messages: [question, { role: "assistant", content: whole.content }, { role: "user", content: "Thanks!" }],
  });
  assert.equal(textOfMessage(again), CITING, "the provider is sent what was found");
});

searchWith("@openrouter/sdk knows every part of a search", async ({ openrouter, model }) => {
  const request = { model, input: "News?", tools: [{ type: "openrouter:web_search" } as const] };
  const whole = await openrouter.beta.responses.send({ responsesRequest: { ...request, stream: false } });
  const stream = await openrouter.beta.responses.send({ responsesRequest: { ...request, stream: true } });
  assert("output" in whole && !("output" in stream));
  const events: StreamEvents[] = [];
  for await (const event of stream) events.push(event);
  for (const part of [whole, events]) assertKnown(part);
  assert.deepEqual(whole.output.map(({ type }) => type), ["openrouter:web_search", "message"]);
  assert.equal(whole.usage?.serverToolUseDetails?.webSearchRequests, 1);
});

forEach("@openrouter/sdk's chat runs a server tool", async ({ openrouter, model }) => {
  const result = await openrouter.chat.send({
    chatRequest: {
      model,
      messages: [{ role: "user", content: INPUT }],
      tools: [{ type: TYPE }],
      stream: false,
    },
  });
  assertKnown(result);
  assert("choices" in result);
  const [choice] = result.choices;
  assert.equal(choice?.finishReason, "stop");
  assert.match(String(choice.message.content), TOLD);
});
