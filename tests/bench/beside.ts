/** Small streams while long prompts go through the same gateway: how far apart their deltas come. */

import { gatewayQuestion, gatewayStream } from "./gateway.ts";
import { requestsResult, streamsResult } from "./job.ts";
import type { Preference } from "./marker.ts";
import { load } from "./process.ts";
import type { Servers } from "./requests.ts";
import { type Spread, spread } from "./stats.ts";

export interface BesidePlan extends Preference {
  readonly streams: number;
  readonly openMs: number;
  /** Tokens of each of the prompts, which one connection sends. */
  readonly tokens: number;
  /** Milliseconds between two prompts: without, they would fill a core of this machine, and so would their sender. */
  readonly pauseMs: number;
  readonly repetitions: number;
}

/** One row of the table: milliseconds between a stream's deltas, prompts a second beside them. */
export interface BesideRow {
  readonly name: string;
  readonly streams: number;
  readonly everyMs: number;
  readonly tokens: number;
  readonly prompts: Spread;
  readonly gapP99: Spread;
  readonly lost: number;
  readonly failures: number;
}

interface Run {
  readonly prompts: number;
  readonly gapP99: number;
  readonly lost: number;
  readonly failures: number;
}

/** Runs the streams once; with 0 tokens: without prompts. */
async function runOnce({ gateway: { port } }: Servers, plan: BesidePlan): Promise<Run> {
  const { streams, deltas, everyMs, openMs, tokens, pauseMs } = plan;
  const small = load({ kind: "streams", ...gatewayStream(port, plan), streams, deltas, openMs });
  const long = tokens === 0 ? undefined : load({
    kind: "requests",
    ...gatewayQuestion(port, "chat"),
    tokens,
    pauseMs,
    connections: 1,
    warmupMs: 0,
    durationMs: openMs + deltas * everyMs,
  });
  const [reported, requested] = [streamsResult.parse(await small), await long];
  const requests = requested === undefined ? { perSecond: 0, failures: 0 } : requestsResult.parse(requested);
  return {
    prompts: requests.perSecond,
    gapP99: reported.gapP99 ?? NaN,
    lost: reported.lost,
    failures: reported.failures + requests.failures,
  };
}

/** The streams by themselves, and beside the prompts, in turn. */
export async function measureBeside(servers: Servers, plan: BesidePlan): Promise<BesideRow[]> {
  const { streams, everyMs, repetitions } = plan;
  const candidates = [
    { name: "small streams alone", tokens: 0, runs: new Array<Run>() },
    { name: "small streams beside prompts", tokens: plan.tokens, runs: new Array<Run>() },
  ];
  await runOnce(servers, { ...plan, streams: Math.ceil(streams / 10), deltas: 20 });
  for (let round = 0; round < repetitions; round++) {
    for (const { runs, tokens } of candidates) runs.push(await runOnce(servers, { ...plan, tokens }));
  }
  return candidates.map(({ name, tokens, runs }) => ({
    name,
    streams,
    everyMs,
    tokens,
    prompts: spread(runs.map((run) => run.prompts)),
    gapP99: spread(runs.map((run) => run.gapP99)),
    lost: runs.reduce((sum, run) => sum + run.lost, 0),
    failures: runs.reduce((sum, run) => sum + run.failures, 0),
  }));
}
