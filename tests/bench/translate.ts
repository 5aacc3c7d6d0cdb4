/**
 * Translation alone, on one core and without sockets: chat bytes → Responses events, through the real parser,
 * the real machines and the real frames. A process of its own: prints deltas a second of each round as JSON.
 */

import { cpuUsage } from "node:process";
import type { ModelRequest } from "../../server/hub/request.ts";
import { chatOutbound } from "../../server/protocols/chat/outbound.ts";
import type { RenderContext } from "../../server/protocols/responses/inbound_context.ts";
import { renderEvents } from "../../server/protocols/responses/inbound_events.ts";
import { type ParsedRequest, parseRequest } from "../../server/protocols/responses/inbound_request.ts";
import { run } from "../../server/stream/source.ts";
import { sseSource } from "../../server/stream/sse.ts";

/** Deltas of one answer, and bytes of one piece: a full TCP segment. */
const DELTAS = 500;
const PIECE_BYTES = 1400;

const encoder = new TextEncoder();

function chatStream(): Uint8Array[] {
  const head = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1700000000, model: "bench" };
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const deltas = Array.from({ length: DELTAS }, (_, index) => chunk({ content: `word ${index} ` }));
  const text = chunk({ role: "assistant", content: "" }) + deltas.join("") + chunk({}, "stop") +
    "data: [DONE]\n\n";
  const bytes = encoder.encode(text);
  const pieces = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: pieces }, (_, at) => bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES));
}

function contextOf({ echo }: ParsedRequest): RenderContext {
  return {
    echo,
    responseId: "resp_bench",
    suffix: "bench",
    createdAt: 1700000000,
    model: () => "bench/chat",
    settle: () => ({ completedAt: 1700000001, extra: {}, usage: {} }),
    debugBodies: () => [],
    strictEvents: false,
    include: [],
  };
}

/** Translates one whole answer; returns how many deltas came out. */
async function translate(pieces: readonly Uint8Array[], parsed: ParsedRequest): Promise<number> {
  const request: ModelRequest = parsed.request;
  const left = pieces.values();
  const frames = sseSource(() => Promise.resolve(left.next().value), { maxEventBytes: 1 << 20 });
  const events = run(renderEvents(contextOf(parsed)), run(chatOutbound.parseEvents(request), frames));
  let deltas = 0;
  for (let batch = await events.pull(); batch !== undefined; batch = await events.pull()) {
    encoder.encode(batch.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    for (const { type } of batch) if (type === "response.output_text.delta") deltas++;
  }
  return deltas;
}

/** Deltas a second of processor time, which other load on the machine leaves as it is. */
async function deltasPerSecond(ms: number): Promise<number> {
  const pieces = chatStream();
  const parsed = parseRequest({ model: "bench/chat", input: "Hello", stream: true });
  const start = performance.now();
  const spent = cpuUsage();
  let deltas = 0;
  while (performance.now() - start < ms) {
    const came = await translate(pieces, parsed);
    if (came !== DELTAS) throw new Error(`Of ${DELTAS} deltas ${came} came out`);
    deltas += came;
  }
  const { user, system } = cpuUsage(spent);
  return deltas / (user + system) * 1e6;
}

if (import.meta.main) {
  const [rounds = 5, ms = 1000] = Deno.args.map(Number);
  await deltasPerSecond(ms);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) rates.push(await deltasPerSecond(ms));
  console.log(JSON.stringify(rates));
}
