/** Content filters: what requests and streams pay for them, beside the same gateway without a guardrail. */

import * as z from "zod";
import { builtinSlugs } from "../../shared/guardrails.ts";
import { gatewayQuestion, gatewayStream, managed } from "./gateway.ts";
import {
  type GuardBesidePlan,
  type GuardBesideReport,
  measureGuardBeside,
  slowPatterns,
} from "./guard_beside.ts";
import type { Target } from "./job.ts";
import type { Preference } from "./marker.ts";
import { runScript } from "./process.ts";
import { candidateOf, measure, ratios, type RequestsPlan, type Servers } from "./requests.ts";
import type { Spread } from "./stats.ts";

export interface GuardPlan {
  readonly requests: RequestsPlan;
  readonly streams: Preference & { readonly count: number };
  readonly beside: GuardBesidePlan;
  /** Rounds of texts that are read in a process of their own. */
  readonly rounds: number;
}

const spreadSchema = z.object({ min: z.number(), median: z.number(), max: z.number() });
const textRatios = z.object({ whole: spreadSchema, deltas: spreadSchema });

/** Output of guard_texts.ts: multiples of plain patterns, ms and µs. */
const guardTextsResult = z.object({
  prose: textRatios,
  code: textRatios,
  wildcards: z.object({ longestMs: z.number(), againUs: z.number() }),
});

export interface GuardReport extends z.infer<typeof guardTextsResult> {
  /** Processor time for 1 KB of input, in multiples of requests without a guardrail. */
  readonly cpu: Spread;
  readonly rate: Spread;
  readonly failures: number;
  readonly streams: number;
  readonly lost: number;
  readonly beside: GuardBesideReport;
}

/** An ordinary letter, without anything that a filter looks for. */
const letter =
  "Thank you for the long letter about the harbour. We read it twice on Sunday, and our friends liked the part about " +
  "the boats most of all. When the weather turns in October, the ferry stops, so please come before that; the garden " +
  "is still green and the apples are ripe. I have asked the library for the two books you wanted, and they will hold " +
  "them until the end of the month. ";
const KILOBYTE = letter.repeat(3).slice(0, 1_024);

export async function measureGuard(
  { gateway: { port, ...server } }: Servers,
  plan: GuardPlan,
): Promise<GuardReport> {
  const key = await guardedKey(port, ordinary);
  const gateway = { ...server, port };
  const plain = candidateOf({
    name: "without",
    server: gateway,
    target: asking(gatewayQuestion(port, "chat")),
  });
  const guarded = candidateOf({
    name: "with",
    server: gateway,
    target: asking(gatewayQuestion(port, "chat", { key })),
  });
  await measure([plain, guarded], plan.requests);
  const { rate, cpu } = ratios({ own: guarded, with: plain });
  const failures = [...plain.slices, ...guarded.slices].reduce((sum, one) => sum + one.failures, 0);
  const { count } = plan.streams;
  const streamed = { ...gatewayStream(port, plan.streams), headers: { authorization: `Bearer ${key}` } };
  const lost = await Promise.all(Array.from({ length: count }, () => lostIn(streamed, plan.streams)));
  const texts = guardTextsResult.parse(await runScript("guard_texts.ts", [`${plan.rounds}`]));
  const slow = slowPatterns.map((pattern) => ({ pattern, action: "redact" }));
  const slowKey = await guardedKey(port, { name: "Slow", content_filters: slow });
  const target = { guarded: gatewayQuestion(port, "chat", { key: slowKey }), port };
  const beside = await measureGuardBeside(target, plan.beside);
  return {
    ...texts,
    cpu,
    rate,
    failures,
    streams: count,
    lost: lost.reduce((sum, one) => sum + one, 0),
    beside,
  };
}

const asking = (target: Target): Target => ({
  ...target,
  body: JSON.stringify({ ...JSON.parse(target.body), input: KILOBYTE }),
});

const keySchema = z.object({ key: z.string(), data: z.object({ hash: z.string() }) });
const guardrailSchema = z.object({ data: z.object({ id: z.string() }) });

const patterns = ["PRJ-\\d{5}", "INV-\\d{8}", "confidential", "[A-Z]{3}\\d{9}", "\\bacct:\\w{4,12}\\b"];

/** Every built-in filter and five patterns. */
const ordinary = {
  name: "Bench",
  content_filters: patterns.map((pattern) => ({ pattern, action: "redact" })),
  content_filter_builtins: builtinSlugs.map((slug) => ({ slug, action: "redact" })),
};

async function guardedKey(port: number, guardrail: Readonly<Record<string, unknown>>): Promise<string> {
  const made = await managed(port, { method: "POST", path: "/keys", body: { name: "Guarded" } });
  const { key, data: { hash } } = keySchema.parse(made);
  const { data: { id } } = guardrailSchema.parse(
    await managed(port, { method: "POST", path: "/guardrails", body: guardrail }),
  );
  await managed(port, {
    method: "POST",
    path: `/guardrails/${id}/assignments/keys`,
    body: { key_hashes: [hash] },
  });
  return key;
}

/** Words of a stream that did not come, whatever deltas they came in. */
async function lostIn({ port, path, headers, body }: Target, { deltas }: Preference): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  const text = await response.text();
  const words = text.matchAll(/"response\.output_text\.delta".*?"delta":"((?:[^"\\]|\\.)*)"/g);
  const answer = [...words].map(([, delta]) => delta).join("");
  return Math.abs(deltas - (answer.match(/~ word/g) ?? []).length);
}
