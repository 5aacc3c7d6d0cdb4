/** Counts receipts by time, workspace, key, model, provider and status, in rows beside each group. */

import type { Receipt } from "../../shared/receipts.ts";
import type { Put, StoreKey } from "../stores/store.ts";
import {
  addTotals,
  type Combo,
  comboOf,
  latencyOf,
  type Level,
  levelNames,
  levels,
  momentOf,
  noTotals,
  rowKey,
  spanOf,
  storedRow,
  totalsOf,
} from "./aggregate_rows.ts";
import type { Group, GroupPart } from "./group_part.ts";

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
export class Aggregates implements GroupPart {
  readonly #levels: readonly Counted[];

  constructor({ start, most = MOST }: AggregatesOptions) {
    this.#levels = levelNames.map((level) => new Counted({ level, start, most }));
  }

  puts({ receipts }: Pick<Group, "receipts">): readonly Put[] {
    return this.#levels.flatMap((level) => level.puts(receipts));
  }

  /** Rows held in memory. */
  get held(): number {
    return this.#levels.reduce((sum, level) => sum + level.held, 0);
  }
}

interface CountedOptions {
  readonly level: Level;
  readonly start: string;
  readonly most: number;
}

/** Changed in place: it is touched by every receipt. */
interface Running {
  readonly key: StoreKey;
  readonly at: number;
  readonly combo: Combo;
  totals: ReturnType<typeof totalsOf>;
  readonly latency: Map<number, number>;
  endpoint: string | null;
}

class Counted {
  readonly #options: CountedOptions;
  #rows = new Map<string, Running>();
  /** The latest span that was counted in. */
  #newest = 0;
  #made = 0;

  constructor(options: CountedOptions) {
    this.#options = options;
  }

  get held(): number {
    return this.#rows.size;
  }

  /** Only what the receipts changed. Values are copies: the rows go on changing while they are being written. */
  puts(receipts: readonly Receipt[]): readonly Put[] {
    const dirty = new Set<Running>();
    for (const receipt of receipts) dirty.add(this.#count(receipt));
    this.#forget();
    return [...dirty].map((row) => ({ key: row.key, value: storedRow(row) }));
  }

  #count(receipt: Receipt): Running {
    const row = this.#rowOf(receipt);
    row.totals = addTotals(row.totals, totalsOf(receipt));
    const bucket = latencyOf(receipt);
    if (bucket !== undefined) row.latency.set(bucket, (row.latency.get(bucket) ?? 0) + 1);
    row.endpoint = receipt.endpoint_id ?? row.endpoint;
    return row;
  }

  #rowOf(receipt: Receipt): Running {
    const { level, start } = this.#options;
    const at = spanOf(levels[level].span, momentOf(receipt));
    const combo = comboOf(receipt, level);
    const name = `${at}\0${combo.join("\0")}`;
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const key = rowKey({ level, at, key: receipt.key_hash, start, count: ++this.#made });
    const row = { key, at, combo, totals: noTotals, latency: new Map<number, number>(), endpoint: null };
    this.#rows.set(name, row);
    this.#newest = Math.max(this.#newest, at);
    return row;
  }

  /** Streams end after the span in which they began, mostly the one before: that one is kept too. */
  #forget(): void {
    if (this.#rows.size > this.#options.most) return this.#rows.clear();
    const [oldest] = this.#rows.values();
    if (oldest === undefined || oldest.at >= this.#newest - 1) return;
    for (const [name, { at }] of this.#rows) {
      if (at < this.#newest - 1) this.#rows.delete(name);
    }
  }
}
