/** The official clients, unmodified, with the plugin `web-fetch`: the model reads the pages that the user names. */

import assert from "node:assert/strict";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import type Anthropic from "@anthropic-ai/sdk";
import type { Plan } from "../mocks/plan.ts";
import { anthropicOf, textOf } from "./anthropic.ts";
import { mocked, type Rig, withTarget } from "./targets.ts";

const READ = "I have read the page.";
const plugins = [{ id: "web-fetch" as const, max_uses: 2 }];

const answer = (body: unknown): Plan => ({
  items: [{
    type: "text",
    text: JSON.stringify(body).includes("The harbour opens at nine") ? READ : "Nothing.",
  }],
  finish: "stop",
  counts: { input: 9, output: 5, cached: 0, reasoning: 0 },
  pieces: [1, 2, 5],
});

interface FetchRig extends Rig {
  readonly question: string;
}

function fetchWith(name: string, test: (rig: FetchRig) => Promise<void>): void {
  for (const target of mocked) {
    Deno.test(`${name}, on ${target}`, async () => {
      await using site = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        () => new Response("The harbour opens at nine.", { headers: { "content-type": "text/plain" } }),
      );
      const host = `127.0.0.1:${site.addr.port}`;
      const gateway = { file: { fetch: { allowed_hosts: [host] } } };
      const question = `When does it open? See http://${host}/hours.`;
      await withTarget({ target, mock: { answer }, gateway }, (rig) => test({ ...rig, question }));
    });
  }
}

/** The libraries' types know no plugins. */
const asResponse = (body: ResponseCreateParamsNonStreaming & { readonly plugins?: unknown }) => body;
const asChat = (body: ChatCompletionCreateParamsNonStreaming & { readonly plugins?: unknown }) => body;
const asMessage = (body: Anthropic.MessageCreateParamsNonStreaming & { readonly plugins?: unknown }) => body;

fetchWith("openai's client is answered with web-fetch, whole and streamed", async (rig) => {
  const { openai, model, question } = rig;
  const response = asResponse({ model, input: question, plugins });
  assert.equal((await openai.responses.create(response)).output_text, READ);
  const streamed = await openai.responses.stream({ ...response, stream: true }).finalResponse();
  assert.equal(streamed.output_text, READ);
  const chat = asChat({ model, messages: [{ role: "user", content: question }], plugins });
  const whole = await openai.chat.completions.create(chat);
  const last = await openai.chat.completions.stream({ ...chat, stream: true }).finalChatCompletion();
  for (const { choices: [choice] } of [whole, last]) assert.equal(choice?.message.content, READ);
});

fetchWith("Anthropic's client is answered with web-fetch, whole and streamed", async (rig) => {
  const client = anthropicOf(rig);
  const messages = [{ role: "user" as const, content: rig.question }];
  const request = asMessage({ model: rig.model, max_tokens: 1_000, messages, plugins });
  assert.equal(textOf(await client.messages.create(request)), READ);
  assert.equal(textOf(await client.messages.stream(request).finalMessage()), READ);
});

fetchWith("@openrouter/sdk takes web-fetch, whole and streamed", async (rig) => {
  const { openrouter, model, question } = rig;
  const own = [{ id: "web-fetch" as const, maxUses: 2 }];
  const responsesRequest = { model, input: question, plugins: own };
  const whole = await openrouter.beta.responses.send({
    responsesRequest: { ...responsesRequest, stream: false },
  });
  assert("output" in whole);
  assert(JSON.stringify(whole.output).includes(READ), JSON.stringify(whole.output));
  const events = await openrouter.beta.responses.send({
    responsesRequest: { ...responsesRequest, stream: true },
  });
  assert(!("output" in events));
  let text = "";
  for await (const event of events) if (event.type === "response.output_text.delta") text += event.delta;
  assert.equal(text, READ);
  const messages = [{ role: "user" as const, content: question }];
  const chat = await openrouter.chat.send({ chatRequest: { model, messages, plugins: own, stream: false } });
  assert("choices" in chat);
  assert.equal(String(chat.choices[0]?.message.content), READ);
});
