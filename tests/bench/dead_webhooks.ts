/**
 * `deno run -A --config tests/deno.json tests/bench/dead_webhooks.ts [ROUNDS]`: in so many rounds (25), in turn, requests
 * to a gateway that tells nobody, and to ones whose destination or webhook of alerts refuses connections, or takes them
 * and never answers. A second gateway that tells nobody says how much two of the same differ. Figures of one run can be
 * compared.
 */

import { benchSettings, gatewayQuestion, managed } from "./gateway.ts";
import { type Server, startGateway, startServer } from "./process.ts";
import { type Candidate, candidateOf, measure, ratios } from "./requests.ts";
import { freePort } from "../support/free_port.ts";
import { render, show } from "./table.ts";

const ROUNDS = Number(Deno.args[0] ?? 25);
const plan = { heatMs: 8_000, connections: 20, repetitions: ROUNDS, warmupMs: 200, durationMs: 700 };
const ALERTS = 50;
const DAY_MS = 86_400_000;
const SECRET = `whsec_${"B".repeat(40)}`;

await using stack = new AsyncDisposableStack();
const upstream = await startServer("upstream.ts");
stack.defer(() => upstream.stop());

/** Takes every connection, reads nothing and says nothing. */
function hangingPort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const taking = (async () => {
    for await (const conn of listener) held.push(conn);
  })();
  stack.defer(async () => {
    listener.close();
    for (const conn of held) conn.close();
    await taking;
  });
  return listener.addr.port;
}

const ports = { refuses: freePort(), hangs: hangingPort() } as const;
type Receiver = keyof typeof ports;

interface Receivers {
  readonly destination?: Receiver;
  readonly alerts?: Receiver;
}

const urlOf = (receiver: Receiver) => `http://127.0.0.1:${ports[receiver]}/hook`;

async function started({ destination, alerts }: Receivers): Promise<Server> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const env = await benchSettings(upstream.port, folder);
  const file = `${folder}/bench.jsonc`;
  const settings = {
    ...JSON.parse(await Deno.readTextFile(file)),
    fetch: { allowed_hosts: Object.values(ports).map((port) => `127.0.0.1:${port}`) },
    ...(alerts ? { alerts: { webhook: { url: urlOf(alerts), secret_env: "BENCH_ALERT_SECRET" } } } : {}),
  };
  await Deno.writeTextFile(file, JSON.stringify(settings));
  const gateway = await startGateway({ ...env, BENCH_ALERT_SECRET: SECRET });
  stack.defer(() => gateway.stop());
  if (destination !== undefined) {
    const body = { type: "webhook", name: destination, config: { url: urlOf(destination) } };
    await managed(gateway.port, { method: "POST", path: "/observability/destinations", body });
  }
  if (alerts !== undefined) await raiseAlerts(gateway);
  return gateway;
}

/** An alert for each of some keys that expire soon. */
async function raiseAlerts({ port }: Server): Promise<void> {
  const expires_at = new Date(Date.now() + DAY_MS).toISOString();
  for (let at = 0; at < ALERTS; at++) {
    await managed(port, { method: "POST", path: "/keys", body: { name: `key ${at}`, expires_at } });
  }
}

const named: readonly (readonly [name: string, receivers: Receivers])[] = [
  ["nobody is told", {}],
  ["nobody is told, again", {}],
  ["a destination refuses", { destination: "refuses" }],
  ["a destination hangs", { destination: "hangs" }],
  ["a webhook of alerts refuses", { alerts: "refuses" }],
  ["a webhook of alerts hangs", { alerts: "hangs" }],
];
const candidates: Candidate[] = [];
for (const [name, receivers] of named) {
  const server = await started(receivers);
  candidates.push(candidateOf({ name, server, target: gatewayQuestion(server.port, "chat") }));
}
await measure(candidates, plan);
const [first] = candidates;
if (first === undefined) throw new Error("Nothing was measured");
const rows = candidates.map((own) => {
  const { rate, cpu } = ratios({ own, with: first });
  const failures = own.slices.reduce((sum, one) => sum + one.failures, 0);
  return [own.name, show(rate), show(cpu), String(failures)];
});
console.log(`multiples of the first, median (smallest and largest) of ${ROUNDS} rounds`);
console.log(render([["webhooks", "requests/s", "CPU a request", "failed"], ...rows]));
