/** Arguments that are nested without end are counted as they were written: on every wire, streamed and whole alike. */

import assert from "node:assert/strict";
import { type MockedWire, upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { awsMessage } from "../support/aws_messages.ts";
import { type Json } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { chatChunk, frame, responseObject, scripted } from "../support/scripted.ts";
import { apiNames, call, price, pricedAt, receiptOf } from "./rig.ts";

const LEVELS = 3_000;
const args = `{"a":${"[".repeat(LEVELS)}"end"${"]".repeat(LEVELS)}}`;
/** No value is written so deep by `JSON.stringify`. */
const PLACE = "ARGUMENTS";
const written = (value: Json) => JSON.stringify(value).replace(`"${PLACE}"`, args);

const head = { id: "c1", call_id: "c1", name: "f" };
const item = { type: "function_call", ...head, id: "fc_1", status: "completed" };
const named = (event: Json) => `event: ${event.type}\n${frame(event)}`;
const geminiCall = (end: Json) =>
  written({
    candidates: [{
      index: 0,
      content: { role: "model", parts: [{ functionCall: { name: "f", args: PLACE } }] },
      ...end,
    }],
  });

interface Answer {
  readonly streamed: readonly (string | Uint8Array)[];
  readonly whole: string;
}

const answers: { readonly [W in MockedWire]: Answer } = {
  responses: {
    streamed: [
      frame({ type: "response.created", response: responseObject({ status: "in_progress", output: [] }) }),
      frame({ type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } }),
      frame({
        type: "response.function_call_arguments.delta",
        item_id: "fc_1",
        output_index: 0,
        delta: args,
      }),
      frame({ type: "response.output_item.done", output_index: 0, item: { ...item, arguments: args } }),
      frame({
        type: "response.completed",
        response: responseObject({ output: [{ ...item, arguments: args }] }),
      }),
    ],
    whole: written(responseObject({ output: [{ ...item, arguments: PLACE }] })),
  },
  chat: {
    streamed: [
      chatChunk({
        delta: {
          tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: args } }],
        },
      }),
      chatChunk({ delta: {}, finish_reason: "tool_calls" }),
      "data: [DONE]\n\n",
    ],
    whole: written({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{
        index: 0,
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: PLACE } }],
        },
        finish_reason: "tool_calls",
      }],
    }),
  },
  messages: {
    streamed: [
      named({
        type: "message_start",
        message: { id: "m1", type: "message", role: "assistant", model: "m", content: [] },
      }),
      named({
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "c1", name: "f", input: {} },
      }),
      named({
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: args },
      }),
      named({ type: "content_block_stop", index: 0 }),
      named({ type: "message_delta", delta: { stop_reason: "tool_use" } }),
      named({ type: "message_stop" }),
    ],
    whole: written({
      id: "m1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: "c1", name: "f", input: PLACE }],
      stop_reason: "tool_use",
    }),
  },
  gemini: {
    streamed: [`data: ${geminiCall({ finishReason: "STOP" })}\n\n`],
    whole: geminiCall({ finishReason: "STOP" }),
  },
  bedrock: {
    streamed: [
      awsMessage("messageStart", JSON.stringify({ role: "assistant" })),
      awsMessage(
        "contentBlockStart",
        JSON.stringify({ contentBlockIndex: 0, start: { toolUse: { toolUseId: "c1", name: "f" } } }),
      ),
      awsMessage(
        "contentBlockDelta",
        JSON.stringify({ contentBlockIndex: 0, delta: { toolUse: { input: args } } }),
      ),
      awsMessage("contentBlockStop", JSON.stringify({ contentBlockIndex: 0 })),
      awsMessage("messageStop", JSON.stringify({ stopReason: "tool_use" })),
      awsMessage("metadata", JSON.stringify({})),
    ],
    whole: written({
      output: {
        message: {
          role: "assistant",
          content: [{ toolUse: { toolUseId: "c1", name: "f", input: PLACE } }],
        },
      },
      stopReason: "tool_use",
    }),
  },
};

const encoder = new TextEncoder();

function responseOf(wire: MockedWire, stream: boolean): Response {
  const { streamed, whole } = answers[wire];
  if (!stream) return new Response(whole, { headers: { "content-type": "application/json" } });
  const bytes = streamed.flatMap((one) => [...(typeof one === "string" ? encoder.encode(one) : one)]);
  const type = wire === "bedrock" ? "application/vnd.amazon.eventstream" : "text/event-stream";
  return new Response(Uint8Array.from(bytes), { headers: { "content-type": type } });
}

const functionFor = {
  responses: { type: "function", name: "f", parameters: { type: "object" } },
  chat: { type: "function", function: { name: "f", parameters: { type: "object" } } },
  messages: { name: "f", input_schema: { type: "object" } },
};

for (const wire of upstreamWires) {
  Deno.test(`arguments nested ${LEVELS} levels deep are counted whole where the provider counts nothing (${wire})`, async () => {
    let stream = false;
    await using upstream = scripted(() => responseOf(wire, stream));
    const models = [{
      id: "mock/model",
      upstream_id: `${upstreams[wire].prefix}model`,
      max_output_tokens: 20_000,
      context_length: 200_000,
      pricing: price,
    }];
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire, models })] });
    const costs: number[] = [];
    for (const api of apiNames) {
      for (stream of [true, false]) {
        const more = { tools: [functionFor[api]] };
        const response = await call(gateway, { api, key: gateway.apiKey, stream, cap: 10_000, more });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.match(text, /\[\[\[.*end.*\]\]\]/, "what was written is given");
        const { cost, estimated } = await receiptOf(gateway, response);
        assert.equal(estimated, true);
        costs.push(cost);
      }
    }
    const [least, most] = [Math.min(...costs), Math.max(...costs)];
    // Sixteen characters a token are more than any tokenizer takes of brackets.
    assert.ok(least >= args.length / 16 * 2_000, `${costs} for ${args.length} characters`);
    assert.ok(most <= 1.05 * least, `${costs}`);
  });
}
