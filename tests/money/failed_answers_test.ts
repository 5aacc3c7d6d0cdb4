/**
 * Tests the cost of an answer that fails after some of it was made: on every wire, streamed and whole, wherever the
 * provider counts. The client gets what was made, and pays for it once.
 */

import assert from "node:assert/strict";
import { type MockedWire, upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { awsMessage } from "../support/aws_messages.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import {
  chatChunk,
  frame,
  messageItem,
  responseObject,
  says,
  type Script,
  scripted,
} from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { apiNames, call, framesOf, price, pricedAt, receiptOf, spentBy, usageIn } from "./rig.ts";

const INPUT = 100;
const OUTPUT = 200;
const prompt = " one".repeat(INPUT);
const text = " two".repeat(OUTPUT);
const DUE = INPUT * 1_000 + OUTPUT * 2_000;

type Frames = readonly (string | Uint8Array)[];

interface FailedAnswer {
  /** Frames of what was made, then of the failure. */
  readonly stream: readonly [made: Frames, failed: Frames];
  /** Absent where the wire has no whole answer that holds both. */
  readonly whole?: Json;
}

const error = { code: "server_error", message: "No." };
const named = (event: Json) => `event: ${event.type}\n${frame(event)}`;
const aws = (name: string, payload: Json) => awsMessage(name, JSON.stringify(payload));

const responsesUsage = { input_tokens: INPUT, output_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };
const chatUsage = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };
const geminiUsage = {
  promptTokenCount: INPUT,
  candidatesTokenCount: OUTPUT,
  totalTokenCount: INPUT + OUTPUT,
};
const bedrockUsage = { inputTokens: INPUT, outputTokens: OUTPUT, totalTokens: INPUT + OUTPUT };

const failedResponse = responseObject({
  status: "failed",
  output: [messageItem(text)],
  error,
  usage: responsesUsage,
});
const place = { item_id: "msg_up", output_index: 0, content_index: 0 };
const responsesMade = [
  frame({ type: "response.created", response: responseObject({ status: "in_progress", output: [] }) }),
  frame({ type: "response.output_item.added", output_index: 0, item: { ...messageItem(""), content: [] } }),
  frame({ type: "response.output_text.delta", ...place, delta: text }),
];
const inProgress = responseObject({ status: "in_progress", output: [], usage: responsesUsage });

const chatMade = [chatChunk({ delta: { role: "assistant", content: text } })];
const chatWhole = (changes: Json) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "error" }],
  usage: chatUsage,
  ...changes,
});

const messagesStart = {
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] },
};
const messagesMade = [
  named(messagesStart),
  named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
];
const messagesUsage = { input_tokens: INPUT, output_tokens: OUTPUT };
const messagesError = { type: "error", error: { type: "overloaded_error", message: "No." } };

const geminiCandidate = (more: Json) => ({
  candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...more }],
});
const geminiEnd = {
  candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: "OTHER" }],
};

const bedrockMade = [
  aws("messageStart", { role: "assistant" }),
  aws("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
];

const answers: { readonly [W in MockedWire]: Readonly<Record<string, FailedAnswer>> } = {
  responses: {
    "counts in its last word": {
      stream: [responsesMade, [frame({ type: "response.failed", response: failedResponse })]],
      whole: failedResponse,
    },
    "counts before it": {
      stream: [responsesMade, [
        frame({ type: "response.in_progress", response: inProgress }),
        frame({ type: "error", ...error }),
      ]],
    },
    "counts twice": {
      stream: [[...responsesMade, frame({ type: "response.in_progress", response: inProgress })], [
        frame({ type: "response.failed", response: failedResponse }),
      ]],
    },
  },
  chat: {
    "counts beside an error": {
      stream: [chatMade, [frame({ error, usage: chatUsage })]],
      whole: chatWhole({ error }),
    },
    "counts beside the reason": {
      stream: [chatMade, [chatChunk({ delta: {}, finish_reason: "error" }, chatUsage)]],
      whole: chatWhole({}),
    },
    "counts in an error event": {
      stream: [chatMade, [`event: error\n${frame({ error, usage: chatUsage })}`]],
    },
    "counts before an error": {
      stream: [[...chatMade, chatChunk(undefined, chatUsage)], [frame({ error })]],
    },
  },
  messages: {
    "counts before an error": {
      stream: [messagesMade, [
        named({ type: "message_delta", delta: {}, usage: messagesUsage }),
        named(messagesError),
      ]],
      whole: {
        ...messagesStart.message,
        content: [{ type: "text", text }],
        usage: messagesUsage,
        stop_reason: null,
        error: messagesError.error,
      },
    },
  },
  gemini: {
    "counts beside an error": {
      stream: [[frame(geminiCandidate({}))], [
        frame({ error: { code: 503, message: "No.", status: "UNAVAILABLE" }, usageMetadata: geminiUsage }),
      ]],
    },
    "counts beside the reason": {
      stream: [[frame(geminiCandidate({}))], [frame({ ...geminiEnd, usageMetadata: geminiUsage })]],
      whole: { ...geminiCandidate({ finishReason: "OTHER" }), usageMetadata: geminiUsage },
    },
  },
  bedrock: {
    "counts before an exception": {
      stream: [bedrockMade, [
        aws("metadata", { usage: bedrockUsage }),
        aws("internalServerException", { message: "No." }),
      ]],
    },
  },
};

const encoder = new TextEncoder();
const types = { bedrock: "application/vnd.amazon.eventstream", sse: "text/event-stream" };

function streamed(wire: MockedWire, chunks: readonly Frames[], goOn: Promise<void>): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const [at, frames] of chunks.entries()) {
        if (at > 0) await goOn;
        const all = frames.map((one) => typeof one === "string" ? encoder.encode(one) : one);
        controller.enqueue(Uint8Array.from(all.flatMap((one) => [...one])));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": wire === "bedrock" ? types.bedrock : types.sse } });
}

type Manner = "in two chunks" | "in one chunk" | "whole";

interface Run {
  readonly wire: MockedWire;
  readonly answer: FailedAnswer;
  readonly manner: Manner;
  readonly api: typeof apiNames[number];
}

async function run({ wire, answer: { stream, whole }, manner, api }: Run): Promise<void> {
  const { promise: read, resolve: goOn } = Promise.withResolvers<void>();
  const chunks = manner === "in one chunk" ? [stream.flat()] : stream;
  await using upstream = scripted(() =>
    manner === "whole" ? Response.json(whole) : streamed(wire, chunks, read)
  );
  const models = [{
    id: "mock/model",
    upstream_id: `${upstreams[wire].prefix}model`,
    max_output_tokens: 20_000,
    context_length: 200_000,
    pricing: price,
  }];
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire, models })] });
  const key = await gateway.addKey({ kind: "api", limit: 1 });
  const asked = call(gateway, { api, key, text: prompt, cap: 2_000, stream: manner !== "whole" });
  await until(() => upstream.requested.length === 1, { what: "that the provider is asked" });
  const response = await asked;
  goOn();
  const said = await response.text();
  assert.equal(response.status, 200, said);
  assert.match(said, /two two/);
  assert.match(said, /"error"/);
  const receipt = await receiptOf(gateway, response);
  assert.deepEqual([receipt.status, receipt.cost, receipt.estimated], ["failed", DUE, false]);
  assert.equal(await spentBy(gateway, key), DUE);
  // Anthropic's errors have no usage.
  if (manner !== "whole" && api === "messages") return;
  const frames = manner === "whole" ? [asObject(JSON.parse(said))] : framesOf(said);
  assert.equal(usageIn(frames).cost, DUE / 1e9);
}

for (const wire of upstreamWires) {
  for (const [name, answer] of Object.entries(answers[wire])) {
    for (const manner of ["in two chunks", "in one chunk", "whole"] as const) {
      if (manner === "whole" && answer.whole === undefined) continue;
      Deno.test(`an answer that fails after some output is paid once: ${name} (${wire}, ${manner})`, async () => {
        for (const api of apiNames) await run({ wire, answer, manner, api });
      });
    }
  }
}

Deno.test("a whole answer that fails after some output makes room for the next endpoint, and is free then", async () => {
  const failing: Script = () => Response.json(failedResponse);
  await using first = scripted(failing);
  await using second = scripted(says("responses", "one two three"));
  const models = [{ id: "mock/model", upstream_id: "m", max_output_tokens: 20_000, pricing: price }];
  await using gateway = await startGateway({
    providers: [
      providerAt(first.baseUrl, { models }),
      providerAt(second.baseUrl, { id: "second", name: "Second", models }),
    ],
  });
  const key = await gateway.addKey({ kind: "api", limit: 1 });
  const more = { provider: { order: ["mock", "second"] } };
  const response = await call(gateway, { key, text: prompt, more });
  const said = asObject(await response.json());
  assert.equal(said.status, "completed");
  assert.deepEqual([first.requested.length, second.requested.length], [1, 1]);
  assert.equal((await receiptOf(gateway, response)).cost, 7_000 + 3 * 2_000);
  assert.equal(await spentBy(gateway, key), 13_000);
});
