/** One streamed answer of every wire as its provider sends it, in chunks as a socket brings them. */

import type { WireId } from "../../server/protocols/canonical/item.ts";
import { messagesOf as bedrockMessages } from "../mocks/bedrock_wire.ts";
import { chunksOf as geminiChunks, frameOf as geminiFrame } from "../mocks/gemini_wire.ts";
import { eventFrame, messageEvents } from "../mocks/messages_wire.ts";
import type { Plan } from "../mocks/plan.ts";
import { eventsOf, frameOf } from "../mocks/responses_wire.ts";
import { eventStreamBytes } from "../support/aws_messages.ts";

/** Deltas of one answer, and bytes of one chunk: a full TCP segment. */
export const DELTAS = 500;
const PIECE_BYTES = 1400;

const WORD_CHARS = 9;
const words = Array.from({ length: DELTAS }, (_, at) => `word ${at} `.padEnd(WORD_CHARS, "."));
const plan: Plan = {
  items: [{ type: "text", text: words.join("") }],
  finish: "stop",
  counts: { input: 20, output: DELTAS, cached: 0, reasoning: 0 },
  pieces: [WORD_CHARS],
};

/** Leaner than the mock's, as most servers of this wire are; the figures of earlier runs were taken on it. */
function chatStream(): string {
  const head = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1700000000, model: "bench" };
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const deltas = Array.from({ length: DELTAS }, (_, index) => chunk({ content: `word ${index} ` }));
  return chunk({ role: "assistant", content: "" }) + deltas.join("") + chunk({}, "stop") + "data: [DONE]\n\n";
}

const streams = {
  responses: () =>
    eventsOf(plan, { id: "resp_bench", model: "bench", tools: [], stamp: 1_700_000_000 }).map(frameOf).join(
      "",
    ),
  chat: chatStream,
  messages: () => messageEvents(plan, { id: "msg_bench", model: "bench" }).map(eventFrame).join(""),
  gemini: () =>
    geminiChunks(plan, { id: "bench", model: "bench", showsThoughts: true }).map(geminiFrame).join(""),
  /** Written down as text; binary on the wire. */
  bedrock: () =>
    bedrockMessages(plan).map(([name, payload]) => `event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`)
      .join(""),
} as const satisfies { readonly [W in WireId]: () => string };

export const benchWires: readonly WireId[] = Object.keys(streams).filter((name): name is WireId =>
  name in streams
);

export function wireChunks(wire: WireId): Uint8Array[] {
  const text = streams[wire]();
  const bytes = wire === "bedrock" ? eventStreamBytes(text) : new TextEncoder().encode(text);
  const chunks = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: chunks }, (_, at) => bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES));
}
