/**
 * Receipts of the last seven days as evidence on models: a table in the process that is renewed now and then, so that no
 * request waits for the store.
 */

import { macroOf, type TaskMacro, type TaskType } from "../../../../shared/task_types.ts";
import {
  addTaskSums,
  type TaskQueryResult,
  type TaskSums,
} from "../../../billing/ledger/usage/task_query.ts";
import type { TaskSum } from "../../../billing/ledger/usage/task_rows.ts";
import type { Logger } from "../../../runtime.ts";
import type { Evidence, ModelReceipts, TaskReceipts } from "./evidence.ts";

type ReceiptEvidence = Pick<Evidence, "receipts" | "paidInputPrices">;

/** Generations of a model for a task from which on their average cost says something. */
export const FEWEST_GENERATIONS = 20;
const NANO = 1e9;
const MILLION = 1e6;

/** Makes evidence of sums. Figures of a macro are made of the sums of its tasks. */
export function receiptEvidenceOf(sums: ReadonlyMap<TaskType, TaskSums>): ReceiptEvidence {
  const scopes = new Map<TaskType | TaskMacro, TaskSums>(sums);
  const paid = new Map<string, TaskSum>();
  const macros = new Map<TaskMacro, TaskSums>();
  for (const [task, ofTask] of sums) {
    const macro = macroOf(task);
    macros.set(macro, unite(macros.get(macro), ofTask));
    for (const [model, sum] of ofTask.models) paid.set(model, addTaskSums(paid.get(model), sum));
  }
  for (const [macro, ofMacro] of macros) scopes.set(macro, ofMacro);
  const priced = [...paid].filter(([, { inputTokens }]) => inputTokens > 0);
  return {
    receipts: new Map([...scopes].map(([scope, ofScope]) => [scope, taskReceiptsOf(ofScope)])),
    paidInputPrices: new Map(
      priced.map(([model, { inputCost, inputTokens }]) => [model, inputCost / NANO / inputTokens * MILLION]),
    ),
  };
}

function unite(one: TaskSums | undefined, other: TaskSums): TaskSums {
  if (one === undefined) return other;
  const models = new Map(one.models);
  for (const [model, sum] of other.models) models.set(model, addTaskSums(models.get(model), sum));
  return { models, keys: new Set([...one.keys, ...other.keys]) };
}

function taskReceiptsOf({ models, keys }: TaskSums): TaskReceipts {
  let votes = 0;
  let spend = 0;
  for (const sum of models.values()) {
    votes += sum.generations;
    spend += sum.spend;
  }
  const figures = [...models].map(([model, sum]): readonly [string, ModelReceipts] => [model, {
    // Where nothing costs anything, requests count instead of money.
    share: spend > 0 ? sum.spend / spend : sum.generations / votes,
    ...(sum.generations < FEWEST_GENERATIONS ? {} : { averageCost: sum.spend / NANO / sum.generations }),
  }]);
  return { votes, keys: keys.size, models: new Map(figures) };
}

interface ReceiptEvidenceTableOptions {
  readonly log: Logger;
  /** Sums of the last seven days. May reject. */
  readonly read: () => Promise<TaskQueryResult>;
}

export class ReceiptEvidenceTable {
  readonly #options: ReceiptEvidenceTableOptions;
  #current = receiptEvidenceOf(new Map());
  /** Sums that it was made of, as text. */
  #made = textOf(new Map());

  constructor(options: ReceiptEvidenceTableOptions) {
    this.#options = options;
  }

  /** The same value until something in it changes. */
  get current(): ReceiptEvidence {
    return this.#current;
  }

  /** Rejects where the sums cannot be read; what was known stays. */
  async renew(): Promise<void> {
    const { sums, damaged } = await this.#options.read();
    if (damaged > 0) this.#options.log.warn("Damaged sums by task left out", { rows: damaged });
    const text = textOf(sums);
    if (text === this.#made) return;
    this.#made = text;
    this.#current = receiptEvidenceOf(sums);
  }
}

/** The same for the same sums, in whatever order they were read. */
function textOf(sums: ReadonlyMap<TaskType, TaskSums>): string {
  const tasks = [...sums].map(([task, { models, keys }]) => [
    task,
    [...models].map(([model, sum]) => JSON.stringify([model, sum])).sort(),
    [...keys].sort(),
  ]);
  return JSON.stringify(tasks.map((task) => JSON.stringify(task)).sort());
}
