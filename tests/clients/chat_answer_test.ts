import assert from "node:assert/strict";
import { zodResponseFormat } from "openai/helpers/zod";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import * as z from "zod";
import { forEach, targets } from "./targets.ts";

const greeting = "Say good morning to Köln 👋";
const messages = [{ role: "user" as const, content: greeting }];

forEach(targets, "openai chat.completions.create answers with text", async ({ openai, model }) => {
  const answer = await openai.chat.completions.create({ model, messages });
  const [choice] = answer.choices;
  assert.equal(choice?.message.content, `You said: ${greeting}`);
  assert.equal(choice?.message.role, "assistant");
  assert.equal(choice?.finish_reason, "stop");
  assert.equal(answer.object, "chat.completion");
  assert.match(answer.id, /^gen-[0-9a-f]{32}$/);
  assert((answer.usage?.prompt_tokens ?? 0) > 0);
  assert.equal(answer.system_fingerprint, null);
  assert.match(answer._request_id ?? "", /^req_[0-9a-f]{32}$/);
});

forEach(targets, "openai chat.completions.create streams text", async ({ openai, model }) => {
  const stream = await openai.chat.completions.create({ model, messages, stream: true });
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
  assert.deepEqual(chunks[0]?.choices[0]?.delta, { role: "assistant", content: "" });
  const pieces = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ""));
  assert.equal(pieces.join(""), `You said: ${greeting}`);
  assert(pieces.length > 3, "text comes in pieces");
  const reasons = chunks.map(({ choices }) => choices[0]?.finish_reason ?? null);
  assert.deepEqual(reasons.filter((reason) => reason !== null), ["stop"]);
  assert.deepEqual(chunks.at(-1)?.choices, []);
  assert((chunks.at(-1)?.usage?.total_tokens ?? 0) > 0);
});

forEach(targets, "openai chat.completions.stream collects the same as the whole answer", async (rig) => {
  const { openai, model } = rig;
  const stream = openai.chat.completions.stream({ model, messages });
  const final = await stream.finalChatCompletion();
  const whole = await openai.chat.completions.create({ model, messages });
  assert.equal(final.choices[0]?.message.content, whole.choices[0]?.message.content);
  assert.equal(final.choices[0]?.finish_reason, whole.choices[0]?.finish_reason);
  assert.deepEqual(final.usage?.completion_tokens, whole.usage?.completion_tokens);
});

const event = z.object({ name: z.string(), guests: z.array(z.string()), count: z.int(), open: z.boolean() });

forEach(targets, "openai chat.completions.parse reads a zod format", async ({ openai, model }) => {
  const body = {
    model,
    messages: [{ role: "user" as const, content: "Anna and Ben go to a talk." }],
    response_format: zodResponseFormat(event, "event"),
  };
  const whole = await openai.chat.completions.parse(body);
  const streamed = await openai.chat.completions.stream(body).finalChatCompletion();
  for (const { choices: [choice] } of [whole, streamed]) {
    assert(choice?.message.parsed);
    assert.deepEqual(event.parse(choice.message.parsed), choice.message.parsed);
  }
});

forEach(targets, "openai's chat ends at max_completion_tokens", async ({ openai, model }) => {
  const content = "one two three four five six seven eight nine ten";
  const body = { model, messages: [{ role: "user" as const, content }], max_completion_tokens: 4 };
  const whole = await openai.chat.completions.create(body);
  const streamed = await openai.chat.completions.stream(body).finalChatCompletion();
  for (const { choices: [choice], usage } of [whole, streamed]) {
    assert.equal(choice?.finish_reason, "length");
    assert((usage?.completion_tokens ?? Infinity) <= 4);
  }
  assert.equal(streamed.choices[0]?.message.content, whole.choices[0]?.message.content);
});

forEach(targets, "openai's chat sees a refusal as a refusal", async ({ openai, model }) => {
  const body = { model, messages: [{ role: "user" as const, content: "Please refuse this." }] };
  const whole = await openai.chat.completions.create(body);
  const streamed = await openai.chat.completions.stream(body).finalChatCompletion();
  for (const { choices: [choice] } of [whole, streamed]) {
    assert((choice?.message.refusal ?? "").length > 10);
    assert.equal(choice?.message.content || null, null);
  }
});

forEach(["echo"], "openai's chat gets logprobs when it asks for them", async ({ openai, model }) => {
  const body = { model, messages, logprobs: true, top_logprobs: 2 };
  const whole = await openai.chat.completions.create(body);
  const streamed = await openai.chat.completions.stream(body).finalChatCompletion();
  for (const { choices: [choice] } of [whole, streamed]) {
    const content = choice?.logprobs?.content ?? [];
    assert.equal(content.map(({ token }) => token).join(""), choice?.message.content);
    assert(content.every(({ top_logprobs, bytes }) => top_logprobs.length === 2 && bytes !== null));
  }
});
