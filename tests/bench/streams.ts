/** Streams: lost frames, lateness, processor time and memory a stream, beside a passthrough of bytes. */

import { gatewayStream, plainStream } from "./gateway.ts";
import { type StreamsResult, streamsResult, type Target } from "./job.ts";
import type { Preference } from "./marker.ts";
import { cpuMs, load, rssBytes, type Server } from "./process.ts";
import type { Servers } from "./requests.ts";
import { type Spread, spread } from "./stats.ts";

export interface StreamsPlan extends Preference {
  readonly streams: number;
  readonly openMs: number;
  readonly repetitions: number;
}

/** One row of the table. Lateness in milliseconds, processor time in µs a delta, memory in KiB a stream. */
export interface StreamsRow {
  readonly name: string;
  readonly streams: number;
  readonly everyMs: number;
  readonly deltas: number;
  readonly lost: number;
  readonly failures: number;
  readonly p50: Spread;
  readonly p99: Spread;
  readonly p99Whole: Spread;
  readonly cpuUs: Spread;
  readonly kibPerStream: Spread;
}

interface Run extends StreamsResult {
  readonly cpuUs: number;
  readonly kibPerStream: number;
}

interface Candidate {
  readonly name: string;
  readonly server: Server;
  readonly target: (preference: Preference) => Target;
  readonly runs: Run[];
}

function candidates({ upstream, bare, gateway }: Servers): Candidate[] {
  return [
    {
      name: "upstream, no proxy",
      server: upstream,
      target: (preference) => plainStream(upstream.port, preference),
      runs: [],
    },
    {
      name: "byte passthrough",
      server: bare,
      target: (preference) => plainStream(bare.port, preference),
      runs: [],
    },
    {
      name: "gateway, translated",
      server: gateway,
      target: (preference) => gatewayStream(gateway.port, preference),
      runs: [],
    },
  ];
}

async function runOnce({ server, target }: Candidate, plan: StreamsPlan): Promise<Run> {
  const { streams, deltas, openMs } = plan;
  const [cpuBefore, rssBefore] = [await cpuMs(server.pid), await rssBytes(server.pid)];
  let opened: Promise<number> = Promise.resolve(NaN);
  const job = { kind: "streams", ...target(plan), streams, deltas, openMs };
  const output = await load(job, () => opened = rssBytes(server.pid));
  const result = streamsResult.parse(output);
  const spentMs = await cpuMs(server.pid) - cpuBefore;
  return {
    ...result,
    cpuUs: spentMs * 1000 / result.deltas,
    kibPerStream: (await opened - rssBefore) / 1024 / streams,
  };
}

const known = (value: number | null) => value ?? NaN;

function row({ name, runs }: Candidate, { streams, everyMs }: StreamsPlan): StreamsRow {
  const total = (figure: (run: Run) => number) => runs.reduce((sum, run) => sum + figure(run), 0);
  return {
    name,
    streams,
    everyMs,
    deltas: total((run) => run.deltas),
    lost: total((run) => run.lost),
    failures: total((run) => run.failures),
    p50: spread(runs.map((run) => known(run.p50))),
    p99: spread(runs.map((run) => known(run.p99))),
    p99Whole: spread(runs.map((run) => known(run.p99Whole))),
    cpuUs: spread(runs.map((run) => run.cpuUs)),
    // Memory once grown is reused: only the first run opens streams on a process that has not held as many.
    kibPerStream: spread(runs.slice(0, 1).map((run) => run.kibPerStream)),
  };
}

/** Every candidate in turn, after a small run of each that warms it up. */
export async function measureStreams(servers: Servers, plan: StreamsPlan): Promise<StreamsRow[]> {
  const all = candidates(servers);
  const warmup = { ...plan, streams: Math.ceil(plan.streams / 20), deltas: 40, everyMs: 10 };
  for (const candidate of all) await runOnce(candidate, warmup);
  for (let round = 0; round < plan.repetitions; round++) {
    for (const candidate of all) candidate.runs.push(await runOnce(candidate, plan));
  }
  return all.map((candidate) => row(candidate, plan));
}
