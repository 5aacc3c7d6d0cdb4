/** The console in a real browser, over a store with many keys and the receipts of requests that were really served. */

import { buildConsole } from "../console/support/built_console.ts";
import { type ConsoleJob, consoleResult, fillResult, requestsResult } from "./job.ts";
import { benchGateway, gatewayQuestion, managed, MANAGEMENT_KEY } from "./gateway.ts";
import { load, runScript, type Server, startServer } from "./process.ts";
import { type Spread, spread } from "./stats.ts";

export interface ConsolePlan {
  readonly keys: number;
  /** Seconds after which the store is taken as it is. */
  readonly fillSeconds: number;
  /** By which requests are sent for `receiptsMs`; each leaves a receipt. */
  readonly connections: number;
  readonly receiptsMs: number;
  readonly repetitions: number;
}

/** One row of the table. */
export interface ConsoleRow {
  readonly name: string;
  readonly ms: Spread;
  /** Requests below `/console/api` that it took. */
  readonly requests: Spread;
}

export interface ConsoleReport {
  readonly keys: number;
  readonly receipts: number;
  /** Of the requests that were to leave receipts. */
  readonly failures: number;
  readonly rows: readonly ConsoleRow[];
}

/** More than one page of the console's list in each group. */
const NAMED = 25;

/** Keys that can be told from the many: the last ones are what the list begins with. */
async function nameKeys({ port }: Server): Promise<void> {
  for (const group of ["research", "support"]) {
    for (let at = 1; at <= NAMED; at++) {
      await managed(port, { method: "POST", path: "/keys", body: { name: `${group}-${at}` } });
    }
  }
}

/** Sends requests with many keys in turn; returns how many were answered, and how many were not. */
async function leaveReceipts({ port }: Server, { keys, connections, receiptsMs }: ConsolePlan) {
  const job = {
    kind: "requests",
    ...gatewayQuestion(port, "chat"),
    keys: { type: "made", count: keys },
    connections,
    warmupMs: 0,
    durationMs: receiptsMs,
  };
  const { requests, failures } = requestsResult.parse(await load(job));
  return { receipts: requests - failures, failures };
}

async function measureIn(gateway: Server, plan: ConsolePlan): Promise<Omit<ConsoleReport, "keys">> {
  await nameKeys(gateway);
  const left = await leaveReceipts(gateway, plan);
  const { repetitions } = plan;
  const job: ConsoleJob = { port: gateway.port, managementKey: MANAGEMENT_KEY, repetitions };
  const args = [JSON.stringify(job)];
  const result = consoleResult.parse(await runScript("console_browser.ts", args, { allPermissions: true }));
  const rows = Object.entries(result).map(([name, { ms, requests }]) => ({
    name,
    ms: spread(ms),
    requests: spread(requests),
  }));
  return { ...left, rows };
}

/** Throws where the console cannot be built, or where there is no browser. */
export async function measureConsole(plan: ConsolePlan): Promise<ConsoleReport> {
  await buildConsole();
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  const servers: Server[] = [];
  try {
    const filled = await runScript("fill_keys.ts", [`${folder}/data`, `${plan.keys}`, `${plan.fillSeconds}`]);
    const { keys } = fillResult.parse(filled);
    const upstream = await startServer("upstream.ts");
    servers.push(upstream);
    const gateway = await benchGateway(upstream.port, folder);
    servers.push(gateway);
    return { keys: keys + 2 * NAMED, ...await measureIn(gateway, { ...plan, keys }) };
  } finally {
    for (const server of servers) await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
