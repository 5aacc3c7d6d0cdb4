/** Small streams and `/healthz` while long texts go through patterns made to be slow, in the same gateway. */

import { gatewayStream } from "./gateway.ts";
import { longestLook } from "./health.ts";
import { streamsResult, type Target } from "./job.ts";
import type { Preference } from "./marker.ts";
import { load } from "./process.ts";
import { type Spread, spread } from "./stats.ts";

export interface GuardBesidePlan extends Preference {
  readonly streams: number;
  readonly openMs: number;
  /** Characters of each text that is read beside them. */
  readonly chars: number;
  /** Texts at once. */
  readonly texts: number;
  readonly repetitions: number;
}

export interface GuardBesideReport {
  readonly patterns: number;
  readonly chars: number;
  readonly streams: number;
  readonly alone: Spread;
  readonly beside: Spread;
  /** Milliseconds that the slowest look at `/healthz` took beside the texts. */
  readonly longestLook: Spread;
  /** Frames that did not come, and streams that failed. */
  readonly lost: number;
}

/** Made to be slow, and accepted: 200 of them. */
export const slowPatterns: readonly string[] = Array.from({ length: 40 }, (_, n) => [
  `[a-z]{1,${900 + n}}\\d`,
  `a[ab]{${500 + n}}c`,
  `[ab]*a[ab]{${100 + n}}c`,
  `(?:[a-z]{1,${20 + n % 20}}){1,30}\\d${n}`,
  `(?:.*a){${3 + n}}x`,
]).flat();

const letters = (chars: number) =>
  Array.from({ length: chars }, (_, at) => "ab"[(at * 7 + (at >> 3) + (at >> 7)) & 1]).join("");

export interface BesideTarget {
  /** A request with a key whose guardrail has the patterns. */
  readonly guarded: Target;
  readonly port: number;
}

interface Run {
  readonly gapP99: number;
  readonly look: number;
  readonly lost: number;
}

/** Sends the text again and again until it is aborted; how it is answered does not matter. */
async function sendTexts({ port, path, headers, body }: Target, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const url = `http://127.0.0.1:${port}${path}`;
      const response = await fetch(url, { method: "POST", headers, body, signal });
      await response.body?.cancel();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function runOnce({ guarded, port }: BesideTarget, plan: GuardBesidePlan): Promise<Run> {
  const { streams, deltas, openMs, texts } = plan;
  const end = new AbortController();
  const sent = Array.from({ length: texts }, () => sendTexts(guarded, end.signal));
  const small = load({ kind: "streams", ...gatewayStream(port, plan), streams, deltas, openMs });
  const look = await longestLook(port, small);
  const { gapP99, lost, failures } = streamsResult.parse(await small);
  end.abort();
  await Promise.all(sent);
  return { gapP99: gapP99 ?? NaN, look, lost: lost + failures };
}

/** The streams by themselves, and beside the texts, in turn. */
export async function measureGuardBeside(
  target: BesideTarget,
  plan: GuardBesidePlan,
): Promise<GuardBesideReport> {
  const { guarded } = target;
  const body = JSON.stringify({ ...JSON.parse(guarded.body), input: letters(plan.chars) });
  const headers = { ...guarded.headers, "content-type": "application/json" };
  const slow = { ...target, guarded: { ...guarded, headers, body } };
  const alone: Run[] = [];
  const beside: Run[] = [];
  for (let round = 0; round < plan.repetitions; round++) {
    alone.push(await runOnce(slow, { ...plan, texts: 0 }));
    beside.push(await runOnce(slow, plan));
  }
  return {
    patterns: slowPatterns.length,
    chars: plan.chars,
    streams: plan.streams,
    alone: spread(alone.map(({ gapP99 }) => gapP99)),
    beside: spread(beside.map(({ gapP99 }) => gapP99)),
    longestLook: spread(beside.map(({ look }) => look)),
    lost: [...alone, ...beside].reduce((sum, { lost }) => sum + lost, 0),
  };
}
