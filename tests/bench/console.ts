/** The console in a real browser, over a store with many keys, receipts and files; and what browsing does to requests. */

import { buildConsole } from "../console/support/built_console.ts";
import {
  type BrowseJob,
  type ConsoleJob,
  consoleResult,
  fillReceiptsResult,
  fillResult,
  requestsResult,
} from "./job.ts";
import { benchGateway, fileHeaders, gatewayQuestion, managed, MANAGEMENT_KEY } from "./gateway.ts";
import { load, runScript, type Server, startServer } from "./process.ts";
import { paired, type Spread, spread } from "./stats.ts";

export interface ConsolePlan {
  readonly keys: number;
  readonly receipts: number;
  readonly files: number;
  /** Seconds after which keys, and then receipts, are taken as they are. */
  readonly fillSeconds: number;
  readonly repetitions: number;
  readonly browsing: {
    readonly sessions: number;
    /** Between two views of a session. */
    readonly pauseMs: number;
    readonly connections: number;
    readonly durationMs: number;
    readonly repetitions: number;
  };
}

/** One row of the table. */
export interface ConsoleRow {
  readonly name: string;
  readonly ms: Spread;
  /** Requests below `/console/api` that it took. */
  readonly requests: Spread;
}

/** Requests, each of which waits for the commit of its receipt, while nobody browses and while sessions do. */
export interface BrowsingRow {
  readonly alone: Spread;
  readonly browsed: Spread;
  readonly ratio: Spread;
  readonly failures: number;
}

export interface ConsoleReport {
  readonly keys: number;
  readonly receipts: number;
  readonly files: number;
  readonly rows: readonly ConsoleRow[];
  /** Milliseconds, p99. */
  readonly browsing: BrowsingRow;
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

async function uploadFiles({ port }: Server, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const body = new FormData();
    body.append("file", new File([`File number ${at}`], `file-${at}.txt`));
    const answer = await fetch(`http://127.0.0.1:${port}/v1/files`, {
      method: "POST",
      headers: fileHeaders,
      body,
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`Cannot upload a file: the answer was ${answer.status}`);
  }
}

async function measurePages(gateway: Server, repetitions: number): Promise<readonly ConsoleRow[]> {
  const job: ConsoleJob = { port: gateway.port, managementKey: MANAGEMENT_KEY, repetitions };
  const args = [JSON.stringify(job)];
  const result = consoleResult.parse(await runScript("console_browser.ts", args, { allPermissions: true }));
  return Object.entries(result).map(([name, { ms, requests }]) => ({
    name,
    ms: spread(ms),
    requests: spread(requests),
  }));
}

/** Alone and beside ten sessions in turn, so that both sides see the machine as it is. */
async function measureBrowsing({ port }: Server, plan: ConsolePlan["browsing"]): Promise<BrowsingRow> {
  const { sessions, pauseMs, connections, durationMs, repetitions } = plan;
  const alone: number[] = [];
  const browsed: number[] = [];
  let failures = 0;
  const p99 = async () => {
    const job = {
      kind: "requests",
      ...gatewayQuestion(port, "chat"),
      connections,
      warmupMs: 500,
      durationMs,
    };
    const result = requestsResult.parse(await load(job));
    failures += result.failures;
    return result.p99 ?? NaN;
  };
  const browse: BrowseJob = { port, managementKey: MANAGEMENT_KEY, sessions, pauseMs };
  for (let round = 0; round < repetitions; round++) {
    alone.push(await p99());
    const browsers = await startServer("browse.ts", [JSON.stringify(browse)]);
    try {
      browsed.push(await p99());
    } finally {
      await browsers.stop();
    }
  }
  const ratio = paired(browsed, alone, { combine: (with_, without) => with_ / without });
  return { alone: spread(alone), browsed: spread(browsed), ratio, failures };
}

async function fill(folder: string, { keys, receipts, fillSeconds }: ConsolePlan) {
  const [data, seconds] = [`${folder}/data`, `${fillSeconds}`];
  const filled = fillResult.parse(await runScript("fill_keys.ts", [data, `${keys}`, seconds]));
  const args = [data, `${receipts}`, `${filled.keys}`, seconds];
  const made = fillReceiptsResult.parse(await runScript("fill_receipts.ts", args));
  return { keys: filled.keys + 2 * NAMED, receipts: made.receipts };
}

/** Throws where the console cannot be built, or where there is no browser. */
export async function measureConsole(plan: ConsolePlan): Promise<ConsoleReport> {
  await buildConsole();
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  const servers: Server[] = [];
  try {
    const filled = await fill(folder, plan);
    const upstream = await startServer("upstream.ts");
    servers.push(upstream);
    const gateway = await benchGateway(upstream.port, folder);
    servers.push(gateway);
    await nameKeys(gateway);
    await uploadFiles(gateway, plan.files);
    const rows = await measurePages(gateway, plan.repetitions);
    return { ...filled, files: plan.files, rows, browsing: await measureBrowsing(gateway, plan.browsing) };
  } finally {
    for (const server of servers) await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
