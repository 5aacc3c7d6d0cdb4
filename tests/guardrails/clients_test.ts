/** Blocked requests and responses, and replaced texts, as the official clients tell them. */

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { OpenRouter } from "@openrouter/sdk";
import { OpenRouterError } from "@openrouter/sdk/models/errors";
import { Ajv } from "ajv";
import OpenAI from "openai";
import { apiNames } from "../money/rig.ts";
import { type Guarded, guarded, toolsOf } from "./guarded.ts";

const pattern = "id-\\d{4}-[a-z]";
const text = "It is id-4711-x, see";
const messages = [{ role: "user" as const, content: "Hi" }];
const blocked = [{ role: "user" as const, content: text }];

interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  readonly openrouter: OpenRouter;
}

function clientsOf({ gateway: { url }, key }: Guarded): Clients {
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: `${url}/api`, apiKey: key, maxRetries: 0 }),
    openrouter: new OpenRouter({ serverURL: `${url}/v1`, apiKey: key, retryConfig: { strategy: "none" } }),
  };
}

const model = "mock/model";

Deno.test("a blocked request is each client's error for 403", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "block", label: "ID" }] });
  const { openai, anthropic, openrouter } = clientsOf(rig);
  for (const stream of [false, true]) {
    await assert.rejects(
      openai.responses.create({ model, input: text, stream }),
      OpenAI.PermissionDeniedError,
    );
    await assert.rejects(
      openai.chat.completions.create({ model, messages: blocked, stream }),
      OpenAI.PermissionDeniedError,
    );
    await assert.rejects(
      anthropic.messages.create({ model, max_tokens: 100, messages: blocked, stream }),
      Anthropic.PermissionDeniedError,
    );
    await assert.rejects(
      openrouter.beta.responses.send({ responsesRequest: { model, input: text, stream } }),
      (error: unknown) => error instanceof OpenRouterError && error.statusCode === 403,
    );
  }
});

Deno.test("clients put replaced texts together as they are", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "redact", label: "ID" }] });
  const { openai, anthropic, openrouter } = clientsOf(rig);
  const replaced = "It is [ID], see";
  rig.say({ place: "text", pieces: [...text] });
  const responses = await openai.responses.stream({ model, input: "Hi" }).finalResponse();
  assert.equal(responses.output_text, replaced);
  const chat = await openai.chat.completions.stream({ model, messages }).finalChatCompletion();
  assert.equal(chat.choices[0]?.message.content, replaced);
  const message = await anthropic.messages.stream({ model, max_tokens: 100, messages }).finalText();
  assert.equal(message, replaced);
  const result = await openrouter.beta.responses.send({
    responsesRequest: { model, input: "Hi", stream: false },
  });
  assert.ok("output" in result);
  assert.match(JSON.stringify(result.output), /It is \[ID\], see/);
});

Deno.test("replaced arguments are JSON that the clients parse", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "redact", label: "ID" }] });
  const { openai, anthropic } = clientsOf(rig);
  rig.say({ place: "arguments", pieces: [...JSON.stringify({ to: 7, text }).replace("4711", "\\u0034711")] });
  const expected = { to: 7, text: "It is [ID], see" };
  const [send] = toolsOf.chat;
  const tools = [send] as unknown as OpenAI.ChatCompletionTool[];
  const chat = await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
  const [call] = chat.choices[0]?.message.tool_calls ?? [];
  assert.ok(call?.type === "function");
  assert.deepEqual(JSON.parse(call.function.arguments), expected);
  const message = await anthropic.messages.stream({
    model,
    max_tokens: 100,
    messages,
    tools: toolsOf.messages as unknown as Anthropic.Tool[],
  }).finalMessage();
  const block = message.content.find(({ type }) => type === "tool_use");
  assert.ok(block?.type === "tool_use");
  assert.deepEqual(block.input, expected);
});

Deno.test("replaced arguments keep to the schema of their tool where a text may stand", async () => {
  const content_filters = [{ pattern: "\\d{4}-secret", action: "redact", label: "ID" }];
  await using rig = await guarded({
    content_filters,
    content_filter_builtins: [{ slug: "email", action: "redact" }],
  });
  const schema = {
    type: "object",
    properties: {
      to: { type: "array", items: { type: "string" } },
      note: { type: "object", properties: { text: { type: "string" } }, additionalProperties: false },
      count: { type: "integer" },
      urgent: { type: "boolean" },
    },
    required: ["to", "note", "count"],
    additionalProperties: { type: "string" },
  };
  const args = {
    to: ["ann@example.org", "x"],
    note: { text: "see 4711-secret" },
    count: 4711,
    urgent: true,
    "0815-secret": "a",
  };
  const validate = new Ajv().compile(schema);
  assert.ok(validate(args));
  rig.say({ place: "arguments", pieces: [...JSON.stringify(args)] });
  for (const api of apiNames) {
    for (const stream of [true, false]) {
      const { texts } = await rig.ask({ api, stream });
      const read: unknown = JSON.parse(texts.arguments);
      assert.ok(validate(read), JSON.stringify(validate.errors));
      assert.deepEqual(read, {
        to: ["[EMAIL]", "x"],
        note: { text: "see [ID]" },
        count: 4711,
        urgent: true,
        "[ID]": "a",
      });
    }
  }
});

Deno.test("OpenRouter's client knows everything in the events of guarded streams", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "redact", label: "ID" }] });
  for (const action of ["redact", "flag", "block"] as const) {
    await rig.set({ content_filters: [{ pattern, action, label: "ID" }] });
    const { openrouter } = clientsOf(rig);
    rig.say({ place: "text", pieces: [...`${"lorem ipsum ".repeat(100)}${text}`] });
    const events = await openrouter.beta.responses.send({
      responsesRequest: { model, input: "Hi", stream: true },
    });
    assert.ok(!("output" in events));
    for await (const event of events) {
      assert.ok(!JSON.stringify(event).includes('"isUnknown":true'), JSON.stringify(event));
    }
  }
});

Deno.test("a stream that is blocked later is an error in each client", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "block", label: "ID" }] });
  const { openai, anthropic } = clientsOf(rig);
  rig.say({ place: "text", pieces: [...`${"lorem ipsum ".repeat(400)}${text}`] });
  const streams = [
    () => openai.chat.completions.stream({ model, messages }).finalChatCompletion(),
    () => anthropic.messages.stream({ model, max_tokens: 100, messages }).finalText(),
  ];
  for (const run of streams) await assert.rejects(run(), /guardrail blocked the response/);
  const response = await openai.responses.stream({ model, input: "Hi" }).finalResponse().catch((error) =>
    error
  );
  const failed = response instanceof Error ? response.message : JSON.stringify(response.error);
  assert.match(failed, /guardrail blocked the response/);
});
