/** A flood of keys that nobody has: how fast it is refused, and what it does to those who have one. */

import { gatewayQuestion, gatewayStream } from "./gateway.ts";
import { requestsResult, streamsResult } from "./job.ts";
import type { Preference } from "./marker.ts";
import { load } from "./process.ts";
import { candidateOf, measure, ratios, type RequestsPlan, type Servers } from "./requests.ts";
import { paired, type Spread, spread } from "./stats.ts";

export interface FloodPlan extends RequestsPlan {
  readonly streams: Preference & { readonly count: number; readonly openMs: number };
}

/** Requests a second; milliseconds between a stream's deltas. */
export interface FloodResult {
  readonly connections: number;
  readonly good: Spread;
  readonly bad: Spread;
  /** Bad over good. */
  readonly ratio: Spread;
  /** Processor time of a bad one over that of a good one. */
  readonly cpuRatio: Spread;
  readonly streams: number;
  readonly everyMs: number;
  readonly gapAlone: Spread;
  readonly gapBeside: Spread;
  readonly gapRatio: Spread;
  /** Bad keys a second while the streams ran. */
  readonly beside: Spread;
  readonly lost: number;
  readonly failures: number;
}

const nobody = { keys: { type: "nobody" }, status: 401 } as const;

interface Run {
  readonly gapP99: number;
  readonly lost: number;
  readonly failures: number;
  /** NaN without a flood. */
  readonly perSecond: number;
}

async function streamsOnce(
  { gateway: { port } }: Servers,
  plan: FloodPlan & { flood: boolean },
): Promise<Run> {
  const { count: streams, deltas, everyMs, openMs } = plan.streams;
  const read = load({ kind: "streams", ...gatewayStream(port, plan.streams), streams, deltas, openMs });
  const flood = !plan.flood ? undefined : load({
    kind: "requests",
    ...gatewayQuestion(port, "chat"),
    ...nobody,
    connections: plan.connections,
    warmupMs: 0,
    durationMs: openMs + deltas * everyMs,
  });
  const { gapP99, lost, failures } = streamsResult.parse(await read);
  const requested = flood === undefined ? undefined : requestsResult.parse(await flood);
  return {
    gapP99: gapP99 ?? NaN,
    lost,
    failures: failures + (requested?.failures ?? 0),
    perSecond: requested?.perSecond ?? NaN,
  };
}

async function besideStreams(servers: Servers, plan: FloodPlan) {
  const alone: Run[] = [];
  const beside: Run[] = [];
  for (let round = 0; round < plan.repetitions; round++) {
    alone.push(await streamsOnce(servers, { ...plan, flood: false }));
    beside.push(await streamsOnce(servers, { ...plan, flood: true }));
  }
  return { alone, beside };
}

/** Good and bad requests in turn, then the streams alone and beside the bad ones. */
export async function measureFlood(servers: Servers, plan: FloodPlan): Promise<FloodResult> {
  const { gateway: server } = servers;
  const target = gatewayQuestion(server.port, "chat");
  const good = candidateOf({ name: "good keys", server, target });
  const bad = candidateOf({ name: "bad keys", server, target, job: nobody });
  await measure([good, bad], plan);
  const { rate, cpu } = ratios({ own: bad, with: good });
  const { alone, beside } = await besideStreams(servers, plan);
  const gap = ({ gapP99 }: Run) => gapP99;
  const runs = [...alone, ...beside];
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    connections: plan.connections,
    good: spread(good.slices.map(({ perSecond }) => perSecond)),
    bad: spread(bad.slices.map(({ perSecond }) => perSecond)),
    ratio: rate,
    cpuRatio: cpu,
    streams: plan.streams.count,
    everyMs: plan.streams.everyMs,
    gapAlone: spread(alone.map(gap)),
    gapBeside: spread(beside.map(gap)),
    gapRatio: paired(beside.map(gap), alone.map(gap), { combine: (own, other) => own / other }),
    beside: spread(beside.map(({ perSecond }) => perSecond)),
    lost: sum(runs.map(({ lost }) => lost)),
    failures: sum([...good.slices, ...bad.slices, ...runs].map(({ failures }) => failures)),
  };
}
