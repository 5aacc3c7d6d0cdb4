/** The whole way of an answer: a provider's bytes → model events → our stream, as the gateway wires them up. */

import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { chatOutbound } from "../../server/protocols/chat/outbound/mod.ts";
import { messagesOutbound } from "../../server/protocols/messages/outbound/mod.ts";
import { responsesInbound } from "../../server/protocols/responses/inbound/mod.ts";
import { renderEvents, renderResponse } from "../../server/protocols/responses/inbound/render_events.ts";
import { parseRequest } from "../../server/protocols/responses/inbound/parse_request.ts";
import { responsesOutbound } from "../../server/protocols/responses/outbound/mod.ts";
import type { Outbound } from "../../server/protocols/wire.ts";
import { runMachine, type Source } from "../../server/protocols/stream/source.ts";
import { type ReadBytes, sseSource } from "../../server/protocols/stream/sse.ts";
import { chunksOf, completionOf, frameOf as chatFrame } from "../mocks/chat_wire.ts";
import { eventFrame, messageEvents, messageOf } from "../mocks/messages_wire.ts";
import type { Plan } from "../mocks/plan.ts";
import { eventsOf, frameOf, resultOf } from "../mocks/responses_wire.ts";
import type { Json } from "../mocks/published.ts";
import { testContext } from "../support/render.ts";

/** Request of the client: enough for every kind of item to come back to it. */
export const requested = {
  model: "mock/model",
  input: "Hi",
  include: ["reasoning.encrypted_content" as const],
  tools: [
    { type: "function" as const, name: "f", parameters: {}, strict: false },
    { type: "function" as const, name: "g", parameters: {}, strict: false },
    { type: "custom" as const, name: "c" },
  ],
};

const { request } = parseRequest(requested);
const echo = { id: "resp_up", model: "m", tools: [], stamp: 1_764_000_000, includeUsage: true };

/** A wire with both forms of a plan's answer. */
export interface Wire {
  readonly events: (bytes: ReadBytes) => Source<ModelEvent>;
  readonly answer: (body: Json) => readonly ModelEvent[];
  readonly stream: (plan: Plan) => string;
  readonly whole: (plan: Plan) => Json;
}

function wireOf<State>(outbound: Outbound<State>, forms: Pick<Wire, "stream" | "whole">): Wire {
  const requested: ModelRequest = { ...request, stream: true };
  return {
    ...forms,
    events: (bytes) =>
      runMachine(outbound.parseEvents(requested), sseSource(bytes, { maxEventBytes: 1 << 20 })),
    answer: (body) => outbound.parseResponse(body, request),
  };
}

export const wires = {
  responses: wireOf(responsesOutbound, {
    stream: (plan) => eventsOf(plan, echo).map(frameOf).join(""),
    whole: (plan) => resultOf(plan, echo),
  }),
  chat: wireOf(chatOutbound, {
    stream: (plan) => `${chunksOf(plan, echo).map(chatFrame).join("")}data: [DONE]\n\n`,
    whole: (plan) => completionOf(plan, echo),
  }),
  messages: wireOf(messagesOutbound, {
    stream: (plan) => messageEvents(plan, echo).map(eventFrame).join(""),
    whole: (plan) => messageOf(plan, echo),
  }),
} satisfies Readonly<Record<string, Wire>>;

const encoder = new TextEncoder();

/** Bytes in chunks of these sizes, over and over. */
export function inChunks(bytes: Uint8Array, sizes: readonly number[]): ReadBytes {
  let at = 0;
  let turn = 0;
  return () => {
    if (at >= bytes.length) return Promise.resolve(undefined);
    const end = at + Math.max(1, sizes[turn++ % sizes.length] ?? 1);
    const chunk = bytes.subarray(at, end);
    at = end;
    return Promise.resolve(chunk);
  };
}

interface Arriving {
  readonly text: string;
  readonly sizes: readonly number[];
  /** Where the connection is cut, as a share of the bytes. */
  readonly cutAt?: number;
  /** The client is openai's `.stream()`. */
  readonly strictEvents?: boolean;
}

/** Our stream for a provider's, as text; `[DONE]` behind it. */
export async function translated(
  wire: Wire,
  { text, sizes, cutAt = 1, strictEvents = false }: Arriving,
): Promise<string> {
  const bytes = encoder.encode(text);
  const source = runMachine(
    renderEvents(testContext(requested, { strictEvents })),
    wire.events(inChunks(bytes.subarray(0, Math.floor(bytes.length * cutAt)), sizes)),
  );
  let out = "";
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    for (const event of batch) out += responsesInbound.frame(event);
  }
  return `${out}data: [DONE]\n\n`;
}

/** Our whole answer for a provider's. */
export const answered = (wire: Wire, body: Json): Json =>
  renderResponse(testContext(requested), wire.answer(JSON.parse(JSON.stringify(body))));
