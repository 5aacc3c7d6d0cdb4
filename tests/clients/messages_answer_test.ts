import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { anthropicOf, textOf } from "./anthropic.ts";
import { forEach, targets } from "./targets.ts";

const greeting = "Say good morning to Köln 👋";
const messages: Anthropic.MessageParam[] = [{ role: "user", content: greeting }];
const max_tokens = 1_000;

forEach(targets, "@anthropic-ai/sdk messages.create answers with text", async (rig) => {
  const { model } = rig;
  const message = await anthropicOf(rig).messages.create({
    model,
    max_tokens,
    messages,
    system: "Be brief.",
  });
  assert.equal(textOf(message), `You said: ${greeting}`);
  assert.equal(message.type, "message");
  assert.equal(message.role, "assistant");
  assert.equal(message.stop_reason, "end_turn");
  assert.match(message.id, /^msg_[0-9a-f]{32}$/);
  assert(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
  assert.match(message._request_id ?? "", /^req_[0-9a-f]{32}$/);
});

forEach(targets, "@anthropic-ai/sdk takes the key as a bearer too", async ({ gateway, model }) => {
  const client = new Anthropic({ baseURL: `${gateway.url}`, authToken: gateway.apiKey, apiKey: null });
  assert.equal(
    textOf(await client.messages.create({ model, max_tokens, messages })),
    `You said: ${greeting}`,
  );
});

forEach(targets, "@anthropic-ai/sdk messages.create streams text", async (rig) => {
  const stream = await anthropicOf(rig).messages.create({
    model: rig.model,
    max_tokens,
    messages,
    stream: true,
  });
  const events: Anthropic.RawMessageStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  const types = events.map(({ type }) => type);
  assert.deepEqual(types.slice(0, 3), ["message_start", "content_block_start", "content_block_delta"]);
  assert.deepEqual(types.slice(-3), ["content_block_stop", "message_delta", "message_stop"]);
  const deltas = events.flatMap((event) => event.type === "content_block_delta" ? [event.delta] : []);
  assert(deltas.length > 2, "text comes in pieces");
  const text = deltas.map((delta) => delta.type === "text_delta" ? delta.text : "").join("");
  assert.equal(text, `You said: ${greeting}`);
});

forEach(targets, "@anthropic-ai/sdk messages.stream collects the same as the whole answer", async (rig) => {
  const client = anthropicOf(rig);
  const body = { model: rig.model, max_tokens, messages };
  const streamed = await client.messages.stream(body).finalMessage();
  const whole = await client.messages.create(body);
  assert.deepEqual(streamed.content, whole.content);
  assert.deepEqual(streamed.usage.output_tokens, whole.usage.output_tokens);
  assert.equal(streamed.stop_reason, whole.stop_reason);
});

forEach(targets, "@anthropic-ai/sdk sees max_tokens reached", async (rig) => {
  const content = "one two three four five six seven eight nine ten";
  const body = { model: rig.model, max_tokens: 4, messages: [{ role: "user" as const, content }] };
  const whole = await anthropicOf(rig).messages.create(body);
  const streamed = await anthropicOf(rig).messages.stream(body).finalMessage();
  for (const message of [whole, streamed]) {
    assert.equal(message.stop_reason, "max_tokens");
    assert(message.usage.output_tokens <= 4);
  }
  assert.equal(textOf(whole), textOf(streamed));
});

forEach(targets, "@anthropic-ai/sdk sees a refusal as one", async (rig) => {
  const body = {
    model: rig.model,
    max_tokens,
    messages: [{ role: "user" as const, content: "Please refuse this." }],
  };
  const whole = await anthropicOf(rig).messages.create(body);
  const streamed = await anthropicOf(rig).messages.stream(body).finalMessage();
  for (const message of [whole, streamed]) {
    assert.equal(message.stop_reason, "refusal");
    assert(textOf(message).length > 10);
  }
});

const thinking = { type: "enabled", budget_tokens: 1_024 } as const;

forEach(targets, "@anthropic-ai/sdk reads thoughts and brings them back", async (rig) => {
  const client = anthropicOf(rig);
  const body = { model: rig.model, max_tokens: 4_000, thinking };
  const question = { role: "user" as const, content: "Think about it." };
  const streamed = await client.messages.stream({ ...body, messages: [question] }).finalMessage();
  const whole = await client.messages.create({ ...body, messages: [question] });
  assert.deepEqual(streamed.content.map(({ type }) => type), whole.content.map(({ type }) => type));
  assert(streamed.content[0]?.type === "thinking");
  const second = await client.messages.create({
    ...body,
    messages: [question, { role: "assistant", content: streamed.content }, {
      role: "user",
      content: "And now?",
    }],
  });
  assert.match(textOf(second), /^You said: And now\?/);
});
