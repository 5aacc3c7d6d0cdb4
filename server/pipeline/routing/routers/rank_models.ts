/** Ranks models for a task by the first source of evidence that knows enough (docs/auto-routing.md). */

import { macroOf, type TaskMacro, type TaskType } from "../../../../shared/task_types.ts";
import type { Evidence, EvidenceSource, ModelScore, ScoreTable } from "./evidence.ts";

/** Requests, and keys that made them, from which on receipts say something of a task. */
export const FEWEST_VOTES = 20;
export const FEWEST_KEYS = 3;

interface RankedModel {
  readonly model: string;
  /** The figure that ranks it, in the unit of its source; undefined for a model that the source does not know. */
  readonly figure?: number;
  readonly inferredFrom?: string;
  /** See ModelScore. */
  readonly isOld?: boolean;
  /** Where this one figure is from, where that is not what the ranking says. */
  readonly cited?: string;
}

export interface Ranking {
  readonly source: EvidenceSource;
  /** The task, or the macro where evidence for the task is too thin; absent where the source knows no tasks. */
  readonly task?: TaskType | TaskMacro;
  /** Where the figures are from and of which day, for people. */
  readonly cited?: string;
  /** All of them, the best first. */
  readonly models: readonly RankedModel[];
}

interface Candidate {
  readonly model: string;
  /** USD of a usual request; Infinity where no price is known. */
  readonly cost: number;
}

interface RankInput {
  readonly task: TaskType | undefined;
  readonly candidates: readonly Candidate[];
}

/** Models that the source does not know come last, the cheapest first. An unknown task leaves out the sources by task. */
export function rankModels(
  evidence: Evidence,
  { task, candidates }: RankInput,
): Ranking {
  for (const figures of figuresOf(evidence, { task, candidates })) {
    if (!candidates.some(({ model }) => figures.byModel.has(model))) continue;
    const { source, task: scope, cited, byModel } = figures;
    return { source, task: scope, cited, models: inOrder(candidates, { byModel, cited }) };
  }
  return { source: "price", models: inOrder(candidates, { byModel: new Map() }) };
}

interface Figure extends ModelScore {
  /** Place of its table among those of the task; absent: the first. */
  readonly table?: number;
}

interface Figures extends Omit<Ranking, "models"> {
  readonly byModel: ReadonlyMap<string, Figure>;
}

function* figuresOf(evidence: Evidence, { task, candidates }: RankInput): Iterable<Figures> {
  const scopes = task === undefined ? [] : [...new Set([task, macroOf(task)])];
  for (const scope of scopes) {
    const receipts = evidence.receipts.get(scope);
    if (receipts === undefined || receipts.votes < FEWEST_VOTES || receipts.keys < FEWEST_KEYS) continue;
    const byModel = new Map([...receipts.models].map(([model, { share }]) => [model, { value: share }]));
    yield { source: "receipts", task: scope, byModel };
  }
  const { market } = evidence;
  for (const scope of scopes) {
    const shares = market?.shares.get(scope);
    if (market === undefined || shares === undefined) continue;
    const byModel = new Map([...shares].map(([model, value]) => [model, { value }]));
    yield { source: "market", task: scope, cited: `${market.source}, ${market.date}`, byModel };
  }
  const tables = task === undefined ? undefined : evidence.scores.get(task);
  const first = tables?.find(({ models }) => candidates.some(({ model }) => models.has(model)));
  if (tables !== undefined && first !== undefined) {
    yield { source: "scores", task, cited: citeTable(first), byModel: figuresIn(tables) };
  }
  const { defaultModels } = evidence;
  const byModel = new Map(defaultModels.map((model, at) => [model, { value: defaultModels.length - at }]));
  yield { source: "default_models", byModel };
}

const citeTable = ({ scale, source, date }: ScoreTable): string => `${scale}, ${source}, ${date}`;

/** The same tables stand for every request until a score becomes old. */
const joined = new WeakMap<readonly ScoreTable[], ReadonlyMap<string, Figure>>();

/** The figure of each model in the first table that has it: none of two tables are compared. */
function figuresIn(tables: readonly ScoreTable[]): ReadonlyMap<string, Figure> {
  const known = joined.get(tables);
  if (known !== undefined) return known;
  const figures = new Map<string, Figure>();
  for (const [at, table] of tables.entries()) {
    for (const [model, score] of table.models) {
      if (figures.has(model)) continue;
      figures.set(model, at === 0 ? score : { cited: citeTable(table), ...score, table: at });
    }
  }
  joined.set(tables, figures);
  return figures;
}

function inOrder(
  candidates: readonly Candidate[],
  { byModel, cited }: Pick<Figures, "byModel" | "cited">,
): readonly RankedModel[] {
  const placed = candidates.map(({ model, cost }) => ({ model, cost, figure: byModel.get(model) }));
  placed.sort((one, other) =>
    compareFigures(one.figure, other.figure) || one.cost - other.cost || compareTexts(one.model, other.model)
  );
  return placed.map(({ model, figure }) => ({
    model,
    ...(figure === undefined ? {} : { figure: figure.value }),
    ...(figure?.inferredFrom === undefined ? {} : { inferredFrom: figure.inferredFrom }),
    ...(figure?.isOld === true ? { isOld: true } : {}),
    ...(figure?.cited === undefined || figure.cited === cited ? {} : { cited: figure.cited }),
  }));
}

const classOf = (figure: Figure | undefined): number =>
  figure === undefined ? 2 : figure.isOld === true ? 1 : 0;

function compareFigures(one: Figure | undefined, other: Figure | undefined): number {
  return classOf(one) - classOf(other) || (one?.table ?? 0) - (other?.table ?? 0) ||
    (other?.value ?? 0) - (one?.value ?? 0);
}

/** By code units, so that every instance sorts alike. */
const compareTexts = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0;
