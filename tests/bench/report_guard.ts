/** The table of content filters, and what its figures should be. */

import { type Aim, atMost } from "./aim.ts";
import type { GuardReport } from "./guard.ts";
import { number, render, show } from "./table.ts";

export function guardText(report: GuardReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { prose, code, wildcards, cpu, rate, failures, streams, lost, beside } = report;
  return [render([
    ["content filters", "figure"],
    ["100 KB of prose, all built-in ones, × plain patterns", show(prose.whole)],
    ["100 KB of code", show(code.whole)],
    ["prose in deltas", show(prose.deltas)],
    ["code in deltas", show(code.deltas)],
    ["CPU a request with 1 KB, × without a guardrail", show(cpu)],
    ["requests/s, × without", show(rate)],
    [`words lost in ${streams} streams, failed requests`, `${lost}, ${failures}`],
    ["1,024 wildcards, one of 500 models, the longest, ms", number(wildcards.longestMs)],
    ["the same again, µs", number(wildcards.againUs)],
    [`p99 gap of ${beside.streams} streams alone, ms`, show(beside.alone)],
    [`beside ${beside.chars} characters through ${beside.patterns} slow patterns`, show(beside.beside)],
    ["the slowest look at /healthz meanwhile, ms", show(beside.longestLook)],
    ["frames lost and streams failed", String(beside.lost)],
  ])];
}

export function guardAims(report: GuardReport | undefined): readonly Aim[] {
  if (report === undefined) return [];
  const { prose, code, wildcards, cpu, lost, beside } = report;
  const reading = (what: string, measured: number) =>
    atMost(2.5, { what: `${what}, × plain patterns`, measured });
  return [
    reading("filters over prose", prose.whole.median),
    reading("filters over code", code.whole.median),
    reading("filters over deltas of prose", prose.deltas.median),
    reading("filters over deltas of code", code.deltas.median),
    atMost(1.2, { what: "CPU of a request with filters, × without", measured: cpu.median }),
    atMost(2 * beside.alone.median + 20, {
      what: "p99 gap beside slow patterns, ms",
      measured: beside.beside.median,
    }),
    atMost(50, { what: "/healthz beside slow patterns, ms", measured: beside.longestLook.median }),
    atMost(0, { what: "words lost in streams with filters", measured: lost }),
    atMost(10, { what: "a pause for 1,024 wildcards, ms", measured: wildcards.longestMs }),
    atMost(20, { what: "1,024 wildcards once more, µs", measured: wildcards.againUs }),
  ];
}

export const guardFailures = (report: GuardReport | undefined): number =>
  (report?.failures ?? 0) + (report?.lost ?? 0) + (report?.beside.lost ?? 0);
