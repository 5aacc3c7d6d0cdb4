/** The official clients, unmodified, send documents to models that take none: what the model reads, and what comes back. */

import assert from "node:assert/strict";
import type { ChatCompletion, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { Plan } from "../mocks/plan.ts";
import { asObject } from "../support/event_stream.ts";
import { anthropicOf, textOf } from "./anthropic.ts";
import { mocked, type Rig, withTarget } from "./targets.ts";

const SHIPS = "ship,length\nAlba,12\n";
const file_data = `data:text/csv;base64,${btoa(SHIPS)}`;
const READ = "I have read of the ship.";
const UNREAD = "I have read nothing.";

const answer = (body: unknown): Plan => ({
  items: [{ type: "text", text: isRead(JSON.stringify(body)) ? READ : UNREAD }],
  finish: "stop",
  counts: { input: 9, output: 5, cached: 0, reasoning: 0 },
  pieces: [1, 2, 5],
});

const isRead = (body: string) =>
  body.includes('<file name=\\"ships.csv\\">\\nship,length\\nAlba,12') && !body.includes("base64");

function withDocument(name: string, test: (rig: Rig) => Promise<void>): void {
  for (const target of mocked) {
    const row = { input_modalities: ["text"] };
    Deno.test(`${name}, on ${target}`, () => withTarget({ target, mock: { answer }, row }, test));
  }
}

const question: ChatCompletionMessageParam = {
  role: "user",
  content: [{ type: "text", text: "Which ships?" }, {
    type: "file",
    file: { filename: "ships.csv", file_data },
  }],
};

withDocument("openai's chat is told the file, and may send it back", async ({ openai, model, mock }) => {
  const request = { model, messages: [question] };
  const whole = await openai.chat.completions.create(request);
  const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
  for (const { choices: [choice] } of [whole, streamed]) {
    assert.equal(choice?.message.content, READ);
    const told = (choice.message.annotations ?? []).map((one) => asObject(one));
    assert.deepEqual(told.map(({ type }) => type), ["file"]);
    const { name, content } = asObject(told[0]?.file);
    assert.equal(name, "ships.csv");
    assert.deepEqual(content, [{ type: "text", text: SHIPS }]);
    const back = { ...choice.message, role: "assistant" as const, refusal: null };
    const again: ChatCompletion = await openai.chat.completions.create({
      model,
      messages: [question, back, { role: "user", content: "And how long?" }],
    });
    assert.equal(again.choices[0]?.message.content, READ);
  }
  assert.equal(mock?.requests.length, 4);
});

withDocument("openai's responses send a document, whole and streamed", async ({ openai, model }) => {
  const request = {
    model,
    input: [{
      role: "user" as const,
      content: [
        { type: "input_text" as const, text: "Which ships?" },
        { type: "input_file" as const, filename: "ships.csv", file_data },
      ],
    }],
  };
  assert.equal((await openai.responses.create(request)).output_text, READ);
  assert.equal((await openai.responses.stream(request).finalResponse()).output_text, READ);
});

withDocument("@anthropic-ai/sdk sends a document, whole and streamed", async (rig) => {
  const client = anthropicOf(rig);
  const request = {
    model: rig.model,
    max_tokens: 1_000,
    messages: [{
      role: "user" as const,
      content: [
        { type: "text" as const, text: "Which ships?" },
        {
          type: "document" as const,
          title: "ships.csv",
          source: { type: "text" as const, media_type: "text/plain" as const, data: SHIPS },
        },
      ],
    }],
  };
  assert.equal(textOf(await client.messages.create(request)), READ);
  assert.equal(textOf(await client.messages.stream(request).finalMessage()), READ);
});

withDocument("@openrouter/sdk names the plugin file-parser and its engine", async ({ openrouter, model }) => {
  const plugins = [{ id: "file-parser" as const, pdf: { engine: "cloudflare-ai" as const } }];
  const chatRequest = {
    model,
    plugins,
    messages: [{
      role: "user" as const,
      content: [
        { type: "text" as const, text: "Which ships?" },
        { type: "file" as const, file: { filename: "ships.csv", fileData: file_data } },
      ],
    }],
  };
  const whole = await openrouter.chat.send({ chatRequest: { ...chatRequest, stream: false } });
  assert("choices" in whole);
  assert.equal(String(whole.choices[0]?.message.content), READ);
  const streamed = await openrouter.chat.send({ chatRequest: { ...chatRequest, stream: true } });
  assert(!("choices" in streamed));
  let text = "";
  for await (const chunk of streamed) text += chunk.choices[0]?.delta.content ?? "";
  assert.equal(text, READ);
});
