/**
 * `deno run -A --config tests/deno.json tests/bench/cache_hits.ts [TURNS]`: in so many turns (15) of 200 requests each,
 * one after the other, `GET /v1/key` and hits of the response cache, whole and streamed: of the gateway as it is, of one
 * whose store is in memory, and of one without a ledger. Every answer leaves behind its receipt, and `GET /v1/key` has
 * none: what lies between the first gateway and the last is the receipt. Figures of one run can be compared.
 */

import { API_KEY, benchGateway, benchSettings, type BenchWire } from "./gateway.ts";
import { HttpReader, renderPost, statusOf, writeAll } from "./http.ts";
import { cpuMs, type Server, startServer } from "./process.ts";
import { paired, percentile, sorted, type Spread, spread } from "./stats.ts";
import { number, render, show } from "./table.ts";
import type { Variant } from "./variant.ts";

const TURNS = Number(Deno.args[0] ?? 15);
const REQUESTS = 200;
/** Turns that are not counted: until the engine has compiled what they run. */
const HEAT = 15;

const kinds = ["GET /v1/key", "hit", "hit, streamed"] as const;
type Kind = (typeof kinds)[number];

const wire: BenchWire = "chat";
const host = "127.0.0.1";
const authorization = `Bearer ${API_KEY}`;

function question(stream: boolean): Uint8Array {
  const headers = { authorization, "x-openrouter-cache": "true", "x-openrouter-cache-ttl": "86400" };
  const body = JSON.stringify({ model: `bench/${wire}`, input: "Say hello.", stream });
  return renderPost({ host, path: "/v1/responses", headers, body });
}

const requests: { readonly [K in Kind]: Uint8Array } = {
  "GET /v1/key": new TextEncoder().encode(
    `GET /v1/key HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\n\r\n`,
  ),
  hit: question(false),
  "hit, streamed": question(true),
};

interface Gateway {
  readonly name: string;
  readonly server: Server;
  readonly conn: Deno.TcpConn;
  readonly reader: HttpReader;
  readonly turns: { readonly [K in Kind]: Turn[] };
}

/** One turn: milliseconds of its middle request, and microseconds of processor time a request. */
interface Turn {
  readonly p50: number;
  readonly cpuUs: number;
}

async function connected(name: string, server: Server): Promise<Gateway> {
  const conn = await Deno.connect({ hostname: host, port: server.port });
  conn.setNoDelay(true);
  const turns = { "GET /v1/key": [], hit: [], "hit, streamed": [] };
  return { name, server, conn, reader: new HttpReader(conn), turns };
}

interface Requested {
  readonly kind: Kind;
  /** Nothing is kept yet. */
  readonly isFirst?: boolean;
}

/** Milliseconds until the whole answer is there. Throws for one that is not what is measured. */
async function ask({ conn, reader, name }: Gateway, { kind, isFirst = false }: Requested): Promise<number> {
  const began = performance.now();
  await writeAll(conn, requests[kind]);
  const head = await reader.head();
  if (head === undefined) throw new Error(`${name} closed the connection`);
  let text = "";
  for await (const chunk of reader.chunks(head)) text += chunk;
  const took = performance.now() - began;
  const isWanted = kind === "GET /v1/key" || isFirst || /^x-openrouter-cache-status: HIT\r?$/im.test(head);
  if (statusOf(head) !== 200 || !isWanted) throw new Error(`${name}, ${kind}: ${head}\n${text}`);
  return took;
}

async function turnOf(gateway: Gateway, kind: Kind): Promise<Turn> {
  const times: number[] = [];
  const before = await cpuMs(gateway.server.pid);
  for (let at = 0; at < REQUESTS; at++) times.push(await ask(gateway, { kind }));
  const spentMs = await cpuMs(gateway.server.pid) - before;
  return { p50: percentile(sorted(times), 0.5), cpuUs: spentMs * 1_000 / REQUESTS };
}

const mean = (turns: readonly Turn[]) => turns.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / turns.length;

function ratio({ turns }: Gateway, kind: Kind): Spread {
  const times = (of: Kind) => turns[of].map(({ p50 }) => p50);
  return paired(times(kind), times("GET /v1/key"), { combine: (own, key) => own / key });
}

const rowsOf = (gateway: Gateway) =>
  kinds.map((kind) => [
    gateway.name,
    kind,
    show(spread(gateway.turns[kind].map(({ p50 }) => p50))),
    show(ratio(gateway, kind)),
    number(mean(gateway.turns[kind])),
  ]);

await using stack = new AsyncDisposableStack();
const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const started = (server: Server): Server => {
  stack.defer(() => server.stop());
  return server;
};
const upstream = started(await startServer("upstream.ts"));
const env = await benchSettings(upstream.port, folder);
const variant = async (ledger: Variant["ledger"]) =>
  started(await startServer("variant.ts", [JSON.stringify({ env, ledger } satisfies Variant)]));
const servers = [
  ["as it is", started(await benchGateway(upstream.port, folder))],
  ["store in memory", await variant("kept")],
  ["without a ledger", await variant("none")],
] as const;
// A connection that is not used ends after a while: none is opened before all have started.
const gateways = await Promise.all(servers.map(([name, server]) => connected(name, server)));
for (const gateway of gateways) {
  stack.defer(() => gateway.conn.close());
  for (const kind of kinds) await ask(gateway, { kind, isFirst: true });
}
for (let turn = -HEAT; turn < TURNS; turn++) {
  for (const gateway of gateways) {
    for (const kind of kinds) {
      const measured = await turnOf(gateway, kind);
      if (turn >= 0) gateway.turns[kind].push(measured);
    }
  }
}
console.log(`milliseconds, p50 of turns of ${REQUESTS}: median (smallest and largest) of ${TURNS} turns`);
console.log(
  render([["gateway", "request", "ms", "× GET /v1/key", "CPU µs"], ...gateways.flatMap(rowsOf)]),
);
