/**
 * Measures the cost of a long prompt before it is sent on, on one core and without sockets: the client's text → the
 * canonical model's request → the provider's text. A process of its own: `prompt.ts <rounds> <wire>` prints
 * milliseconds of processor time of each round as JSON.
 */

import { cpuUsage } from "node:process";
import { parseJsonBody } from "../../server/api/body/parse_json.ts";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { parseRequest } from "../../server/protocols/responses/inbound/parse_request.ts";
import type { EndpointTraits } from "../../server/protocols/wire.ts";
import { longBody } from "./long_prompt.ts";
import { benchWires } from "./wire_streams.ts";

export const PROMPT_TOKENS = 100_000;

const endpoint: EndpointTraits = {
  upstreamModel: "bench",
  passKeys: [],
  omit: [],
  rename: {},
  developerRole: "developer",
  extraBody: {},
};

/** The length of what would go out, so that nothing of it can be left undone. */
function passOn(text: string, wire: WireId): number {
  const { request } = parseRequest(parseJsonBody(text));
  return new TextEncoder().encode(JSON.stringify(outboundFor(wire).renderRequest(request, endpoint).body))
    .length;
}

/** Runs of one round: processor time is counted in steps too coarse for one. */
const RUNS = 10;

function milliseconds(text: string, wire: WireId): number {
  const spent = cpuUsage();
  for (let run = 0; run < RUNS; run++) {
    if (passOn(text, wire) < text.length / 2) throw new Error(`The ${wire} wire lost most of the prompt`);
  }
  const { user, system } = cpuUsage(spent);
  return (user + system) / 1000 / RUNS;
}

if (import.meta.main) {
  const rounds = Number(Deno.args[0] ?? 5);
  const wire = benchWires.find((name) => name === Deno.args[1]) ?? "chat";
  const text = longBody("bench/chat", PROMPT_TOKENS);
  milliseconds(text, wire);
  console.log(JSON.stringify(Array.from({ length: rounds }, () => milliseconds(text, wire))));
}
