/** Settings of the configuration file by which routers choose: `routing`, `auto` and `scores` (docs/auto-routing.md). */

import * as z from "zod";
import { namesFusion } from "../../../shared/fields/fusion.ts";
import {
  type MarketFile,
  marketFileSchema,
  type ScoreFile,
  scoreFilesSchema,
  type ScoreKind,
  scoreKinds,
} from "../../../shared/routing/scores.ts";
import { ConfigError } from "../config_error.ts";
import { modelOrAlias } from "../routing/model_ids.ts";
import { CLASSIFIER } from "../routing/named_models.ts";
import { strictObject } from "../strict_object.ts";

const isHttps = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.username === "" && url.password === "";
};

const path = z.string().min(1).max(4_096).refine(
  (text) => !/^[a-z][a-z0-9+.-]+:/i.test(text),
  'the path of a file; an https address needs its hash: {"url": "https://…", "sha256": "…"}',
);

const source = z.union([
  path,
  strictObject({
    url: z.string().max(4_096).refine(isHttps, "an https address without a user"),
    sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, "64 hex digits").transform((text) => text.toLowerCase()),
  }),
], { error: 'the path of a file, or {"url": "https://…", "sha256": "…"}' });

export const routingSchema = strictObject({
  /** Replaces the scores that ship. */
  scores: source.optional(),
  /** Shares of models by task. */
  market: source.optional(),
});

const modelId = z.string().max(256).regex(/^[^\s/]+\/\S+$/, "a model id is author/slug, such as acme/llama");

export const autoSchema = strictObject({
  /** The best first: they rank where neither receipts nor a market file nor scores say anything. */
  default_models: z.array(modelOrAlias).max(64).default([]),
  /** Tells the task of a request: `local`, or a model that is asked. */
  classifier: z.string().max(256).regex(/^\S+$/, CLASSIFIER).refine(
    (text) => !namesFusion(text),
    "a slug of fusion would ask a whole panel; name a model",
  ).default("local"),
});

const percent = z.number().min(0).max(100).optional();

export const scoresSchema = z.record(
  modelId,
  strictObject({
    general: percent,
    coding: percent,
    reasoning: percent,
    math: percent,
    language: percent,
    tool_use: percent,
    summaries: percent,
    source: z.string().min(1).max(200),
    date: z.iso.date("a day, such as 2026-11-01"),
  }).refine((row) => scoreKinds.some((kind) => row[kind] !== undefined), {
    error: `none of ${scoreKinds.join(", ")} is there`,
  }),
).default({});

type SourceRow = z.output<typeof source>;

/** Data that the operator names. */
export type RoutingFile<T> =
  | { readonly type: "file"; readonly path: string; readonly data: T }
  /** `sha256`: 64 hex digits in small letters. */
  | { readonly type: "address"; readonly url: string; readonly sha256: string };

interface RoutingSettings {
  readonly scores?: RoutingFile<readonly ScoreFile[]>;
  readonly market?: RoutingFile<MarketFile>;
}

interface AutoSettings {
  /** Ids and aliases, the best first. */
  readonly defaultModels: readonly string[];
  /** `local`, or the id or an alias of a model. */
  readonly classifier: string;
}

/** Figures of the operator for one model. */
interface OperatorScores {
  readonly values: Readonly<Partial<Record<ScoreKind, number>>>;
  /** Where they are from, for people. */
  readonly source: string;
  /** `2026-11-01`. */
  readonly date: string;
}

export interface RouterSettings {
  /** Data that routers rank by. */
  readonly routing: RoutingSettings;
  readonly auto: AutoSettings;
  /** By model id. */
  readonly scores: ReadonlyMap<string, OperatorScores>;
}

/** Where a file's text comes from: its whole path, and what stands there. Throws a ConfigError. */
type NamedFile = (setting: string, path: string) => { readonly path: string; readonly text: string };

interface RouterRows {
  readonly routing: z.output<typeof routingSchema>;
  readonly auto: z.output<typeof autoSchema>;
  readonly scores: z.output<typeof scoresSchema>;
}

/** Throws a ConfigError that names the setting and the place in its file. */
export function parseRouters({ routing, auto, scores }: RouterRows, named: NamedFile): RouterSettings {
  return {
    routing: {
      ...(routing.scores === undefined ? {} : { scores: sourceOf(routing.scores, { ...scoresData, named }) }),
      ...(routing.market === undefined ? {} : { market: sourceOf(routing.market, { ...marketData, named }) }),
    },
    auto: { defaultModels: auto.default_models, classifier: auto.classifier },
    scores: new Map(
      Object.entries(scores).map(([model, { source, date, ...values }]) => [model, { values, source, date }]),
    ),
  };
}

/** A setting, and the schema of the data that it names. */
interface DataSetting<T> {
  readonly setting: string;
  readonly schema: z.ZodType<T>;
}

export const scoresData: DataSetting<readonly ScoreFile[]> = {
  setting: "routing.scores",
  schema: scoreFilesSchema,
};
export const marketData: DataSetting<MarketFile> = { setting: "routing.market", schema: marketFileSchema };

function sourceOf<T>(
  row: SourceRow,
  { setting, schema, named }: DataSetting<T> & { readonly named: NamedFile },
): RoutingFile<T> {
  if (typeof row !== "string") return { type: "address", ...row };
  const { path, text } = named(setting, row);
  return { type: "file", path, data: parseRoutingData(text, { setting, schema, place: path }) };
}

/** The data in a text; `place` is where that is from. Throws a ConfigError. */
export function parseRoutingData<T>(
  text: string,
  { setting, schema, place }: DataSetting<T> & { readonly place: string },
): T {
  const was = `${setting} is ${JSON.stringify(place)}`;
  const { data, error } = schema.safeParse(parseJson(text, was));
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  const at = issue?.path.map(String).join(" → ") || "the file";
  const [inner] = issue?.code === "invalid_key" ? issue.issues : [];
  throw new ConfigError(`${was}, where ${at} is wrong: ${(inner ?? issue)?.message ?? ""}`);
}

function parseJson(text: string, was: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`${was}, which is not JSON: ${why}`, { cause });
  }
}
