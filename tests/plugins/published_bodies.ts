/** Holds answers to the schemas that official clients publish: what they could not read fails. */

import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import {
  ChatResult$inboundSchema,
  ChatStreamChunk$inboundSchema,
  OpenResponsesResult$inboundSchema,
  StreamEvents$inboundSchema,
} from "@openrouter/sdk/models";
import { type Api, eventsOf, type Sent, wholeOf } from "../server_tools/rig.ts";

/** Fails where a body, or an event of a stream, is not as its API is published. */
export async function checkPublished(sent: Sent, { api, stream }: PublishedBody): Promise<void> {
  if (api === "messages") return await (stream ? readEvents(sent) : readMessage(sent));
  const schema = schemas[api][stream ? "event" : "whole"];
  for (const body of stream ? eventsOf(sent) : [wholeOf(sent)]) {
    const read = schema.safeParse(body);
    assert(read.success, `${JSON.stringify(read.error?.issues)}: ${JSON.stringify(body)}`);
    assert.doesNotMatch(JSON.stringify(read.data), /"isUnknown":true/, JSON.stringify(body));
  }
}

interface PublishedBody {
  readonly api: Api;
  readonly stream: boolean;
}

const schemas = {
  chat: { whole: ChatResult$inboundSchema, event: ChatStreamChunk$inboundSchema },
  responses: { whole: OpenResponsesResult$inboundSchema, event: StreamEvents$inboundSchema },
} as const;

/** Vercel's client of the Messages API has schemas of its own, and throws where they do not fit. */
const clientOf = ({ text, headers }: Sent) =>
  createAnthropic({ apiKey: "key", fetch: () => Promise.resolve(new Response(text, { headers })) })("model");

const options: Parameters<ReturnType<typeof clientOf>["doGenerate"]>[0] = {
  prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
};

async function readMessage(sent: Sent): Promise<void> {
  const { content } = await clientOf(sent).doGenerate(options);
  assert(content.length > 0, sent.text);
}

async function readEvents(sent: Sent): Promise<void> {
  const { stream } = await clientOf(sent).doStream(options);
  const types = new Set<string>();
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    types.add(part.type);
  }
  assert(types.has("finish"), sent.text);
}
