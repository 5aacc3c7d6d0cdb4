/** Whole answers: requests a second and latency, the gateway beside the bare proxy, slice by slice in turn. */

import { type BenchWire, gatewayQuestion, plainQuestion } from "./gateway.ts";
import { type RequestsResult, requestsResult, type Target } from "./job.ts";
import { cpuMs, load, type Server } from "./process.ts";
import { paired, type Spread, spread } from "./stats.ts";

export interface Servers {
  readonly upstream: Server;
  readonly bare: Server;
  readonly gateway: Server;
}

export interface RequestsPlan {
  readonly connections: number;
  readonly repetitions: number;
  readonly warmupMs: number;
  readonly durationMs: number;
}

/** One row of the table. Milliseconds, requests a second, microseconds of processor time a request. */
export interface RequestsRow {
  readonly name: string;
  readonly connections: number;
  readonly perSecond: Spread;
  readonly ratio: Spread;
  readonly p50: Spread;
  readonly p99: Spread;
  readonly addedP50: Spread;
  readonly addedP99: Spread;
  readonly cpuUs: Spread;
  /** Processor time in multiples of the bare proxy's: the figure that other load on the machine moves least. */
  readonly cpuRatio: Spread;
  readonly failures: number;
}

interface Slice extends RequestsResult {
  readonly cpuUs: number;
}

interface Candidate {
  readonly name: string;
  readonly server: Server;
  readonly target: Target;
  readonly slices: Slice[];
}

function candidates({ upstream, bare, gateway }: Servers): Candidate[] {
  const wires: readonly BenchWire[] = ["responses", "chat"];
  return [
    { name: "upstream, no proxy", server: upstream, target: plainQuestion(upstream.port), slices: [] },
    { name: "bare proxy", server: bare, target: plainQuestion(bare.port), slices: [] },
    ...wires.map((wire) => ({
      name: `gateway, ${wire}`,
      server: gateway,
      target: gatewayQuestion(gateway.port, wire),
      slices: [],
    })),
  ];
}

async function slice({ server, target }: Candidate, plan: RequestsPlan): Promise<Slice> {
  const { connections, warmupMs, durationMs } = plan;
  const before = await cpuMs(server.pid);
  const job = { kind: "requests", ...target, connections, warmupMs, durationMs };
  const result = requestsResult.parse(await load(job));
  const spentMs = await cpuMs(server.pid) - before;
  // The warm-up's requests are not counted by the load generator; they cost the same as the others.
  const served = result.requests * (warmupMs + durationMs) / durationMs;
  return { ...result, cpuUs: spentMs * 1000 / served };
}

const known = (value: number | null) => value ?? NaN;

function row({ name, slices }: Candidate, { connections, bare }: { connections: number; bare: Candidate }) {
  const rate = (one: Slice) => one.perSecond;
  const p50 = (one: Slice) => known(one.p50);
  const p99 = (one: Slice) => known(one.p99);
  const cpu = (one: Slice) => one.cpuUs;
  const against = (figure: (one: Slice) => number, combine: (left: number, right: number) => number) =>
    paired(slices.map(figure), bare.slices.map(figure), { combine });
  return {
    name,
    connections,
    perSecond: spread(slices.map(rate)),
    ratio: against(rate, (own, theirs) => own / theirs),
    p50: spread(slices.map(p50)),
    p99: spread(slices.map(p99)),
    addedP50: against(p50, (own, theirs) => own - theirs),
    addedP99: against(p99, (own, theirs) => own - theirs),
    cpuUs: spread(slices.map(cpu)),
    cpuRatio: against(cpu, (own, theirs) => own / theirs),
    failures: slices.reduce((sum, one) => sum + one.failures, 0),
  };
}

/** Every candidate in turn, `repetitions` times, so that a machine that slows down slows all of them. */
export async function measureRequests(servers: Servers, plan: RequestsPlan): Promise<RequestsRow[]> {
  const all = candidates(servers);
  for (let round = 0; round < plan.repetitions; round++) {
    for (const candidate of all) candidate.slices.push(await slice(candidate, plan));
  }
  const bare = all.find(({ server }) => server === servers.bare);
  if (bare === undefined) throw new Error("There is no bare proxy to compare with");
  return all.map((candidate) => row(candidate, { connections: plan.connections, bare }));
}
