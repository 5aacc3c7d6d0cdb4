/**
 * `deno task bench [--quick] [--only requests|streams|translate|routing] [--out FILE]`: measures the gateway beside a
 * bare proxy and a passthrough of bytes, in one run on this machine, prints one table and writes the same as
 * JSON. Exit status 1 when a request failed or a frame was lost; a slow machine is no failure.
 */

import { parseArgs } from "node:util";
import { aimsOf } from "./aims.ts";
import { benchGateway } from "./gateway.ts";
import { routingResult, translateResult } from "./job.ts";
import { runScript, startServer } from "./process.ts";
import { type Report, reportText } from "./report.ts";
import { measureRequests, type RequestsPlan, type Servers } from "./requests.ts";
import { type Spread, spread } from "./stats.ts";
import { measureStreams, type StreamsPlan } from "./streams.ts";

interface Plan {
  readonly requests: readonly RequestsPlan[];
  readonly streams: readonly StreamsPlan[];
  readonly translate: { readonly rounds: number; readonly ms: number };
}

/** About four minutes. */
const full: Plan = {
  requests: [
    { connections: 1, repetitions: 5, warmupMs: 1000, durationMs: 2000 },
    { connections: 50, repetitions: 5, warmupMs: 1000, durationMs: 2000 },
  ],
  streams: [
    { streams: 300, everyMs: 20, deltas: 150, openMs: 500, repetitions: 3 },
    { streams: 1000, everyMs: 100, deltas: 60, openMs: 1500, repetitions: 3 },
  ],
  translate: { rounds: 5, ms: 1000 },
};

/** Half a minute: says whether everything still holds together. Too short for figures to be held against aims. */
const quick: Plan = {
  requests: [
    { connections: 1, repetitions: 1, warmupMs: 300, durationMs: 500 },
    { connections: 50, repetitions: 1, warmupMs: 300, durationMs: 500 },
  ],
  streams: [
    { streams: 60, everyMs: 20, deltas: 40, openMs: 200, repetitions: 1 },
    { streams: 200, everyMs: 100, deltas: 15, openMs: 400, repetitions: 1 },
  ],
  translate: { rounds: 2, ms: 300 },
};

const { values: options } = parseArgs({
  args: Deno.args,
  options: { quick: { type: "boolean" }, only: { type: "string" }, out: { type: "string" } },
});

const wants = (section: string) => options.only === undefined || options.only === section;

/** Runs `use` with the three servers, and stops them whatever happens. */
async function withServers<T>(use: (servers: Servers) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  const upstream = await startServer("upstream.ts");
  const bare = await startServer("bare.ts", [`http://127.0.0.1:${upstream.port}`]);
  try {
    const gateway = await benchGateway(upstream.port, folder);
    try {
      return await use({ upstream, bare, gateway });
    } finally {
      await gateway.stop();
    }
  } finally {
    await bare.stop();
    await upstream.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** All requests on the same three servers: they are warm, and stay warm. */
async function measureAllRequests({ requests }: Plan): Promise<Report["requests"]> {
  if (!wants("requests")) return [];
  return await withServers(async (servers) => {
    const rows = [];
    for (const plan of requests) rows.push(...await measureRequests(servers, plan));
    return rows;
  });
}

/** Each scenario on servers of its own, because memory once grown hides what the next streams need. */
async function measureAllStreams({ streams }: Plan): Promise<Report["streams"]> {
  const rows = [];
  for (const plan of wants("streams") ? streams : []) {
    rows.push(...await withServers((servers) => measureStreams(servers, plan)));
  }
  return rows;
}

async function measureTranslation({ translate: { rounds, ms } }: Plan): Promise<Spread> {
  if (!wants("translate")) return spread([]);
  return spread(translateResult.parse(await runScript("translate.ts", [`${rounds}`, `${ms}`])));
}

async function measureRouting(): Promise<Report["routing"]> {
  return wants("routing") ? routingResult.parse(await runScript("routing.ts", [])) : undefined;
}

const plan = options.quick ? quick : full;
const measured: Omit<Report, "aims"> = {
  at: new Date().toISOString(),
  deno: Deno.version.deno,
  cores: navigator.hardwareConcurrency,
  quick: options.quick ?? false,
  translate: await measureTranslation(plan),
  routing: await measureRouting(),
  requests: await measureAllRequests(plan),
  streams: await measureAllStreams(plan),
};
const report: Report = { ...measured, aims: measured.quick ? [] : aimsOf(measured) };

console.log(reportText(report));
const out = options.out ?? "data/bench.json";
await Deno.mkdir(out.slice(0, Math.max(0, out.lastIndexOf("/"))) || ".", { recursive: true });
await Deno.writeTextFile(out, JSON.stringify(report, null, 2) + "\n");
console.log(`\nWritten to ${out}`);

const wrong = report.requests.reduce((sum, { failures }) => sum + failures, 0) +
  report.streams.reduce((sum, { failures, lost }) => sum + failures + lost, 0);
if (wrong > 0) {
  console.error(`${wrong} requests failed or frames were lost`);
  Deno.exit(1);
}
