/** The official clients, unmodified, in front of a gateway whose plugin `web` searches: citations at their places. */

import assert from "node:assert/strict";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import type Anthropic from "@anthropic-ai/sdk";
import type { Plan } from "../mocks/plan.ts";
import { SEARCH_KEY, startSearchMock } from "../mocks/search_upstream.ts";
import { anthropicOf, textOf } from "./anthropic.ts";
import { mocked, type Rig, withTarget } from "./targets.ts";

const found = [
  { url: "https://a.example/one", title: "One 👋", text: "The first text" },
  { url: "https://b.example/two", title: "Two", text: "The second text" },
];
/** A family of five code points, and a letter with a combining accent, stand before what is cited. */
const CITING = "👩‍👩‍👧 Ae\u0301: see [One](https://a.example/one), and [2].";
const cited = ["[One](https://a.example/one)", "[2]"];
const plugins = [{ id: "web" }];

const answer = (body: unknown): Plan => ({
  items: [{ type: "text", text: JSON.stringify(body).includes("The first text") ? CITING : "Nothing." }],
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
      await withTarget({ target, mock: { answer }, gateway }, test);
    });
  }
}

/** The libraries' types know no plugins. */
const asResponse = (body: ResponseCreateParamsNonStreaming & { readonly plugins?: unknown }) => body;
const asChat = (body: ChatCompletionCreateParamsNonStreaming & { readonly plugins?: unknown }) => body;
const asMessage = (body: Anthropic.MessageCreateParamsNonStreaming & { readonly plugins?: unknown }) => body;

searchWith("openai's responses cite what the plugin web has found", async ({ openai, model }) => {
  const request = asResponse({ model, input: "News?", plugins });
  const whole = await openai.responses.create(request);
  const streamed = await openai.responses.stream({ ...request, stream: true }).finalResponse();
  for (const { output } of [whole, streamed]) {
    const message = output.find(({ type }) => type === "message");
    assert(message?.type === "message");
    const [part] = message.content;
    assert(part?.type === "output_text");
    assert.equal(part.text, CITING);
    const places = part.annotations.map((one) =>
      one.type === "url_citation" ? part.text.slice(one.start_index, one.end_index) : one.type
    );
    assert.deepEqual(places, cited);
  }
});

searchWith("openai's chat cites what the plugin web has found", async ({ openai, model }) => {
  const request = asChat({ model, messages: [{ role: "user", content: "News?" }], plugins });
  const whole = await openai.chat.completions.create(request);
  const message = whole.choices[0]?.message;
  const places = message?.annotations?.map(({ url_citation: one }) =>
    message.content?.slice(one.start_index, one.end_index)
  );
  assert.deepEqual(places, cited);
  assert.deepEqual(message?.annotations?.map(({ url_citation: { title } }) => title), ["One 👋", "Two"]);
  const streamed = await openai.chat.completions.stream({ ...request, stream: true }).finalChatCompletion();
  assert.equal(streamed.choices[0]?.message.content, CITING);
  // The client keeps the last delta that has annotations.
  assert.deepEqual(streamed.choices[0]?.message.annotations, message?.annotations);
});

searchWith("@anthropic-ai/sdk reads citations of the plugin web", async (rig) => {
  const client = anthropicOf(rig);
  const messages = [{ role: "user" as const, content: "News?" }];
  const request = asMessage({ model: rig.model, max_tokens: 1_000, messages, plugins });
  const whole = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  for (const message of [whole, streamed]) {
    assert.equal(textOf(message), CITING);
    const [text] = message.content;
    assert(text?.type === "text");
    const citations = text.citations?.map((one) => "url" in one ? [one.url, one.cited_text] : one.type);
    assert.deepEqual(citations, found.map(({ url, text: excerpt }) => [url, excerpt]));
  }
});

searchWith(
  "@openrouter/sdk asks for the plugin web, and reads its citations",
  async ({ openrouter, model }) => {
    const request = { model, input: "News?", plugins: [{ id: "web" as const, maxResults: 2 }] };
    const whole = await openrouter.beta.responses.send({ responsesRequest: { ...request, stream: false } });
    assert("output" in whole);
    assert.match(JSON.stringify(whole.output), /https:\/\/b\.example\/two/);
    assert.equal(whole.usage?.serverToolUseDetails?.webSearchRequests, 1);
    const chat = await openrouter.chat.send({
      chatRequest: {
        model,
        messages: [{ role: "user", content: "News?" }],
        plugins: [{ id: "web" }],
        stream: false,
      },
    });
    assert("choices" in chat);
    assert.equal(String(chat.choices[0]?.message.content), CITING);
  },
);
