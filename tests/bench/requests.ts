/** Whole answers: requests a second and latency, the gateway beside the bare proxy, slice by slice in turn. */

import { type BenchWire, gatewayQuestion, plainQuestion } from "./gateway.ts";
import { type RequestsJob, type RequestsResult, requestsResult, type Target } from "./job.ts";
import { cpuMs, load, type Server } from "./process.ts";
import { paired, type Spread, spread } from "./stats.ts";

export interface Servers {
  readonly upstream: Server;
  readonly bare: Server;
  readonly gateway: Server;
}

export interface RequestsPlan {
  /**
   * How long each candidate is driven before anything is measured: what serves for hours is meant, not what the
   * engine has not compiled yet.
   */
  readonly heatMs?: number;
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

/** A server under measurement, and what it was seen to do. */
export interface Candidate {
  readonly name: string;
  readonly server: Server;
  readonly target: Target;
  /** Fields of its job beside its target and the plan. */
  readonly job: Partial<RequestsJob>;
  readonly slices: Slice[];
}

export type Named = Omit<Candidate, "slices" | "job"> & Partial<Pick<Candidate, "job">>;

export const candidateOf = ({ job = {}, ...named }: Named): Candidate => ({ ...named, job, slices: [] });

function candidates({ upstream, bare, gateway }: Servers): readonly Candidate[] {
  const wires: readonly BenchWire[] = ["responses", "chat"];
  return [
    { name: "upstream, no proxy", server: upstream, target: plainQuestion(upstream.port) },
    { name: "bare proxy", server: bare, target: plainQuestion(bare.port) },
    ...wires.map((wire) => ({
      name: `gateway, ${wire}`,
      server: gateway,
      target: gatewayQuestion(gateway.port, wire),
    })),
  ].map(candidateOf);
}

async function slice({ server, target, job }: Candidate, plan: RequestsPlan): Promise<Slice> {
  const { connections, warmupMs, durationMs } = plan;
  const before = await cpuMs(server.pid);
  const result = requestsResult.parse(
    await load({ kind: "requests", ...target, ...job, connections, warmupMs, durationMs }),
  );
  const spentMs = await cpuMs(server.pid) - before;
  // The warm-up's requests are not counted by the load generator; they cost the same as the others.
  const served = result.requests * (warmupMs + durationMs) / durationMs;
  return { ...result, cpuUs: spentMs * 1000 / served };
}

const known = (value: number | null) => value ?? NaN;
const rate = (one: Slice) => one.perSecond;
const p50 = (one: Slice) => known(one.p50);
const p99 = (one: Slice) => known(one.p99);
const cpu = (one: Slice) => one.cpuUs;

const over = (own: number, theirs: number) => own / theirs;
const beyond = (own: number, theirs: number) => own - theirs;

interface Compared {
  readonly own: Candidate;
  readonly with: Candidate;
  readonly combine?: (own: number, theirs: number) => number;
}

function against({ own, with: other, combine = over }: Compared, figure: (one: Slice) => number): Spread {
  return paired(own.slices.map(figure), other.slices.map(figure), { combine });
}

/** Requests a second and processor time a request, in multiples of another candidate's. */
export function ratios(compared: Compared): { readonly rate: Spread; readonly cpu: Spread } {
  return { rate: against(compared, rate), cpu: against(compared, cpu) };
}

/** A candidate's row, beside the bare proxy's. */
export function rowOf(own: Candidate, { connections, bare }: { connections: number; bare: Candidate }) {
  const { name, slices } = own;
  const compared = { own, with: bare };
  return {
    name,
    connections,
    perSecond: spread(slices.map(rate)),
    ratio: against(compared, rate),
    p50: spread(slices.map(p50)),
    p99: spread(slices.map(p99)),
    addedP50: against({ ...compared, combine: beyond }, p50),
    addedP99: against({ ...compared, combine: beyond }, p99),
    cpuUs: spread(slices.map(cpu)),
    cpuRatio: against(compared, cpu),
    failures: slices.reduce((sum, one) => sum + one.failures, 0),
  };
}

/** Every candidate in turn, `repetitions` times, so that a machine that slows down slows all of them. */
export async function measure(all: readonly Candidate[], plan: RequestsPlan): Promise<void> {
  const { heatMs = 0, connections } = plan;
  // Some stand in several sets, and are warm after the first.
  const cold = all.filter(({ target }, at) => all.findIndex((other) => other.target === target) === at);
  for (const { target, job } of heatMs > 0 ? cold : []) {
    await load({ kind: "requests", ...target, ...job, connections, warmupMs: 0, durationMs: heatMs });
  }
  for (let round = 0; round < plan.repetitions; round++) {
    for (const candidate of all) candidate.slices.push(await slice(candidate, plan));
  }
}

export async function measureRequests(servers: Servers, plan: RequestsPlan): Promise<RequestsRow[]> {
  const all = candidates(servers);
  await measure(all, plan);
  const bare = all.find(({ server }) => server === servers.bare);
  if (bare === undefined) throw new Error("There is no bare proxy to compare with");
  return all.map((candidate) => rowOf(candidate, { connections: plan.connections, bare }));
}
