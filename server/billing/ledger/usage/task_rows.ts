/**
 * Rows that hold sums of receipts by task and model, for routers (docs/auto-routing.md). A row belongs to one run of one
 * process, one hour and one workspace; it is absolute, so writing it twice changes nothing. Amounts are nano-USD.
 */

import * as z from "zod";
import type { Receipt } from "../../../../shared/receipts.ts";
import { type TaskType, taskTypes } from "../../../../shared/task_types.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { StoreEntry, StoreKey } from "../../../storage/stores/store.ts";
import { corruptRow, parseJsonBytes } from "../journal/json_bytes.ts";

export const TASK_ROWS = "usage_task";

/** Keys of which a sum keeps the beginning: enough to tell whether there are so many, and no more. */
const MOST_KEYS = 5;
const KEY_CHARS = 10;

/** Figures of the requests of one model for one task. */
export interface TaskSum {
  readonly generations: number;
  /** At the provider's prices, anyone who pays for it, without tools. */
  readonly spend: number;
  /** Tokens that were charged by a list of prices, and what they cost. */
  readonly inputTokens: number;
  readonly inputCost: number;
}

/** A receipt that counts for its task. */
interface TaskVote extends TaskSum {
  readonly task: TaskType;
  readonly model: string;
  /** Beginning of the key's hash. */
  readonly key: string;
}

/**
 * Whether a receipt says which model people want: it is completed, its request named the model, which no router and no
 * default chose, and its key does not only test the gateway.
 */
export function isModelVote(receipt: Receipt): boolean {
  const { status, router, requested_model, model, self_test, response_cache_source_id: cached } = receipt;
  return status === "completed" && router === undefined && requested_model !== null && model !== null &&
    self_test !== true && cached === undefined;
}

/** Undefined for a receipt that does not count. */
export function taskVoteOf(receipt: Receipt): TaskVote | undefined {
  const { task, model } = receipt;
  if (task === undefined || model === null || !isModelVote(receipt)) return undefined;
  const { upstream_cost, server_tool_cost } = receipt;
  const isListed = isListedInput(receipt);
  return {
    task,
    model,
    key: receipt.key_hash.slice(0, KEY_CHARS),
    generations: 1,
    spend: upstream_cost - server_tool_cost,
    inputTokens: isListed ? ownValue(receipt.usage, "input_tokens") ?? 0 : 0,
    inputCost: isListed ? receipt.input_cost : 0,
  };
}

/** The input's tokens and their cost are of this model alone, and a list of prices says what they cost. */
function isListedInput({ unpriced, lines, calls = [], model }: Receipt): boolean {
  if (unpriced || lines.length === 0) return false;
  return calls.every((call) => call.purpose === "model" && call.model === model);
}

/** A sum in the making, changed in place. */
export interface TaskTotal extends Mutable<TaskSum> {
  readonly task: TaskType;
  readonly model: string;
  /** Beginnings of hashes of keys, the first few. */
  readonly keys: string[];
  /** As it was stored last; undefined since it has changed. */
  text: string | undefined;
}
type Mutable<T> = { -readonly [F in keyof T]: T[F] };

export function createTaskTotal({ task, model }: Pick<TaskVote, "task" | "model">): TaskTotal {
  return { task, model, generations: 0, spend: 0, inputTokens: 0, inputCost: 0, keys: [], text: undefined };
}

export function addVote(total: TaskTotal, vote: TaskVote): void {
  total.generations += vote.generations;
  total.spend += vote.spend;
  total.inputTokens += vote.inputTokens;
  total.inputCost += vote.inputCost;
  total.text = undefined;
  if (total.keys.length < MOST_KEYS && !total.keys.includes(vote.key)) {
    total.keys.push(vote.key);
  }
}

interface TaskRowPosition {
  /** Number of the hour, as `timeSpanIndex` counts. */
  readonly at: number;
  readonly workspace: string;
  /** Names the run of the process. */
  readonly start: string;
  /** Told apart within it. */
  readonly count: number;
}

export function taskRowKey({ at, workspace, start, count }: TaskRowPosition): StoreKey {
  return [TASK_ROWS, at, workspace, start, count];
}

/** The task by its position, the model, the sums in the order of `TaskSum`, the keys. */
const totalSchema = z.tuple([
  z.int().nonnegative(),
  z.string(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.array(z.string()),
]);
const rowSchema = z.array(totalSchema);

function encodeTotal(total: TaskTotal): string {
  const { task, model, generations, spend, inputTokens, inputCost, keys } = total;
  const stored: z.input<typeof totalSchema> = [
    taskTypes.indexOf(task),
    model,
    generations,
    spend,
    inputTokens,
    inputCost,
    keys,
  ];
  return JSON.stringify(stored);
}

const encoder = new TextEncoder();

/** The value of a row: bytes, because most of its texts are the same as when it was written last. */
export const encodeTaskRow = (totals: readonly TaskTotal[]): Uint8Array =>
  encoder.encode(`[${totals.map((total) => total.text ??= encodeTotal(total)).join(",")}]`);

/** One sum of a row, read. */
interface StoredTaskSum extends TaskSum {
  readonly task: TaskType;
  readonly model: string;
  readonly keys: readonly string[];
}

interface TaskRow {
  readonly at: number;
  readonly workspace: string;
  readonly sums: readonly StoredTaskSum[];
}

/** Throws a StoreError `corrupt` for what is no such row. Leaves out tasks of a later version. */
export function decodeTaskRow(entry: StoreEntry): TaskRow {
  const [, at, workspace] = entry.key;
  const parsed = rowSchema.safeParse(parseJsonBytes(entry));
  if (!parsed.success || typeof at !== "number" || typeof workspace !== "string") {
    throw corruptRow(entry.key, parsed.error);
  }
  const sums = parsed.data.flatMap(([position, model, generations, spend, inputTokens, inputCost, keys]) => {
    const task = taskTypes[position];
    return task === undefined ? [] : { task, model, generations, spend, inputTokens, inputCost, keys };
  });
  return { at, workspace, sums };
}
