/** Reads and removes the rows of sums by task. */

import type { TaskType } from "../../../../shared/task_types.ts";
import { type Store, type StoreEntry, StoreError, type StoreKey } from "../../../storage/stores/store.ts";
import { decodeTaskRow, TASK_ROWS, type TaskSum } from "./task_rows.ts";
import { timeSpanIndex, timeSpans } from "./usage_rows.ts";

/** Evidence is of the last seven days, in whole hours: nothing older counts. */
const WINDOW_MS = 7 * timeSpans.day;

/** The first hour that counts. */
export const firstTaskHour = (now: number): number => timeSpanIndex("hour", now - WINDOW_MS) + 1;

/** Sums of one task. */
export interface TaskSums {
  /** By model id. */
  readonly models: ReadonlyMap<string, TaskSum>;
  /** Beginnings of hashes of keys: all where there are few, else some. */
  readonly keys: ReadonlySet<string>;
}

interface TaskQuery {
  /** Ms since the epoch. */
  readonly now: number;
  /** Id of a recorded model: one that was recorded under several spellings is one. */
  readonly modelId: (recorded: string) => string;
  /** Whether the workspace is there: a request that was on its way may have been counted after its end. */
  readonly hasWorkspace: (id: string) => Promise<boolean>;
  /** Rows read before the rest, the oldest, is left out. */
  readonly maxRows?: number;
}

export interface TaskQueryResult {
  readonly sums: ReadonlyMap<TaskType, TaskSums>;
  /** Rows that are damaged in the store and left out. */
  readonly damaged: number;
}

const MAX_ROWS = 200_000;
const PAGE = 500;

/** Sums of the last seven days. Newest rows first. Throws a StoreError. */
export async function readTaskSums(store: Store, query: TaskQuery): Promise<TaskQueryResult> {
  const summer = new TaskSummer(query);
  const from = firstTaskHour(query.now);
  let left = query.maxRows ?? MAX_ROWS;
  for await (const entries of pagesOf(store, { reverse: true })) {
    const counted = entries.filter((entry) => taskRowHour(entry) >= from).slice(0, left);
    for (const entry of counted) await summer.add(entry);
    left -= counted.length;
    if (left === 0 || counted.length < entries.length) break;
  }
  return { sums: summer.sums, damaged: summer.damaged };
}

async function* pagesOf(
  store: Store,
  { reverse }: { readonly reverse: boolean },
): AsyncGenerator<readonly StoreEntry[]> {
  let after: StoreKey | undefined;
  do {
    const entries = await store.list([TASK_ROWS], { after, reverse, limit: PAGE });
    yield entries;
    after = entries.length < PAGE ? undefined : entries.at(-1)?.key;
  } while (after !== undefined);
}

/** The hour that a row belongs to. */
export const taskRowHour = ({ key: [, at] }: Pick<StoreEntry, "key">): number => Number(at);

class TaskSummer {
  readonly #query: TaskQuery;
  readonly #workspaces = new Map<string, boolean>();
  readonly #modelIds = new Map<string, string>();
  readonly sums = new Map<TaskType, { readonly models: Map<string, TaskSum>; readonly keys: Set<string> }>();
  damaged = 0;

  constructor(query: TaskQuery) {
    this.#query = query;
  }

  async add(entry: StoreEntry): Promise<void> {
    try {
      const { workspace, sums } = decodeTaskRow(entry);
      if (!await this.#hasWorkspace(workspace)) return;
      for (const { task, model, keys, ...sum } of sums) {
        const total = this.sums.get(task) ?? { models: new Map(), keys: new Set() };
        this.sums.set(task, total);
        const id = this.#modelId(model);
        total.models.set(id, addTaskSums(total.models.get(id), sum));
        for (const key of keys) total.keys.add(key);
      }
    } catch (error) {
      // A damaged row says nothing; the others still do, and this one goes with its hour.
      if (!(error instanceof StoreError) || error.kind !== "corrupt") throw error;
      this.damaged++;
    }
  }

  async #hasWorkspace(id: string): Promise<boolean> {
    const known = this.#workspaces.get(id) ?? await this.#query.hasWorkspace(id);
    this.#workspaces.set(id, known);
    return known;
  }

  #modelId(recorded: string): string {
    const id = this.#modelIds.get(recorded) ?? this.#query.modelId(recorded);
    this.#modelIds.set(recorded, id);
    return id;
  }
}

export function addTaskSums(one: TaskSum | undefined, other: TaskSum): TaskSum {
  if (one === undefined) return other;
  return {
    generations: one.generations + other.generations,
    spend: one.spend + other.spend,
    inputTokens: one.inputTokens + other.inputTokens,
    inputCost: one.inputCost + other.inputCost,
  };
}

/** Removes all rows of a workspace. */
export async function removeTaskRowsOf(store: Store, workspaceId: string): Promise<void> {
  for await (const entries of pagesOf(store, { reverse: false })) {
    const own = entries.filter(({ key: [, , workspace] }) => workspace === workspaceId);
    if (own.length > 0) await store.commit({ deletes: own.map(({ key }) => key), small: true });
  }
}
