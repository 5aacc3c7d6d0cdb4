/**
 * Translation alone, on one core and without sockets: a provider's bytes → Responses events, through the real
 * parser, the real machines and the real frames. A process of its own: `translate.ts <rounds> <ms> [wire]` prints
 * deltas a second of each round as JSON.
 */

import { cpuUsage } from "node:process";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import type { RenderContext } from "../../server/protocols/responses/inbound/render_context.ts";
import { renderEvents } from "../../server/protocols/responses/inbound/render_events.ts";
import {
  type ParsedResponsesRequest,
  parseRequest,
} from "../../server/protocols/responses/inbound/parse_request.ts";
import { decodeFrames } from "../../server/pipeline/stages/stream_framing.ts";
import { runMachine } from "../../server/protocols/stream/source.ts";
import { benchWires, DELTAS, wireChunks } from "./wire_streams.ts";

const encoder = new TextEncoder();

function contextOf({ echo }: ParsedResponsesRequest): RenderContext {
  return {
    echo,
    responseId: "resp_bench",
    suffix: "bench",
    createdAt: 1700000000,
    model: () => "bench/chat",
    completionInfo: () => ({ completedAt: 1700000001, extra: {}, usage: {} }),
    takeDebugBodies: () => [],
    strictEvents: false,
    include: [],
  };
}

interface Translating {
  readonly wire: WireId;
  readonly parsed: ParsedResponsesRequest;
}

/** Translates one whole answer; returns how many deltas came out. */
async function translate(chunks: readonly Uint8Array[], { wire, parsed }: Translating): Promise<number> {
  const { request } = parsed;
  const outbound = outboundFor(wire);
  const left = chunks.values();
  const frames = decodeFrames(outbound.framing ?? "sse", () => Promise.resolve(left.next().value), {
    maxEventBytes: 1 << 20,
  });
  const events = runMachine(
    renderEvents(contextOf(parsed)),
    runMachine(outbound.parseEvents(request), frames),
  );
  let deltas = 0;
  for (let batch = await events.pull(); batch !== undefined; batch = await events.pull()) {
    encoder.encode(batch.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    for (const { type } of batch) if (type === "response.output_text.delta") deltas++;
  }
  return deltas;
}

/** Deltas a second of processor time, which other load on the machine leaves as it is. */
async function deltasPerSecond(wire: WireId, ms: number): Promise<number> {
  const chunks = wireChunks(wire);
  const parsed = parseRequest({ model: "bench/chat", input: "Hello", stream: true });
  const start = performance.now();
  const spent = cpuUsage();
  let deltas = 0;
  while (performance.now() - start < ms) {
    const came = await translate(chunks, { wire, parsed });
    if (came !== DELTAS) throw new Error(`Of ${DELTAS} deltas ${came} came out`);
    deltas += came;
  }
  const { user, system } = cpuUsage(spent);
  return deltas / (user + system) * 1e6;
}

if (import.meta.main) {
  const [rounds = 5, ms = 1000] = Deno.args.slice(0, 2).map(Number);
  const wire = benchWires.find((name) => name === Deno.args[2]) ?? "chat";
  await deltasPerSecond(wire, ms);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) rates.push(await deltasPerSecond(wire, ms));
  console.log(JSON.stringify(rates));
}
