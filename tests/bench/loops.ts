/** A request whose model calls a server tool turn after turn, beside as many requests of one turn each. */

import { gatewayLoop, gatewayQuestion } from "./gateway.ts";
import { requestsResult, type Target } from "./job.ts";
import { load } from "./process.ts";
import type { Servers } from "./requests.ts";
import { paired, type Spread, spread } from "./stats.ts";

export interface LoopsPlan {
  readonly heatMs: number;
  /** Turns that call a tool; one more says the answer. */
  readonly steps: number;
  readonly repetitions: number;
  readonly durationMs: number;
}

/** Milliseconds at one connection, median of the requests of a repetition. */
export interface LoopsResult {
  readonly steps: number;
  readonly loop: Spread;
  /** As many requests as the loop has turns, one after another. */
  readonly singles: Spread;
  readonly ratio: Spread;
  readonly failures: number;
}

export async function measureLoops({ gateway: { port } }: Servers, plan: LoopsPlan): Promise<LoopsResult> {
  const { heatMs, steps, repetitions, durationMs } = plan;
  const drive = async (target: Target, ms: number) =>
    requestsResult.parse(
      await load({ kind: "requests", ...target, connections: 1, warmupMs: 0, durationMs: ms }),
    );
  const looping = { target: gatewayLoop(port, steps), ms: new Array<number>() };
  const single = { target: gatewayQuestion(port, "chat"), ms: new Array<number>() };
  let failures = 0;
  for (const { target } of [looping, single]) await drive(target, heatMs);
  for (let round = 0; round < repetitions; round++) {
    for (const { target, ms } of [looping, single]) {
      const result = await drive(target, durationMs);
      failures += result.failures;
      ms.push(result.p50 ?? NaN);
    }
  }
  const singles = single.ms.map((ms) => ms * (steps + 1));
  const ratio = paired(looping.ms, singles, { combine: (own, other) => own / other });
  return { steps, loop: spread(looping.ms), singles: spread(singles), ratio, failures };
}
