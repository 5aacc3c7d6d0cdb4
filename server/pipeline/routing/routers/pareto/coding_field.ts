/** The field of models that have a coding score: the percentile of each, and the tiers of `pareto-code`. */

import type { ModelScore, ScoreTable } from "../evidence.ts";

/** Tiers from the best; `rest` is the half of the field below its median. */
const codingTiers = ["high", "medium", "low", "rest"] as const;
export type CodingTier = (typeof codingTiers)[number];

/** Lowest percentile of each tier: three equal bands above the median. */
const lowest: Readonly<Record<CodingTier, number>> = { high: 5 / 6, medium: 4 / 6, low: 3 / 6, rest: 0 };

export interface FieldModel {
  readonly score: ModelScore;
  /** Part of the field's other models that score less, 0 to 1; of equal ones the id decides. */
  readonly percentile: number;
}

const fields = new WeakMap<ScoreTable, ReadonlyMap<string, FieldModel>>();

/** By model id; those that only inherit a score take part. */
export function codingField(table: ScoreTable): ReadonlyMap<string, FieldModel> {
  const known = fields.get(table);
  if (known !== undefined) return known;
  const sorted = [...table.models].sort(([one, a], [other, b]) =>
    a.value - b.value || (one < other ? -1 : 1)
  );
  const others = Math.max(1, sorted.length - 1);
  const field = new Map(sorted.map(([id, score], at) => [id, { score, percentile: at / others }]));
  fields.set(table, field);
  return field;
}

export const codingTierOf = ({ percentile }: Pick<FieldModel, "percentile">): CodingTier =>
  codingTiers.find((tier) => percentile >= lowest[tier]) ?? "rest";

/** The tier that `min_coding_score` asks for (specification, Plugins). */
export const codingTierFor = (minimum: number | null | undefined): CodingTier =>
  minimum === null || minimum === undefined || minimum >= 0.66 ? "high" : minimum >= 0.33 ? "medium" : "low";

/** The tier itself, else the nearest one that has models, of two the better; undefined where none has. */
export function nearestCodingTier(
  wanted: CodingTier,
  filled: ReadonlySet<CodingTier>,
): CodingTier | undefined {
  const place = codingTiers.indexOf(wanted);
  const distance = (tier: CodingTier) => Math.abs(codingTiers.indexOf(tier) - place);
  return codingTiers.filter((tier) => filled.has(tier))
    .sort((one, other) => distance(one) - distance(other))[0];
}
