/**
 * `deno task bench [--quick] [--only SECTION] [--out FILE]`: measures the gateway beside a bare proxy and a
 * passthrough of bytes, in one run on this machine, prints one table and writes the same as JSON; with --quick two
 * sections at a time. Sections:
 * requests, loops, soak, tails, guard, ledger, keys, flood, streams, beside, health, containers, files, console, translate, prompt, routing. Exit status 1
 * when a request failed or a frame was lost; a slow machine is no failure.
 */

import { parseArgs } from "node:util";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { aimsOf } from "./aims.ts";
import { filesFailures } from "./aims_files.ts";
import { hasChromium } from "../console/support/find_chromium.ts";
import { measureBeside } from "./beside.ts";
import { measureConsole } from "./console.ts";
import { measureFiles } from "./files.ts";
import { measureFlood } from "./flood.ts";
import { benchGateway } from "./gateway.ts";
import { measureHealth } from "./health.ts";
import { commitsResult, roundsResult, routingResult } from "./job.ts";
import { measureGuard } from "./guard.ts";
import { guardFailures } from "./report_guard.ts";
import { measureKeys } from "./keys.ts";
import { runAtOnce } from "./works_at_once.ts";
import { measureLedger } from "./ledger.ts";
import { containersFailures, measureContainers } from "./containers.ts";
import { measureLoops } from "./loops.ts";
import { full, type Plan, quick } from "./plans.ts";
import { runScript, startServer } from "./process.ts";
import { type Report, reportText, type Wires } from "./report.ts";
import { measureRequests, type Servers } from "./requests.ts";
import { measureSoak } from "./soak.ts";
import { spread } from "./stats.ts";
import { measureStreams } from "./streams.ts";
import { measureTails } from "./tails.ts";
import { tailsLost } from "./report_tails.ts";
import { benchWires } from "./wire_streams.ts";

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

async function measureAllBeside({ beside }: Plan): Promise<Report["beside"]> {
  return wants("beside") ? await withServers((servers) => measureBeside(servers, beside)) : [];
}

async function measureAllHealth({ health }: Plan): Promise<Report["health"]> {
  return wants("health") ? await withServers((servers) => measureHealth(servers, health)) : undefined;
}

async function measureBooks({ ledger, commits }: Plan): Promise<Pick<Report, "ledger" | "commits">> {
  if (!wants("ledger")) return {};
  return {
    ledger: await withServers((servers) => measureLedger(servers, ledger)),
    commits: commitsResult.parse(
      await runScript("commits.ts", [`${commits.ms}`, `${commits.repetitions}`]),
    ),
  };
}

async function measureAllKeys({ keys }: Plan): Promise<Report["keys"]> {
  if (!wants("keys")) return undefined;
  const upstream = await startServer("upstream.ts");
  try {
    return await measureKeys(upstream.port, keys);
  } finally {
    await upstream.stop();
  }
}

async function measureAllFlood({ flood }: Plan): Promise<Report["flood"]> {
  return wants("flood") ? await withServers((servers) => measureFlood(servers, flood)) : undefined;
}

async function measureAllLoops({ loops }: Plan): Promise<Report["loops"]> {
  return wants("loops") ? await withServers((servers) => measureLoops(servers, loops)) : undefined;
}

async function measureFilters({ guard }: Plan): Promise<Report["guard"]> {
  return wants("guard") ? await withServers((servers) => measureGuard(servers, guard)) : undefined;
}

/** A figure of every wire, each from a process of its own. */
async function ofWires(script: string, argsFor: (wire: WireId) => readonly string[]): Promise<Wires> {
  const figures: Record<string, ReturnType<typeof spread>> = {};
  for (const wire of benchWires) {
    figures[wire] = spread(roundsResult.parse(await runScript(script, argsFor(wire))));
  }
  return figures;
}

const measureTranslation = async ({ translate: { rounds, ms } }: Plan) =>
  wants("translate") ? await ofWires("translate.ts", (wire) => [`${rounds}`, `${ms}`, wire]) : {};

const measurePrompts = async ({ prompt: { rounds } }: Plan) =>
  wants("prompt") ? await ofWires("prompt.ts", (wire) => [`${rounds}`, wire]) : {};

async function measureRouting({ routing }: Plan): Promise<Report["routing"]> {
  if (!wants("routing")) return undefined;
  return routingResult.parse(await runScript("routing.ts", [`${routing.rounds}`, `${routing.runs}`]));
}

const plan = options.quick ? quick : full;
/** A quick run's figures are held against nothing. Else nothing runs beside what is measured. */
const sectionsAtOnce = options.quick ? 2 : 1;
const { books, ...sections } = await runAtOnce({
  translateWires: () => measureTranslation(plan),
  prompt: () => measurePrompts(plan),
  routing: () => measureRouting(plan),
  requests: () => measureAllRequests(plan),
  loops: () => measureAllLoops(plan),
  soak: async () => wants("soak") ? await measureSoak(plan.soak) : undefined,
  tails: async () => wants("tails") ? await measureTails(plan.tails) : undefined,
  guard: () => measureFilters(plan),
  books: () => measureBooks(plan),
  keys: () => measureAllKeys(plan),
  flood: () => measureAllFlood(plan),
  streams: () => measureAllStreams(plan),
  beside: () => measureAllBeside(plan),
  health: () => measureAllHealth(plan),
  containers: async () => wants("containers") ? await measureContainers(plan.containers) : undefined,
  files: async () => wants("files") ? await measureFiles(plan.files) : undefined,
  console: async () =>
    wants("console") && hasChromium("Figures of the console")
      ? await measureConsole(plan.console)
      : undefined,
}, sectionsAtOnce);
const measured: Omit<Report, "aims"> = {
  at: new Date().toISOString(),
  deno: Deno.version.deno,
  cores: navigator.hardwareConcurrency,
  quick: options.quick ?? false,
  translate: sections.translateWires.chat ?? spread([]),
  ...sections,
  ...books,
};
const report: Report = { ...measured, aims: measured.quick ? [] : aimsOf(measured) };

console.log(reportText(report));
const out = options.out ?? "data/bench.json";
await Deno.mkdir(out.slice(0, Math.max(0, out.lastIndexOf("/"))) || ".", { recursive: true });
await Deno.writeTextFile(out, JSON.stringify(report, null, 2) + "\n");
console.log(`\nWritten to ${out}`);

const { requests, ledger = [], keys = [], flood, loops, streams, beside = [], files, console: pages } =
  report;
const answers = [...requests, ...ledger, ...keys].reduce((sum, { failures }) => sum + failures, 0);
const frames = [...streams, ...beside, ...(flood === undefined ? [] : [flood])]
  .reduce((sum, { failures, lost }) => sum + failures + lost, 0);
const wrong = answers + frames + (loops?.failures ?? 0) + filesFailures(files) + guardFailures(report.guard) +
  containersFailures(report.containers) + (report.health?.failures ?? 0) + (report.soak?.failures ?? 0) +
  (report.tails?.failures ?? 0) + tailsLost(report.tails) +
  (pages?.browsing.failures ?? 0);
if (wrong > 0) {
  console.error(`${wrong} requests failed or frames were lost`);
  Deno.exit(1);
}
