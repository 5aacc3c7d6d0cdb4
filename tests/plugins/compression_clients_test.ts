/** context-compression with the official clients: a conversation that is too long without it is answered with it. */

import assert from "node:assert/strict";
import { anthropicOf, textOf } from "../clients/anthropic.ts";
import { mocked, type Rig, withTarget } from "../clients/targets.ts";
import { counts, says } from "../server_tools/rig.ts";
import type { Json, SchemaViolation } from "../mocks/published.ts";

const CONTEXT = 10_000;

/** Four characters are a token of this provider's. */
function refuses(body: Json): SchemaViolation | undefined {
  if (JSON.stringify(body).length <= CONTEXT * 4) return undefined;
  const message = `This model's maximum context length is ${CONTEXT} tokens.`;
  return { message, type: "invalid_request_error", param: "messages", code: "context_length_exceeded" };
}

const plugins = [{ id: "context-compression" as const }];
const messages = Array.from({ length: 81 }, (_, at) => ({
  role: at % 2 === 0 ? "user" as const : "assistant" as const,
  content: `Message ${at}: ${"abc def ghi jkl ".repeat(60)}`,
}));

const rigOf = (test: (rig: Rig) => Promise<void>) => (target: typeof mocked[number]) => {
  const answer = () => ({ items: [says("Done.")], finish: "stop" as const, counts, pieces: [1, 7, 2] });
  return withTarget({ target, mock: { answer, refuses }, row: { context_length: CONTEXT } }, test);
};

async function assertFits(read: (more: object) => Promise<unknown>): Promise<void> {
  const refused = await read({}).then(() => undefined, (error: unknown) => error);
  assert(refused instanceof Error);
  assert.match(refused.message, /10000 tokens, .* context-compression/);
  assert.equal(await read({ plugins }), "Done.");
}

Deno.test("openai's client is answered with context-compression, whole and streamed", async (t) => {
  const test = rigOf(async ({ openai, model }) => {
    const chat = { model, messages, max_completion_tokens: 500 };
    const responses = { model, input: messages, max_output_tokens: 500 };
    await assertFits(async (more) => {
      const { choices: [choice] } = await openai.chat.completions.create({ ...chat, ...more });
      return choice?.message.content;
    });
    await assertFits((more) => openai.chat.completions.stream({ ...chat, ...more }).finalContent());
    await assertFits(async (more) => (await openai.responses.create({ ...responses, ...more })).output_text);
    await assertFits(async (more) =>
      (await openai.responses.stream({ ...responses, ...more }).finalResponse()).output_text
    );
  });
  for (const target of mocked) await t.step(target, () => test(target));
});

Deno.test("Anthropic's client is answered with context-compression, whole and streamed", async (t) => {
  const test = rigOf(async (rig) => {
    const client = anthropicOf(rig);
    const body = { model: rig.model, max_tokens: 500, messages };
    await assertFits(async (more) => textOf(await client.messages.create({ ...body, ...more })));
    await assertFits(async (more) =>
      textOf(await client.messages.stream({ ...body, ...more }).finalMessage())
    );
  });
  for (const target of mocked) await t.step(target, () => test(target));
});

Deno.test("@openrouter/sdk takes context-compression, whole and streamed", async (t) => {
  const test = rigOf(async ({ openrouter, model }) => {
    const chatRequest = { model, messages, maxTokens: 500 };
    await assertFits(async (more) => {
      const result = await openrouter.chat.send({ chatRequest: { ...chatRequest, ...more, stream: false } });
      return "choices" in result ? result.choices[0]?.message.content : undefined;
    });
    await assertFits(async (more) => {
      let said = "";
      const stream = await openrouter.chat.send({ chatRequest: { ...chatRequest, ...more, stream: true } });
      if ("choices" in stream) return undefined;
      for await (const { choices } of stream) said += choices[0]?.delta.content ?? "";
      return said;
    });
    await assertFits(async (more) => {
      const responsesRequest = {
        model,
        input: messages,
        maxOutputTokens: 500,
        ...more,
        stream: false as const,
      };
      const result = await openrouter.beta.responses.send({ responsesRequest });
      assert("output" in result);
      const parts = result.output.flatMap((item) => item.type === "message" ? item.content : []);
      return parts.map((part) => part.type === "output_text" ? part.text : "").join("");
    });
  });
  for (const target of mocked) await t.step(target, () => test(target));
});
