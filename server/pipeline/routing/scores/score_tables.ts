/** Score files and the operator's own figures → tables by which models are ranked. */

import { type ScoreFile, type ScoreKind, scoreKinds } from "../../../../shared/routing/scores.ts";
import { runNow, type Work } from "../../../../shared/util/run_work.ts";
import type { ModelScore, ScoreTable } from "../routers/evidence.ts";
import type { DatedModel, Inheritances } from "./model_family.ts";

/** Figures that the operator has set for one model. */
interface OperatorScores {
  readonly values: Readonly<Partial<Record<ScoreKind, number>>>;
  readonly source: string;
  /** `2026-11-01`. */
  readonly date: string;
}

export interface ScoreInput {
  /** Files, the preferred one of two releases of a benchmark in front. */
  readonly files: readonly ScoreFile[];
  /** By model id. They replace the files' figures and join each table of their kind. */
  readonly operator: ReadonlyMap<string, OperatorScores>;
  /** Models of the catalog, and what those of them inherit that a scale does not know. */
  readonly models: readonly DatedModel[];
  readonly inherit: Inheritances;
  /** The catalog's id of a model that a file names. */
  readonly idOf: (model: string) => string;
}

/** A score older than this ranks behind all younger ones. */
export const OLD_DAYS = 180;
const DAY_MS = 86_400_000;

/** When scores of a day become old, ms since the epoch. */
const oldFrom = (date: string): number => Date.parse(date) + OLD_DAYS * DAY_MS;

export interface ScoreTables {
  /** By kind; of several, those of the files in their order. No two of them are comparable. */
  readonly byKind: ReadonlyMap<ScoreKind, readonly ScoreTable[]>;
  /** From then on a score is old that is not yet, ms since the epoch; Infinity for never. */
  readonly until: number;
}

/** Builds them at once. `now`: ms since the epoch. */
export const buildScoreTables = (input: ScoreInput, now: number): ScoreTables =>
  runNow(scoreTablesWork(input, now));

/** Offers a pause behind each table. `now`: ms since the epoch. */
export function* scoreTablesWork(input: ScoreInput, now: number): Work<ScoreTables> {
  const byKind = new Map<ScoreKind, readonly ScoreTable[]>();
  for (const kind of scoreKinds) {
    const tables: ScoreTable[] = [];
    for (const file of input.files) {
      tables.push(...tableOf(input, { file, kind, now }));
      yield;
    }
    const own = tables.length > 0 ? undefined : ownTable(input, { kind, now });
    if (own !== undefined) tables.push(own);
    if (tables.length > 0) byKind.set(kind, tables);
  }
  const days = [
    ...input.files.map(({ as_of }) => as_of),
    ...[...input.operator.values()].map(({ date }) => date),
  ];
  return { byKind, until: Math.min(...days.map(oldFrom).filter((from) => from > now)) };
}

interface TableInput {
  readonly kind: ScoreKind;
  readonly now: number;
}

/** Makes none of a file without figures of the kind for any model of the catalog. */
function tableOf(
  input: ScoreInput,
  { file, kind, now }: TableInput & { readonly file: ScoreFile },
): readonly ScoreTable[] {
  const measured = bestOf(file, { kind, idOf: input.idOf });
  const { benchmark, attribution, as_of: date } = file;
  const isOld = oldFrom(date) <= now;
  const figures = new Map([...measured].map(([id, value]) => [id, scoreOf(value, isOld)]));
  const known = withInherited(input, figures);
  if (!input.models.some(({ id }) => known.has(id))) return [];
  const models = input.operator.size === 0
    ? known
    : withInherited(input, withOperators(figures, { input, kind, now }));
  return [{ scale: `${benchmark} ${kind}`, source: attribution, date, models }];
}

/** Where the files have no scale of the kind, the operator's figures are one. */
function ownTable(input: ScoreInput, { kind, now }: TableInput): ScoreTable | undefined {
  const figures = withOperators(new Map(), { input, kind, now });
  if (figures.size === 0) return undefined;
  const dates = [...input.operator.values()].filter(({ values }) => values[kind] !== undefined)
    .map(({ date }) => date);
  return {
    scale: kind,
    source: "the configuration file",
    date: dates.toSorted().at(-1) ?? "",
    models: withInherited(input, figures),
  };
}

const scoreOf = (value: number, isOld: boolean): ModelScore => isOld ? { value, isOld } : { value };

interface BestInput {
  readonly kind: ScoreKind;
  readonly idOf: (model: string) => string;
}

/**
 * The best figure of each model over its efforts, by its id in the catalog; a model that is not in the catalog by the
 * name in its source, which has no slash.
 */
function bestOf({ rows }: ScoreFile, { kind, idOf }: BestInput): ReadonlyMap<string, number> {
  const best = new Map<string, number>();
  for (const { name, model, effort, scores: { [kind]: value } } of rows) {
    if (value === undefined) continue;
    const id = model === null ? nameWithout(name, effort) : idOf(model);
    best.set(id, Math.max(value, best.get(id) ?? 0));
  }
  return best;
}

const nameWithout = (name: string, effort = ""): string =>
  (effort !== "" && name.endsWith(`-${effort}`) ? name.slice(0, -effort.length - 1) : name).replaceAll(
    "/",
    "-",
  );

type Figures = ReadonlyMap<string, ModelScore>;

function withOperators(
  figures: Figures,
  { input, kind, now }: TableInput & { readonly input: ScoreInput },
): Figures {
  const all = new Map(figures);
  for (const [model, { values: { [kind]: value }, source, date }] of input.operator) {
    if (value === undefined) continue;
    all.set(input.idOf(model), { ...scoreOf(value, oldFrom(date) <= now), cited: `${source}, ${date}` });
  }
  return all;
}

/** Adds the models that inherit: an older one's figure as a lower bound. */
function withInherited({ inherit }: ScoreInput, figures: Figures): Figures {
  const all = new Map(figures);
  const measured = new Set([...figures.keys()].filter((id) => id.includes("/")));
  for (const [model, inferredFrom] of inherit(measured)) {
    const figure = figures.get(inferredFrom);
    if (figure !== undefined) all.set(model, { ...figure, inferredFrom });
  }
  return all;
}
