import assert from "node:assert/strict";
import type { ScoreFile } from "../../../../shared/routing/scores.ts";
import { pause } from "../../../../shared/util/pause.ts";
import { indexFamilies } from "./model_family.ts";
import { createScoreEvidence } from "./score_evidence.ts";
import { buildScoreTables, type ScoreInput } from "./score_tables.ts";

const file = (as_of: string, rows: ScoreFile["rows"]): ScoreFile => ({
  benchmark: "Bench",
  source: "bench.example",
  attribution: "Bench, CC0",
  licence: "CC0",
  as_of,
  rows,
});

const models = ["acme/m-1", "acme/m-2", "acme/n-1", "other/x-1"].map((id) => ({ id, created: 0 }));

const input = (changes: Partial<ScoreInput>): ScoreInput => ({
  files: [],
  operator: new Map(),
  models,
  inherit: indexFamilies(models),
  idOf: (name) => name,
  ...changes,
});

const at = (day: string): number => Date.parse(day);
const rows: ScoreFile["rows"] = [
  { name: "m-1-low", model: "acme/m-1", effort: "low", scores: { coding: 40, math: 10 } },
  { name: "m-1-high", model: "acme/m-1", effort: "high", scores: { coding: 60 } },
  { name: "lab/stray-high", model: null, effort: "high", scores: { coding: 70 } },
];

function tablesOf(changes: Partial<ScoreInput>, day: string) {
  const { byKind, until } = buildScoreTables(input(changes), at(day));
  const shown = [...byKind].map(([kind, tables]) => [
    kind,
    ...tables.map(({ scale, models }) => [scale, Object.fromEntries(models)]),
  ]);
  return { shown, until };
}

Deno.test("a table has the best effort of each model, its field, and what newer models inherit", () => {
  const { shown, until } = tablesOf({ files: [file("2026-07-01", rows)] }, "2026-11-26");
  assert.deepEqual(shown, [
    ["coding", ["Bench coding", {
      "acme/m-1": { value: 60 },
      "lab-stray": { value: 70 },
      "acme/m-2": { value: 60, inferredFrom: "acme/m-1" },
    }]],
    ["math", ["Bench math", {
      "acme/m-1": { value: 10 },
      "acme/m-2": { value: 10, inferredFrom: "acme/m-1" },
    }]],
  ]);
  assert.equal(until, at("2026-12-28"));
});

Deno.test("figures of the operator replace and add, say where they are from, and are inherited", () => {
  const operator = new Map([
    ["acme/m-1", { values: { coding: 90 }, source: "own", date: "2026-11-01" }],
    ["acme/n-1", { values: { coding: 5, tool_use: 7 }, source: "own", date: "2026-01-01" }],
  ]);
  const { shown } = tablesOf({ files: [file("2026-07-01", rows)], operator }, "2026-11-26");
  const cited = "own, 2026-11-01";
  const old = { isOld: true, cited: "own, 2026-01-01" };
  assert.deepEqual(shown[0], ["coding", ["Bench coding", {
    "acme/m-1": { value: 90, cited },
    "lab-stray": { value: 70 },
    "acme/n-1": { value: 5, ...old },
    "acme/m-2": { value: 90, cited, inferredFrom: "acme/m-1" },
  }]]);
  assert.deepEqual(shown[2], ["tool_use", ["tool_use", { "acme/n-1": { value: 7, ...old } }]]);
});

/** The evidence that an input makes by a clock. */
const evidenceBy = (scores: ScoreInput, now: () => number) =>
  createScoreEvidence(scores, { clock: { now, monotonic: () => 0 }, pause });

Deno.test("scores are old after 180 days, and the evidence stays the same value until one becomes so", async () => {
  const files = [file("2026-07-01", rows), file("2026-05-30", rows)];
  let now = at("2026-11-25T23:59:59.999Z");
  const evidence = await evidenceBy(input({ files }), () => now);
  const fresh = evidence();
  const old = () => fresh.scores.get("math")?.map(({ models }) => models.get("acme/m-1")?.isOld ?? false);
  assert.deepEqual(old(), [false, false]);
  assert.equal(evidence(), fresh);
  now = at("2026-11-26");
  const later = evidence();
  assert.notEqual(later, fresh);
  assert.deepEqual(later.scores.get("math")?.map(({ models }) => models.get("acme/m-1")), [
    { value: 10 },
    { value: 10, isOld: true },
  ]);
  now = at("2026-12-27");
  assert.equal(evidence(), later);
});

Deno.test("each task is ranked by the tables of one scale, and pareto by the one that knows most of the catalog", async () => {
  const narrow = file("2026-07-01", [{ name: "x", model: "other/x-1", scores: { coding: 1 } }]);
  const wide = file("2026-06-01", rows);
  const evidence = await evidenceBy(input({ files: [narrow, wide] }), () => at("2026-08-01"));
  const { scores, coding } = evidence();
  assert.deepEqual(scores.get("code:review")?.map(({ date }) => date), ["2026-07-01", "2026-06-01"]);
  assert.equal(scores.get("code:review"), scores.get("data:sql"));
  assert.deepEqual([scores.has("vision"), scores.has("summarization"), coding?.date], [
    false,
    false,
    "2026-06-01",
  ]);
});
