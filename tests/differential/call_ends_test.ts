/**
 * How an answer with a call ends, whatever its provider calls the end: some servers say that the turn is over although
 * they have called a tool.
 */

import assert from "node:assert/strict";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { chatInbound } from "../../server/protocols/chat/inbound/mod.ts";
import { messagesInbound } from "../../server/protocols/messages/inbound/mod.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import type { Json } from "../support/event_stream.ts";
import { modelRequest } from "../support/requests.ts";

/** Whole answers with one call that end as any other turn. */
const answers: Readonly<Record<string, { readonly wire: WireId; readonly body: Json }>> = {
  "end_turn on messages": {
    wire: "messages",
    body: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: "1", name: "read", input: {} }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  "end_turn on bedrock": {
    wire: "bedrock",
    body: {
      output: {
        message: { role: "assistant", content: [{ toolUse: { toolUseId: "1", name: "read", input: {} } }] },
      },
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    },
  },
  "stop on chat": {
    wire: "chat",
    body: {
      id: "c",
      choices: [{
        index: 0,
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "read", arguments: "{}" } }],
        },
        finish_reason: "stop",
      }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  },
  "STOP on gemini": {
    wire: "gemini",
    body: {
      candidates: [{
        content: { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
        finishReason: "STOP",
      }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  },
};

const context = {
  responseId: "r_1",
  suffix: "1",
  createdAt: 1,
  model: () => "m",
  completionInfo: () => ({ completedAt: 2, extra: {}, usage: {} }),
  takeDebugBodies: () => [],
  strictEvents: false,
  include: [],
};
const tools = [{ type: "function" as const, name: "read", parameters: {} }];

for (const [name, { wire, body }] of Object.entries(answers)) {
  Deno.test(`an answer with a call ends as one: ${name}`, () => {
    const events = outboundFor(wire).parseResponse(body, modelRequest({ tools }));
    const messages = { ...context, echo: { omitReasoning: false } };
    assert.equal(messagesInbound.renderResponse(messages, events).stop_reason, "tool_use");
    const chat = chatInbound.renderResponse({ ...context, echo: chatEcho() }, events);
    assert.match(JSON.stringify(chat), /"finish_reason":"tool_calls"/);
  });
}

const chatEcho = () =>
  chatInbound.parseRequest({ model: "m", messages: [{ role: "user", content: "Hi" }] }, {}).echo;
