/** The cost axis of routers: what a generation of each model costs, its percentile, and the bands of tiers. */

import { macroOf, type TaskType } from "../../../../shared/task_types.ts";
import type { Evidence } from "./evidence.ts";
import type { PoolModel } from "./model_pool.ts";

/** Tiers from the cheapest; each has a fifth of the percentiles, the last one also its end. */
export const costTiers = ["low", "medium", "high", "xhigh", "max"] as const;
export type CostTier = (typeof costTiers)[number];

const TIER_WIDTH = 20;

export interface ModelCost {
  readonly model: string;
  /** USD of a generation; Infinity where nothing is known. */
  readonly cost: number;
  /** Whether it is the average of own receipts, or made of list prices. */
  readonly by: "receipts" | "price";
  /** Part of the other models that are cheaper, 0 to 100; equal ones share it. */
  readonly percentile: number;
}

/** USD of a generation for each USD per million tokens, where no receipts tell: one of 2,000 tokens. */
const USUAL_RATIO = 0.002;

interface Priced {
  readonly evidence: Evidence;
  readonly task: TaskType | undefined;
}

/** By the models' ids. */
export function modelCosts(
  models: readonly PoolModel[],
  { evidence, task }: Priced,
): ReadonlyMap<string, ModelCost> {
  const averages = averageCosts(models, { evidence, task });
  const ratio = usualRatio(models, averages);
  const costs = models.map(({ id, price }) => {
    const average = averages.get(id);
    return average === undefined
      ? { model: id, cost: price * ratio, by: "price" as const }
      : { model: id, cost: average, by: "receipts" as const };
  });
  costs.sort((one, other) => one.cost === other.cost ? 0 : one.cost - other.cost);
  const found = new Map<string, ModelCost>();
  let cheaper = 0;
  for (const [at, one] of costs.entries()) {
    if (one.cost !== costs[cheaper]?.cost) cheaper = at;
    found.set(one.model, { ...one, percentile: 100 * cheaper / Math.max(1, costs.length - 1) });
  }
  return found;
}

/** Averages of own receipts for the task, else for its macro. */
function averageCosts(models: readonly PoolModel[], { evidence, task }: Priced): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  if (task === undefined) return found;
  const tables = [evidence.receipts.get(task), evidence.receipts.get(macroOf(task))];
  for (const { id } of models) {
    const average = tables.map((table) => table?.models.get(id)?.averageCost)
      .find((cost) => cost !== undefined);
    if (average !== undefined) found.set(id, average);
  }
  return found;
}

/** The cost of a generation for each unit of its price: the median of the models of which both are known. */
function usualRatio(models: readonly PoolModel[], averages: ReadonlyMap<string, number>): number {
  const ratios = models.flatMap(({ id, price }) => {
    const average = averages.get(id) ?? 0;
    return average > 0 && price > 0 && price < Infinity ? [average / price] : [];
  }).sort((one, other) => one - other);
  return ratios[ratios.length >> 1] ?? USUAL_RATIO;
}

export const tierOf = ({ percentile }: Pick<ModelCost, "percentile">): CostTier =>
  costTiers[Math.min(Math.floor(percentile / TIER_WIDTH), costTiers.length - 1)] ?? "max";

/** The tier itself, else the nearest one that has models, of two the cheaper; undefined where none has. */
export function nearestTier(wanted: CostTier, filled: ReadonlySet<CostTier>): CostTier | undefined {
  const place = costTiers.indexOf(wanted);
  const distance = (tier: CostTier) => Math.abs(costTiers.indexOf(tier) - place);
  return costTiers.filter((tier) => filled.has(tier))
    .sort((one, other) => distance(one) - distance(other))[0];
}

/** Percentile that no model may be above: 90 at a tradeoff of 0, 10 at 10. */
export const ceilingOf = (tradeoff: number): number => 90 - 8 * tradeoff;
