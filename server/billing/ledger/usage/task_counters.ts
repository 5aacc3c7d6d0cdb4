/** Counts receipts by hour, workspace, task and model, in rows of each projection, beside the usage sums. */

import type { Receipt } from "../../../../shared/receipts.ts";
import type { StorePut } from "../../../storage/stores/store.ts";
import type { BatchReceipts, ProjectionPart } from "../projection/projection_part.ts";
import {
  addVote,
  createTaskTotal,
  encodeTaskRow,
  taskRowKey,
  type TaskTotal,
  taskVoteOf,
} from "./task_rows.ts";
import { countedAt, timeSpanIndex } from "./usage_rows.ts";

interface TaskCountersOptions {
  /** Names this run of the process: no other run, here or elsewhere, has or had it. */
  readonly start: string;
  /** Sums held; beyond it all are forgotten, and new rows begun. */
  readonly most?: number;
}

const MOST = 5_000;
/** A row takes no further sums beyond so many: with models' usual names it stays in a page of the store. */
const ROW_SUMS = 8;

/** Totals of a row, in the making. */
interface TaskRowDraft {
  readonly at: number;
  readonly workspace: string;
  readonly count: number;
  readonly totals: TaskTotal[];
}

interface Counted {
  readonly total: TaskTotal;
  readonly row: TaskRowDraft;
}

/**
 * Reads nothing: what was counted before belongs to other rows. A sum may be forgotten at any time, because the next one
 * for the same task and model stands in a row of its own.
 */
export class TaskCounters implements ProjectionPart {
  readonly #options: TaskCountersOptions;
  /** By hour, and below it by what they have in common. */
  readonly #hours = new Map<number, Map<string, Counted>>();
  /** Rows that take in more, by hour and workspace. */
  readonly #open = new Map<string, TaskRowDraft>();
  readonly #dirty = new Set<TaskRowDraft>();
  #made = 0;

  constructor(options: TaskCountersOptions) {
    this.#options = options;
  }

  add({ receipts }: Pick<BatchReceipts, "receipts">): void {
    for (const receipt of receipts) if (receipt !== undefined) this.#count(receipt);
  }

  get rows(): number {
    return this.#dirty.size;
  }

  /** Only what the receipts changed. Values are copies: the rows go on changing while they are being written. */
  take(): readonly StorePut[] {
    const { start } = this.#options;
    const puts = [...this.#dirty].map(({ at, workspace, count, totals }): StorePut => ({
      key: taskRowKey({ at, workspace, start, count }),
      value: encodeTaskRow(totals),
    }));
    this.#dirty.clear();
    this.#forget();
    return puts;
  }

  renewed(): TaskCounters {
    return new TaskCounters({ ...this.#options, start: `${this.#options.start}~` });
  }

  /** Sums held in memory. */
  get held(): number {
    return [...this.#hours.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #count(receipt: Receipt): void {
    const vote = taskVoteOf(receipt);
    if (vote === undefined) return;
    const at = timeSpanIndex("hour", countedAt(receipt));
    const hour = this.#hours.get(at) ?? new Map<string, Counted>();
    this.#hours.set(at, hour);
    const name = `${vote.task}\0${receipt.workspace_id}\0${vote.model}`;
    let counted = hour.get(name);
    if (counted === undefined) {
      counted = { total: createTaskTotal(vote), row: this.#rowOf(receipt, at) };
      counted.row.totals.push(counted.total);
      hour.set(name, counted);
    }
    addVote(counted.total, vote);
    this.#dirty.add(counted.row);
  }

  #rowOf({ workspace_id: workspace }: Receipt, at: number): TaskRowDraft {
    const place = `${at} ${workspace}`;
    const open = this.#open.get(place);
    if (open !== undefined && open.totals.length < ROW_SUMS) return open;
    const row: TaskRowDraft = { at, workspace, count: ++this.#made, totals: [] };
    this.#open.set(place, row);
    return row;
  }

  /** Streams end after the hour in which they began, mostly the one before: that one is kept too. */
  #forget(): void {
    const newest = Math.max(...this.#hours.keys());
    const isFull = this.held > (this.#options.most ?? MOST);
    for (const at of this.#hours.keys()) if (isFull || at < newest - 1) this.#hours.delete(at);
    for (const [place, { at }] of this.#open) if (!this.#hours.has(at)) this.#open.delete(place);
  }
}
