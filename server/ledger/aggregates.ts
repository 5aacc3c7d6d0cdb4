/** Counts receipts by time, workspace, key, model, provider and status, in rows of each posting. */

import type { Receipt } from "../../shared/receipts.ts";
import type { Put, StoreKey } from "../stores/store.ts";
import {
  type Combo,
  comboOf,
  latencyOf,
  type Level,
  levelNames,
  levels,
  momentOf,
  rowKey,
  spans,
  storedRow,
  sums,
  totalsOf,
} from "./aggregate_rows.ts";
import type { Group, PostingPart } from "./posting_part.ts";

export interface AggregatesOptions {
  /** Names this run of the process: no other run, here or elsewhere, has or had it. */
  readonly start: string;
  /** Rows held per level; beyond it all are forgotten, and new ones begun. */
  readonly most?: number;
}

const MOST = 5_000;

/**
 * Reads nothing: what was counted before belongs to other rows. A row may be forgotten at any time, because the
 * next one for the same combination has a number of its own.
 */
export class Aggregates implements PostingPart {
  readonly #options: AggregatesOptions;
  readonly #levels: readonly Counted[];

  constructor(options: AggregatesOptions) {
    const { start, most = MOST } = options;
    this.#options = options;
    this.#levels = levelNames.map((level) => new Counted({ level, start, most }));
  }

  add({ receipts }: Pick<Group, "receipts">): void {
    for (const receipt of receipts) {
      if (receipt === undefined || receipt.self_test === true) continue;
      const one = seen(receipt);
      for (const level of this.#levels) level.add(one);
    }
  }

  get rows(): number {
    return this.#levels.reduce((sum, level) => sum + level.rows, 0);
  }

  take(): readonly Put[] {
    return this.#levels.flatMap((level) => level.take());
  }

  renewed(): Aggregates {
    return new Aggregates({ ...this.#options, start: `${this.#options.start}~` });
  }

  /** Rows held in memory. */
  get held(): number {
    return this.#levels.reduce((sum, level) => sum + level.held, 0);
  }
}

/** A receipt as every level counts it. */
interface Seen {
  readonly receipt: Receipt;
  /** Ms since the epoch. */
  readonly moment: number;
  /** Names what is alike, with its key and whoever's. */
  readonly own: string;
  readonly all: string;
  /** In the order of `sums`. */
  readonly numbers: readonly number[];
  readonly bucket: number | undefined;
}

function seen(receipt: Receipt): Seen {
  const { workspace_id, key_hash, model, provider, status } = receipt;
  const all = `${workspace_id}\0${model ?? ""}\0${provider ?? ""}\0${status}`;
  const totals = totalsOf(receipt);
  return {
    receipt,
    moment: momentOf(receipt),
    own: `${key_hash}\0${all}`,
    all,
    numbers: sums.map((sum) => totals[sum]),
    bucket: latencyOf(receipt),
  };
}

interface CountedOptions {
  readonly level: Level;
  readonly start: string;
  readonly most: number;
}

/** Changed in place: it is touched by every receipt. */
interface Running {
  readonly key: StoreKey;
  readonly combo: Combo;
  readonly numbers: number[];
  readonly latency: Map<number, number>;
  endpoint: string | null;
}

/** Rows of one span, by what they have in common. */
type Rows = Map<string, Running>;

class Counted {
  readonly #options: CountedOptions;
  readonly #ms: number;
  readonly #spans = new Map<number, Rows>();
  /** Rows that were counted in since they were last taken. */
  readonly #dirty = new Set<Running>();
  /** The latest span that was counted in. */
  #newest = 0;
  #made = 0;

  constructor(options: CountedOptions) {
    this.#options = options;
    this.#ms = spans[levels[options.level].span];
  }

  get held(): number {
    return [...this.#spans.values()].reduce((sum, { size }) => sum + size, 0);
  }

  add(receipt: Seen): void {
    this.#dirty.add(this.#count(receipt));
  }

  get rows(): number {
    return this.#dirty.size;
  }

  /** Only what the receipts changed. Values are copies: the rows go on changing while they are being written. */
  take(): readonly Put[] {
    const puts = [...this.#dirty].map((row) => ({ key: row.key, value: storedRow(row) }));
    this.#dirty.clear();
    this.#forget();
    return puts;
  }

  #count({ receipt, moment, own, all, numbers, bucket }: Seen): Running {
    const at = Math.floor(moment / this.#ms);
    const rows = this.#spans.get(at) ?? this.#begin(at);
    const name = levels[this.#options.level].keyed ? own : all;
    const row = rows.get(name) ?? this.#make(receipt, at);
    rows.set(name, row);
    for (let sum = 0; sum < numbers.length; sum++) {
      row.numbers[sum] = (row.numbers[sum] ?? 0) + (numbers[sum] ?? 0);
    }
    if (bucket !== undefined) row.latency.set(bucket, (row.latency.get(bucket) ?? 0) + 1);
    row.endpoint = receipt.endpoint_id ?? row.endpoint;
    return row;
  }

  #begin(at: number): Rows {
    const rows: Rows = new Map();
    this.#spans.set(at, rows);
    this.#newest = Math.max(this.#newest, at);
    return rows;
  }

  #make(receipt: Receipt, at: number): Running {
    const { level, start } = this.#options;
    return {
      key: rowKey({ level, at, key: receipt.key_hash, start, count: ++this.#made }),
      combo: comboOf(receipt, level),
      numbers: sums.map(() => 0),
      latency: new Map(),
      endpoint: null,
    };
  }

  /** Streams end after the span in which they began, mostly the one before: that one is kept too. */
  #forget(): void {
    if (this.held > this.#options.most) return this.#spans.clear();
    for (const at of this.#spans.keys()) if (at < this.#newest - 1) this.#spans.delete(at);
  }
}
