/** Files of scores and of market shares, by which routers rank models (docs/auto-routing.md). */

import * as z from "zod";
import { isTaskType, taskMacros } from "../task_types.ts";

/** Abilities with a scale of their own; a task is ranked by one of them. */
export const scoreKinds = [
  "general",
  "coding",
  "reasoning",
  "math",
  "language",
  "tool_use",
  "summaries",
] as const;
export type ScoreKind = (typeof scoreKinds)[number];

const day = z.iso.date("a day, such as 2026-07-01");
const percent = z.number().min(0).max(100);
const words = z.string().min(1).max(2_000);
const modelId = z.string().max(256).regex(/^[^\s/]+\/\S+$/, "a model id is author/slug, such as acme/llama");

const scoreRow = z.strictObject({
  /** As the source calls it. */
  name: z.string().min(1).max(256),
  /** Id of the catalog; null for a model that only fills the field of a scale. */
  model: modelId.nullable(),
  /** Part of the name that says with how much reasoning it was measured, or how it was asked. */
  effort: z.string().min(1).max(64).optional(),
  scores: z.partialRecord(z.enum(scoreKinds), percent),
});

/** Results of one benchmark on one day: what is comparable. */
export const scoreFileSchema = z.strictObject({
  /** `LiveBench 2026-06-25`; the scale of its coding figures is `LiveBench 2026-06-25 coding`. */
  benchmark: z.string().min(1).max(100),
  /** For people: where it is from. */
  source: words,
  /** Words to cite it by, and the licence under which it may be passed on. */
  attribution: words,
  licence: words,
  as_of: day,
  notice: words.optional(),
  rows: z.array(scoreRow).min(1).max(10_000),
});
/** One file, or several: of two releases of a benchmark, the one to prefer in front. */
export const scoreFilesSchema = z.preprocess(
  (json) => Array.isArray(json) ? json : [json],
  z.array(scoreFileSchema).min(1).max(32),
);
export type ScoreFile = z.output<typeof scoreFileSchema>;

/** Tags, or macros, of this product: a file that a source has filled may know others. */
const task = z.string().refine(
  (text) => isTaskType(text) || taskMacros.some((macro) => macro === text),
  "a task of docs/auto-routing.md, or code, data, agent or general",
);

export const marketFileSchema = z.strictObject({
  source: words,
  attribution: words,
  licence: words,
  as_of: day,
  /** By task, then by model: its part of what is done there, 0 to 1. */
  shares: z.record(task, z.record(modelId, z.number().min(0).max(1))),
});
export type MarketFile = z.output<typeof marketFileSchema>;
