/** What one scope has spent and holds, in memory, by bucket (promises M1, M3). Amounts are nano-USD. */

import * as z from "zod";
import { toNanoUsd } from "../../../shared/money.ts";
import { StoreError } from "../../stores/store.ts";
import type { Buckets } from "./bucket_names.ts";
import type { Period, ScopeId, Spend, Spent } from "./ledger.ts";
import type { Waiter } from "./reservation_queue.ts";

/** One bucket of one scope. Plain numbers: whole nano-USD, exact up to nine million USD. */
export class Cell {
  /** Settled by this instance; receipts that are not written yet included. */
  cost = 0;
  byok = 0;
  /** Held by this instance's open calls. */
  heldCost = 0;
  heldByok = 0;
  /** What the receipts say that are in the journal, or in the group that is being written. */
  rowCost = 0;
  rowByok = 0;
  /** Settled by other instances, as far as their rows were read. */
  othersCost = 0;
  othersByok = 0;
}

/** The four cells of one moment. */
export type CellSet = { readonly [P in Period]: Cell } & { readonly buckets: Buckets };

export interface Amounts {
  readonly cost: number;
  readonly byok: number;
}

/** A stored row: bucket, cost, byok of up to two buckets a kind. */
export const spendRowSchema = z.array(z.tuple([z.string(), z.int(), z.int()]));
export type SpendRow = z.output<typeof spendRowSchema>;

/** First part of the rows `["spend", scope, instance]`. */
export const SPEND = "spend";

/** Throws a StoreError `corrupt` for a row that is none. */
export function toSpendRow(scope: ScopeId, value: unknown): SpendRow {
  const parsed = spendRowSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StoreError("corrupt", `Cannot read what ${scope} has spent: the row does not fit its schema`, {
    cause: parsed.error,
  });
}

/** Buckets of a kind that are kept besides those of now and of the time before, in which long calls may still settle. */
const KEPT = 2;

export class Counter {
  readonly scope: ScopeId;
  readonly #cells = new Map<string, Cell>();
  #latest: CellSet | undefined;
  /** Those in use before the latest ones. */
  #before: Buckets | undefined;
  /** Set once the row of this instance has been read. */
  loaded = false;
  /** Open while it is being read. */
  loading: Promise<void> | undefined;
  /** Requests that are open under this scope. */
  users = 0;
  /** Groups that write its row and are not committed. */
  writing = 0;
  /** Asked for since the last look for what can be forgotten. */
  touched = true;
  /** Reservations that wait for open holds, first come first. */
  readonly queue: Waiter[] = [];

  constructor(scope: ScopeId) {
    this.scope = scope;
  }

  at(buckets: Buckets): CellSet {
    if (this.#latest?.buckets === buckets) return this.#latest;
    const set = {
      buckets,
      daily: this.cell(buckets.daily),
      weekly: this.cell(buckets.weekly),
      monthly: this.cell(buckets.monthly),
      lifetime: this.cell(buckets.lifetime),
    };
    if (this.#latest?.buckets.daily !== buckets.daily) this.#before = this.#latest?.buckets;
    this.#latest = set;
    this.#forgetOld();
    return set;
  }

  cell(bucket: string): Cell {
    const found = this.#cells.get(bucket);
    if (found) return found;
    const cell = new Cell();
    this.#cells.set(bucket, cell);
    return cell;
  }

  /** The cell of a bucket that was counted in. */
  find(bucket: string): Cell | undefined {
    return this.#cells.get(bucket);
  }

  /** Adds what this instance has counted in earlier runs. */
  fill(row: SpendRow): void {
    for (const [bucket, cost, byok] of row) {
      const cell = this.cell(bucket);
      cell.cost += cost;
      cell.byok += byok;
      cell.rowCost += cost;
      cell.rowByok += byok;
    }
    this.loaded = true;
  }

  /** Takes over what the rows of all other instances say together. */
  fillOthers(rows: readonly SpendRow[]): void {
    const sums = new Map<string, { cost: number; byok: number }>();
    for (const [bucket, cost, byok] of rows.flat()) {
      const sum = sums.get(bucket) ?? { cost: 0, byok: 0 };
      sums.set(bucket, { cost: sum.cost + cost, byok: sum.byok + byok });
    }
    for (const [bucket, { cost, byok }] of sums) {
      const cell = this.cell(bucket);
      cell.othersCost = cost;
      cell.othersByok = byok;
    }
    this.#forgetOld();
  }

  row(): SpendRow {
    return [...this.#cells]
      .filter(([bucket, { rowCost, rowByok }]) => bucket === "lifetime" || rowCost !== 0 || rowByok !== 0)
      .map(([bucket, { rowCost, rowByok }]) => [bucket, rowCost, rowByok]);
  }

  get idle(): boolean {
    return this.loaded && this.users === 0 && this.writing === 0 && this.queue.length === 0;
  }

  /**
   * Drops the oldest buckets, unless calls are open in them. Those in use stay whatever their names: a clock that
   * was ahead for a while leaves names behind that no day of now comes up to.
   */
  #forgetOld(): void {
    if (this.#latest === undefined) return;
    const used = new Set([...Object.values(this.#latest.buckets), ...Object.values(this.#before ?? {})]);
    const kinds = new Map<string, number>();
    for (const name of [...this.#cells.keys()].sort().reverse()) {
      if (used.has(name)) continue;
      const kind = name.charAt(0);
      const kept = kinds.get(kind) ?? 0;
      kinds.set(kind, kept + 1);
      const cell = this.#cells.get(name);
      if (kept >= KEPT && cell?.heldCost === 0 && cell.heldByok === 0) this.#cells.delete(name);
    }
  }
}

/** Settled by all instances, as far as is known. */
export function spentIn({ daily, weekly, monthly, lifetime }: CellSet): Spend {
  return { daily: spent(daily), weekly: spent(weekly), monthly: spent(monthly), lifetime: spent(lifetime) };
}

function spent({ cost, byok, othersCost, othersByok }: Cell): Spent {
  return { cost: toNanoUsd(cost + othersCost), byok: toNanoUsd(byok + othersByok) };
}

// By their names: every request passes here for each of its scopes, and looking each up costs more than adding to it.

/** Applies to every cell of the set. */
export function hold({ daily, weekly, monthly, lifetime }: CellSet, amounts: Amounts): void {
  holdIn(daily, amounts);
  holdIn(weekly, amounts);
  holdIn(monthly, amounts);
  holdIn(lifetime, amounts);
}

export function spend({ daily, weekly, monthly, lifetime }: CellSet, amounts: Amounts): void {
  spendIn(daily, amounts);
  spendIn(weekly, amounts);
  spendIn(monthly, amounts);
  spendIn(lifetime, amounts);
}

/** Counts receipts that are being written. */
export function book({ daily, weekly, monthly, lifetime }: CellSet, amounts: Amounts): void {
  bookIn(daily, amounts);
  bookIn(weekly, amounts);
  bookIn(monthly, amounts);
  bookIn(lifetime, amounts);
}

function holdIn(cell: Cell, { cost, byok }: Amounts): void {
  cell.heldCost += cost;
  cell.heldByok += byok;
}

function spendIn(cell: Cell, { cost, byok }: Amounts): void {
  cell.cost += cost;
  cell.byok += byok;
}

function bookIn(cell: Cell, { cost, byok }: Amounts): void {
  cell.rowCost += cost;
  cell.rowByok += byok;
}
