/**
 * Evidence of routers on models: a value that does not change, made anew every few minutes. With the same evidence and the
 * same request a router decides the same.
 */

import type { TaskMacro, TaskType } from "../../../../shared/task_types.ts";

/** Sources of a ranking, the one that is asked first in front. */
export type EvidenceSource = "receipts" | "market" | "scores" | "default_models" | "price";

/** Figures of one model and one task. */
export interface ModelReceipts {
  /** Part of what was spent on the task, 0 to 1, counting requests that named their model. */
  readonly share: number;
  /** Average USD of one generation; undefined where there are too few of them to say. */
  readonly averageCost?: number;
}

/** Receipts of the last seven days for one task, of requests that named their model and of those only. */
export interface TaskReceipts {
  /** Number of such requests, and of keys that made them. */
  readonly votes: number;
  readonly keys: number;
  /** By model id. */
  readonly models: ReadonlyMap<string, ModelReceipts>;
}

/** A figure of one model on one scale; more is better. */
export interface ModelScore {
  readonly value: number;
  /** The older model whose figure this is, as a lower bound; absent where it was measured itself. */
  readonly inferredFrom?: string;
  /** Older than 180 days: ranks behind all that is younger. */
  readonly isOld?: boolean;
  /** Where it is from and of which day, for people, where that is not what the table says. */
  readonly cited?: string;
}

/** Figures on one scale: nothing is blended. */
export interface ScoreTable {
  /** `LiveBench 2026-06-25 coding`. */
  readonly scale: string;
  /** Where it is from and of which day, for people. */
  readonly source: string;
  readonly date: string;
  /**
   * By model id. A model of the scale's field that the catalog does not have stands under its name in the source,
   * which has no slash.
   */
  readonly models: ReadonlyMap<string, ModelScore>;
}

/** Shares of models by task, as a market file tells them; 0 to 1. */
export interface MarketEvidence {
  /** Words to cite it by. */
  readonly source: string;
  readonly date: string;
  readonly shares: ReadonlyMap<TaskType | TaskMacro, ReadonlyMap<string, number>>;
}

export interface Evidence {
  readonly receipts: ReadonlyMap<TaskType | TaskMacro, TaskReceipts>;
  /** USD per million input tokens that were paid, weighted by traffic, by model id. */
  readonly paidInputPrices: ReadonlyMap<string, number>;
  readonly market?: MarketEvidence;
  /** Tables by task, the preferred one in front. Two of them, such as those of two releases, are never compared. */
  readonly scores: ReadonlyMap<TaskType, readonly ScoreTable[]>;
  /** The scale that `pareto-router` ranks by. */
  readonly coding?: ScoreTable;
  /** `auto.default_models` of the configuration, the best first. */
  readonly defaultModels: readonly string[];
}

export const noEvidence: Evidence = {
  receipts: new Map(),
  paidInputPrices: new Map(),
  scores: new Map(),
  defaultModels: [],
};
