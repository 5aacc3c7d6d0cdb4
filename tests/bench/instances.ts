/**
 * `deno run -A --config tests/deno.json tests/bench/instances.ts [ROUNDS]`: in so many rounds (5), in turn, one gateway
 * on PostgreSQL and three that share a database, with as many connections in all. What counts is the processor time of
 * the gateways for a request, summed over all of them: the machine's cores are shared with the database and the load.
 */

import { startPostgres } from "../support/postgres.ts";
import { benchSettings, gatewayQuestion } from "./gateway.ts";
import { requestsResult } from "./job.ts";
import { cpuMs, load, type Server, startGateway, startServer } from "./process.ts";
import { paired, spread } from "./stats.ts";
import { number, render, show } from "./table.ts";

const ROUNDS = Number(Deno.args[0] ?? 5);
const CONNECTIONS = 48;
const HEAT_MS = 10_000;
const WARMUP_MS = 500;
const DURATION_MS = 2_000;
const AIM = 0.9;

/** Requests a second, microseconds of processor time a request. */
interface Slice {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly failures: number;
}

interface Side {
  readonly name: string;
  readonly servers: readonly Server[];
  readonly slices: Slice[];
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

const cpuOf = async (servers: readonly Server[]) =>
  sum(await Promise.all(servers.map(({ pid }) => cpuMs(pid))));

interface Stretch {
  readonly warmupMs: number;
  readonly durationMs: number;
}

/** Drives these gateways at once. */
async function drive(servers: readonly Server[], { warmupMs, durationMs }: Stretch): Promise<Slice> {
  const connections = CONNECTIONS / servers.length;
  const before = await cpuOf(servers);
  const outputs = await Promise.all(
    servers.map(({ port }) =>
      load({ kind: "requests", ...gatewayQuestion(port, "chat"), connections, warmupMs, durationMs })
    ),
  );
  const spentMs = await cpuOf(servers) - before;
  const results = outputs.map((output) => requestsResult.parse(output));
  // The load generators do not count their warm-ups, which cost the same.
  const served = sum(results.map(({ requests }) => requests)) * (warmupMs + durationMs) / durationMs;
  return {
    perSecond: sum(results.map(({ perSecond }) => perSecond)),
    cpuUs: spentMs * 1_000 / served,
    failures: sum(results.map(({ failures }) => failures)),
  };
}

await using stack = new AsyncDisposableStack();
const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-instances-" });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const postgres = await startPostgres({ fsync: true });
stack.defer(() => postgres.stop());
const upstream = await startServer("upstream.ts");
stack.defer(() => upstream.stop());

async function startSide(name: string, count: number): Promise<Side> {
  const store = await postgres.createDatabase();
  const servers: Server[] = [];
  for (let at = 0; at < count; at++) {
    const own = `${folder}/${count}-${at}`;
    await Deno.mkdir(own);
    const server = await startGateway({ ...await benchSettings(upstream.port, own), TOLLGATE_STORE: store });
    stack.defer(() => server.stop());
    servers.push(server);
  }
  return { name, servers, slices: [] };
}

const [one, three] = [await startSide("one gateway", 1), await startSide("three gateways", 3)];
// Each by itself: a gateway serves cheaply only when it has served long.
for (const server of [...one.servers, ...three.servers]) {
  await drive([server], { warmupMs: 0, durationMs: HEAT_MS });
}
for (let round = 0; round < ROUNDS; round++) {
  for (const side of [one, three]) {
    side.slices.push(await drive(side.servers, { warmupMs: WARMUP_MS, durationMs: DURATION_MS }));
  }
}

const cpu = ({ slices }: Side) => slices.map(({ cpuUs }) => cpuUs);
const ratio = paired(cpu(one), cpu(three), { combine: (alone, shared) => alone / shared });
console.log(render([
  [`${CONNECTIONS} connections, PostgreSQL`, "requests/s", "CPU µs a request", "failed"],
  ...[one, three].map((side) => [
    side.name,
    show(spread(side.slices.map(({ perSecond }) => perSecond))),
    show(spread(cpu(side))),
    `${sum(side.slices.map(({ failures }) => failures))}`,
  ]),
]));
console.log(
  `\nthree serve ${show(ratio)} × what one serves with the same processor time; ` +
    `at least ${number(AIM)}: ${ratio.median >= AIM}`,
);
