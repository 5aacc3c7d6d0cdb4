/** Commands in containers: how soon they run, beside the start of a process that does nothing; and what others notice. */

import { childrenOf, descendantsOf } from "../support/processes.ts";
import { engines, runIn, type SandboxRig, sandboxRig } from "../support/sandbox.ts";
import { API_KEY, benchSettings, gatewayQuestion, gatewayStream } from "./gateway.ts";
import { requestsResult, streamsResult } from "./job.ts";
import type { Preference } from "./marker.ts";
import { load, type Server, shareBytes, startGateway, startServer } from "./process.ts";
import { paired, type Spread, spread } from "./stats.ts";

type Engine = typeof engines[number];

export interface ContainersPlan {
  /** Number of commands of each kind. */
  readonly commands: number;
  /** Endless loops at the same time. */
  readonly loops: number;
  readonly heatMs: number;
  readonly connections: number;
  readonly durationMs: number;
  readonly streams: Preference & { readonly count: number; readonly openMs: number };
  readonly repetitions: number;
  /** Containers that are open at the same time. */
  readonly open: number;
}

/** Figures of one engine, in milliseconds; medians of the commands. */
export interface ContainersReport {
  readonly engine: Engine;
  /** `deno eval ''`, the start of a process that does nothing, at the priority of containers. */
  readonly floor: Spread;
  readonly warm: Spread;
  readonly withSpare: Spread;
  readonly withoutSpare: Spread;
  readonly firstPython: Spread;
  readonly warmPython: Spread;
  /** Bytes of an open container that runs nothing; `virtual`: not measured. */
  readonly openBytes: number | undefined;
  /** Requests a second while loops run, over those without. */
  readonly besideLoops: Spread;
  readonly gapP99Alone: Spread;
  readonly gapP99BesideLoops: Spread;
  readonly lost: number;
  readonly failures: number;
}

type Figures = Pick<
  ContainersReport,
  "floor" | "warm" | "withSpare" | "withoutSpare" | "firstPython" | "warmPython"
>;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const emptyProcess = () =>
  new Deno.Command("nice", {
    args: ["-n", "19", Deno.execPath(), "eval", ""],
    stdout: "null",
    stderr: "null",
  })
    .output();

async function repeat(times: number, work: (at: number) => Promise<number>): Promise<Spread> {
  const all: number[] = [];
  for (let at = 0; at < times; at++) all.push(await work(at));
  return spread(all);
}

/** The first command of a new container. */
async function firstCommand(rig: SandboxRig, container: string): Promise<number> {
  return await timed(async () => {
    const process = await rig.open({ container });
    await runIn(process, "echo hi");
    process.release(undefined);
  });
}

async function measureCommands(engine: Engine, times: number): Promise<Figures> {
  await using rig = sandboxRig({ engine, processes: 4 });
  await using spares = sandboxRig({ engine, processes: 4, spare: true });
  const pause = () => new Promise((resolve) => setTimeout(resolve, 400));
  await firstCommand(spares, "warm-up");
  const process = await rig.open();
  await runIn(process, "echo hi");
  const firstPython = await timed(() => runIn(process, "python3 -c 'print(1)'", { timeoutMs: 60_000 }));
  const figures = {
    floor: await repeat(times, () => timed(emptyProcess)),
    warm: await repeat(times, () => timed(() => runIn(process, "echo hi"))),
    withSpare: await repeat(times, async (at) => {
      await pause();
      return await firstCommand(spares, `spare ${at}`);
    }),
    withoutSpare: await repeat(times, (at) => firstCommand(rig, `new ${at}`)),
    firstPython: spread([firstPython]),
    warmPython: await repeat(times, () => timed(() => runIn(process, "python3 -c 'print(1)'"))),
  };
  process.release(undefined);
  return figures;
}

/** Programs of an open container, and what keeps it in its namespaces. */
const RESTING = ["unshare --user", "env --ignore-signal", "cat"] as const;

/** Memory of one open container. Operators see the processes of `virtual`, which wait with all of Python in them. */
async function measureOpen(engine: Engine, count: number): Promise<number | undefined> {
  if (engine === "virtual") return undefined;
  await using rig = sandboxRig({ engine, processes: count });
  for (let at = 0; at < count; at++) await runIn(await rig.open({ container: `open ${at}` }), "echo hi");
  const [keeper] = await childrenOf([Deno.pid], "keeper/main.ts");
  const rows = keeper === undefined ? [] : await descendantsOf(keeper.pid, "");
  const resting = rows.filter(({ command }) => RESTING.some((program) => command.includes(program)));
  const bytes = await Promise.all(resting.map(({ pid }) => shareBytes(pid)));
  return bytes.reduce((sum, one) => sum + one, 0) / count;
}

/** Commands that run until they are left. */
function startLoops(port: number, count: number): () => Promise<void> {
  const leaving = new AbortController();
  const body = (at: number) =>
    JSON.stringify({
      model: "local/echo",
      input: 'Use the bash tool with: {"command": "while true; do :; done", "timeout_ms": 300000}',
      tools: [{ type: "service:bash", engine: "container" }],
      session_id: `loop ${at}`,
    });
  const running = Array.from({ length: count }, (_, at) =>
    fetch(`http://127.0.0.1:${port}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
      body: body(at),
      signal: leaving.signal,
    }).catch(() => {
      // It was left.
    }));
  return async () => {
    leaving.abort();
    await Promise.all(running);
  };
}

interface BesideRun {
  readonly perSecond: number;
  readonly gapP99: number;
  readonly lost: number;
  readonly failures: number;
}

async function runBeside({ port }: Server, plan: ContainersPlan): Promise<BesideRun> {
  const { connections, durationMs, streams: { count, ...streams } } = plan;
  const question = gatewayQuestion(port, "chat");
  const requested = requestsResult.parse(
    await load({ kind: "requests", ...question, connections, warmupMs: 300, durationMs }),
  );
  const read = streamsResult.parse(
    await load({ kind: "streams", ...gatewayStream(port, streams), ...streams, streams: count }),
  );
  return {
    perSecond: requested.perSecond,
    gapP99: read.gapP99 ?? NaN,
    lost: read.lost,
    failures: requested.failures + read.failures,
  };
}

async function measureBesideLoops(gateway: Server, plan: ContainersPlan) {
  const [alone, beside]: [BesideRun[], BesideRun[]] = [[], []];
  const question = gatewayQuestion(gateway.port, "chat");
  await load({
    kind: "requests",
    ...question,
    connections: plan.connections,
    warmupMs: 0,
    durationMs: plan.heatMs,
  });
  for (let round = 0; round < plan.repetitions; round++) {
    alone.push(await runBeside(gateway, plan));
    const end = startLoops(gateway.port, plan.loops);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    beside.push(await runBeside(gateway, plan));
    await end();
  }
  const rates = (runs: readonly BesideRun[]) => runs.map(({ perSecond }) => perSecond);
  const gaps = (runs: readonly BesideRun[]) => spread(runs.map(({ gapP99 }) => gapP99));
  const sum = (figure: (run: BesideRun) => number) =>
    [...alone, ...beside].reduce((total, run) => total + figure(run), 0);
  return {
    besideLoops: paired(rates(beside), rates(alone), { combine: (own, other) => own / other }),
    gapP99Alone: gaps(alone),
    gapP99BesideLoops: gaps(beside),
    lost: sum(({ lost }) => lost),
    failures: sum(({ failures }) => failures),
  };
}

export async function measureContainers(plan: ContainersPlan): Promise<readonly ContainersReport[]> {
  const reports: ContainersReport[] = [];
  for (const engine of engines) reports.push(await measureEngine(engine, plan));
  return reports;
}

async function measureEngine(engine: Engine, plan: ContainersPlan): Promise<ContainersReport> {
  const figures = await measureCommands(engine, plan.commands);
  const openBytes = await measureOpen(engine, plan.open);
  const folder = await Deno.makeTempDir();
  const upstream = await startServer("upstream.ts");
  try {
    const settings = await benchSettings(upstream.port, folder);
    const file = settings.TOLLGATE_CONFIG ?? "";
    const config: object = JSON.parse(await Deno.readTextFile(file));
    await Deno.writeTextFile(file, JSON.stringify({ ...config, sandbox: { processes: plan.loops } }));
    const gateway = await startGateway({ ...settings, TOLLGATE_SANDBOX: engine }, { keeper: true });
    try {
      return {
        engine: engine,
        ...figures,
        openBytes,
        ...await measureBesideLoops(gateway, plan),
      };
    } finally {
      await gateway.stop();
    }
  } finally {
    await upstream.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Requests that failed, and deltas that were lost. */
export const containersFailures = (reports: readonly ContainersReport[] = []): number =>
  reports.reduce((sum, { lost, failures }) => sum + lost + failures, 0);
