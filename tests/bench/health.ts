/** How long `/healthz` takes while the longest prompts are read, checked, rendered and sent, several at once. */

import { gatewayLongQuestion } from "./gateway.ts";
import { requestsResult } from "./job.ts";
import { load } from "./process.ts";
import type { Servers } from "./requests.ts";
import { type Spread, spread } from "./stats.ts";

export interface HealthPlan {
  readonly prompts: number;
  /** Tokens of each of the prompts. */
  readonly tokens: number;
  readonly durationMs: number;
  readonly repetitions: number;
}

/** One row of the table. */
export interface HealthRow {
  readonly prompts: number;
  readonly tokens: number;
  /** Milliseconds that the slowest look took. */
  readonly longest: Spread;
  readonly answered: number;
  readonly failures: number;
}

const EVERY_MS = 5;

/** Looks until `over` settles; returns how long the slowest look took. */
export async function longestLook(port: number, over: Promise<unknown>): Promise<number> {
  let goesOn = true;
  const end = () => goesOn = false;
  over.then(end, end);
  let longest = 0;
  while (goesOn) {
    const from = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
    await answer.body?.cancel();
    longest = Math.max(longest, performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return longest;
}

export async function measureHealth({ gateway: { port } }: Servers, plan: HealthPlan): Promise<HealthRow> {
  const { prompts, tokens, durationMs, repetitions } = plan;
  const longest: number[] = [];
  let [answered, failures] = [0, 0];
  for (let round = 0; round < repetitions; round++) {
    const job = {
      kind: "requests",
      ...gatewayLongQuestion(port),
      tokens,
      connections: prompts,
      warmupMs: 0,
      durationMs,
    };
    const sent = load(job);
    longest.push(await longestLook(port, sent));
    const result = requestsResult.parse(await sent);
    answered += result.requests;
    failures += result.failures;
  }
  return { prompts, tokens, longest: spread(longest), answered, failures };
}
