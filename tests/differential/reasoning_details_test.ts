/** Details of thoughts on Chat Completions, and Google's signatures of calls: what goes up is what came, in its place. */

import assert from "node:assert/strict";
import { apis } from "../golden/apis.ts";
import { wires } from "../golden/wires.ts";
import { endpointTraits } from "../support/requests.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { chatTurn, scripted } from "../support/scripted.ts";
import { upstreams } from "../mocks/upstreams.ts";
import { answerOf, type Client, clients } from "../property/replay/clients.ts";

const toolCall = (id: string, more: Json = {}): Json => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}" },
  ...more,
});

const text = (index: number, more: Json): Json => ({
  type: "reasoning.text",
  format: "anthropic-claude-v1",
  index,
  ...more,
});
const summary = (index: number, more: Json): Json => ({
  type: "reasoning.summary",
  format: "openai-responses-v1",
  index,
  ...more,
});
const encrypted = (index: number, more: Json): Json => ({
  type: "reasoning.encrypted",
  index,
  ...more,
});
const ofGemini = { format: "google-gemini-v1" };

/** Lists of details, and the thoughts that they are: their texts, or what seals them. */
const lists: readonly (readonly [what: string, details: readonly Json[], thoughts: readonly string[]])[] = [
  ["two thoughts of Anthropic's", [
    text(0, { text: "a", signature: "s1" }),
    text(1, { text: "b", signature: "s2" }),
  ], [
    "a",
    "b",
  ]],
  ["a thought and one that is hidden", [
    text(0, { text: "a", signature: "s1" }),
    encrypted(1, { data: "cipher", format: "anthropic-claude-v1" }),
  ], ["a", "cipher"]],
  ["thoughts that nobody signed", [text(0, { text: "a" }), text(1, { text: "b" }), text(2, { text: "c" })], [
    "a",
    "b",
    "c",
  ]],
  ["parts of one summary and its seal", [
    summary(0, { summary: "a", id: "rs_1" }),
    summary(1, { summary: "b", id: "rs_1" }),
    encrypted(2, { data: "e1", id: "rs_1", format: "openai-responses-v1" }),
    summary(3, { summary: "c", id: "rs_2" }),
    encrypted(4, { data: "e2", id: "rs_2", format: "openai-responses-v1" }),
  ], ["a b", "c"]],
  ["signatures of calls side by side", [
    encrypted(0, { data: "g1", ...ofGemini, id: "call_1" }),
    encrypted(1, { data: "g2", ...ofGemini, id: "call_2" }),
  ], ["g1", "g2"]],
  ["a thought in front and the signature of the second call", [
    text(0, { text: "a", signature: "s1" }),
    encrypted(1, { data: "g2", ...ofGemini, id: "call_2" }),
  ], ["a", "g2"]],
];

const request = (details: readonly Json[]): Json => ({
  model: "a/b",
  messages: [
    { role: "user", content: "Go" },
    {
      role: "assistant",
      content: "Sure.",
      reasoning_details: details,
      tool_calls: [toolCall("call_1"), toolCall("call_2")],
    },
    { role: "tool", tool_call_id: "call_1", content: "one" },
    { role: "tool", tool_call_id: "call_2", content: "two" },
  ],
  tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }],
});

for (const [what, details, thoughts] of lists) {
  Deno.test(`reasoning_details are one thought each and go up whole: ${what}`, () => {
    const parsed = apis.chat?.parse(request(details));
    assert(parsed);
    const items = parsed.input.flatMap((item) => item.type === "reasoning" ? [item] : []);
    const shown = items.map(({ content, summary, encrypted = "" }) =>
      [...content, ...summary].join(" ") || encrypted
    );
    assert.deepEqual(shown, thoughts);
    const { body } =
      wires.chat?.renderRequest(parsed, endpointTraits({ reasoningReplay: "reasoning_details" })) ??
        assert.fail();
    const [, assistant] = asList(body.messages).map(asObject);
    assert.deepEqual(assistant?.reasoning_details, details);
  });
}

Deno.test("a detail that names a call stands right before it", () => {
  const details = [
    encrypted(0, { data: "g1", ...ofGemini, id: "call_1" }),
    encrypted(1, { data: "g2", ...ofGemini, id: "call_2" }),
  ];
  const { input } = apis.chat?.parse(request(details)) ?? assert.fail();
  assert.deepEqual(input.map((item) => item.type === "call" ? item.callId : item.type), [
    "message",
    "message",
    "reasoning",
    "call_1",
    "reasoning",
    "call_2",
    "result",
    "result",
  ]);
});

const signed = (signature: string): Json => ({ extra_content: { google: { thought_signature: signature } } });

/** Two calls side by side, as Google's Chat Completions tells them: each has a signature of its own. */
const signedTurn = {
  content: null,
  tool_calls: [
    { index: 0, ...toolCall("call_1"), ...signed("c2lnMQ==") },
    { index: 1, ...toolCall("call_2"), ...signed("c2lnMg==") },
  ],
};

/** Gemini's own wire tells the same so. */
const geminiTurn = {
  candidates: [{
    content: {
      role: "model",
      parts: ["1", "2"].map((at) => ({
        functionCall: { id: `call_${at}`, name: "f", args: {} },
        thoughtSignature: btoa(`sig${at}`),
      })),
    },
    finishReason: "STOP",
  }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 9 },
};

interface Second {
  readonly wire: "chat" | "gemini";
  readonly client: Client;
  readonly stream: boolean;
  /** Picks the part of the answer that the client keeps. */
  readonly keep?: (answer: Json) => Json;
}

/** Returns the body that the provider gets in the second turn, and the first answer as the client has it. */
async function secondTurn({ wire, client, stream, keep = (answer) => answer }: Second) {
  await using upstream = scripted(({ body }) =>
    wire === "chat" ? chatTurn({ stream: body.stream }, signedTurn) : Response.json(geminiTurn)
  );
  const models = [{ ...mockModel, upstream_id: `${upstreams[wire].prefix}model` }];
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire, models })] });
  const ask = async (conversation: readonly Json[]) => {
    const tools = client.path === "chat/completions"
      ? [{ type: "function", function: { name: "f" } }]
      : client.path === "responses"
      ? [{ type: "function", name: "f" }]
      : [{ name: "f", input_schema: { type: "object" } }];
    const response = await fetch(`${gateway.url}/v1/${client.path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "mock/model", ...client.body(conversation), tools, stream }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return keep(answerOf(client, { text, stream }));
  };
  const answer = await ask(client.begin);
  await ask([...client.begin, ...client.next(answer)]);
  const sent = upstream.requested.at(-1);
  assert(sent);
  return { answer, sent: sent.body };
}

/** Keeps of the assistant's message what every client of OpenAI's keeps: not the details. */
function withoutDetails(answer: Json): Json {
  const choices = asList(answer.choices).map(asObject).map((choice) => {
    const { reasoning_details: _, ...message } = asObject(choice.message);
    return { ...choice, message };
  });
  return { ...answer, choices };
}

for (const [api, client] of Object.entries(clients)) {
  for (const stream of [false, true]) {
    Deno.test(`Google's signatures return to its Chat Completions (${api}, ${stream ? "streamed" : "whole"})`, async () => {
      const { sent } = await secondTurn({ wire: "chat", client, stream });
      const calls = asList(asObject(asList(sent.messages)[1]).tool_calls).map(asObject);
      assert.deepEqual(calls.map(({ extra_content }) => ({ extra_content })), [
        signed("c2lnMQ=="),
        signed("c2lnMg=="),
      ]);
    });
  }
}

for (const wire of ["chat", "gemini"] as const) {
  for (const stream of [false, true]) {
    Deno.test(`clients of chat have Google's signatures beside the calls (${wire}, ${stream ? "streamed" : "whole"})`, async () => {
      const { answer, sent } = await secondTurn({ wire, client: clients.chat, stream, keep: withoutDetails });
      const message = asObject(asObject(asList(answer.choices)[0]).message);
      assert.deepEqual(
        asList(message.tool_calls).map(asObject).map(({ extra_content }) => ({ extra_content })),
        [signed("c2lnMQ=="), signed("c2lnMg==")],
      );
      const json = JSON.stringify(sent);
      assert(json.indexOf("c2lnMQ==") < json.indexOf("c2lnMg=="), json);
      assert.equal(json.split("c2lnMQ==").length, 2);
    });
  }
}
