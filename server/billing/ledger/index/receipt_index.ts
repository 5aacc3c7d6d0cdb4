/**
 * Finds receipts again without reading them all: for each key, workspace, model, status, provider, guardrail and tag one
 * row a projection that says where they stand in its batches. By time alone they are found as those of every status
 * together.
 */

import { hash } from "node:crypto";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { KeyPart, StoreKey, StorePut } from "../../../storage/stores/store.ts";
import { haveSameDimensions, keyShardPrefix } from "../usage/usage_rows.ts";
import {
  type BatchRange,
  type BatchReceipts,
  type ProjectionPart,
  receiptPosition,
} from "../projection/projection_part.ts";

/** Fields by which receipts can be listed. */
export const receiptFields = ["key", "workspace", "model", "status", "provider", "guardrail", "tag"] as const;
export type ReceiptField = (typeof receiptFields)[number];

const ROWS = "receipts_by";

/** All keys of a commit together have at most 80,000 bytes, and a projection has dozens of receipts. */
const MAX_VALUE_CHARS = 100;
const KEPT_CHARS = 50;

/** A value as a part of a key: a long one is cut and told apart by its digest. */
export function toKeyPart(value: string): string {
  if (value.length <= MAX_VALUE_CHARS) return value.toWellFormed();
  return `${value.slice(0, KEPT_CHARS)}~${hash("sha256", value).slice(0, 32)}`.toWellFormed();
}

/** Rows of one field and value; below it stand the time in ms, the instance and the first batch. */
export function indexPrefix(field: ReceiptField, value: string): StoreKey {
  return [ROWS, field, toKeyPart(value)];
}

/**
 * A projection with more keys than this has a row for those that begin alike instead of one for each: with very
 * many keys in use every receipt would have a row of its own. A quiet store's keys are read alone.
 */
const MOST_KEYS = 100;
/** Keys are hashes: two hexadecimal digits. */
const BEGINNINGS = 256;

/** Rows of all keys that begin like this one, which say of each where its receipts stand. */
export function sharedIndexPrefix(key: string): StoreKey {
  return [ROWS, "key", keyShardPrefix(key)];
}

const none: readonly string[] = [];

const valuesOf: { readonly [F in ReceiptField]: (receipt: Receipt) => readonly string[] } = {
  key: (receipt) => [receipt.key_hash],
  workspace: (receipt) => [receipt.workspace_id],
  model: ({ model }) => model === null ? none : [model],
  status: (receipt) => [receipt.status],
  provider: ({ provider }) => provider === null ? none : [provider],
  guardrail: ({ guardrails }) => guardrails === undefined ? none : guardrailValues(guardrails),
  tag: ({ tags }) => tags ?? none,
};

export function indexedValues(receipt: Receipt, field: ReceiptField): readonly string[] {
  return valuesOf[field](receipt);
}

/** Content filters are looked for by their guardrail, by what they did, and by both. */
function guardrailValues(results: NonNullable<Receipt["guardrails"]>): readonly string[] {
  const values = results.flatMap(({ id, action }) => [id, action, guardrailValue({ id, action })]);
  return [...new Set(values)];
}

interface GuardrailFilter {
  readonly id?: string;
  readonly action?: string;
}

/** The indexed value that stands for a filter; empty for one that asks for nothing. */
export const guardrailValue = ({ id, action }: GuardrailFilter): string =>
  [id, action].filter((part) => part !== undefined).join(" ");

/** The places of the receipts with each value, rising. */
class ReceiptPositions {
  readonly by = new Map<string, number[]>();
  /** Most receipts are like the one before. */
  #last: { readonly value: string; readonly places: number[] } | undefined;

  note(value: string, places: readonly number[]): void {
    if (this.#last?.value !== value) this.#last = { value, places: this.#of(toKeyPart(value)) };
    const { places: known } = this.#last;
    for (const place of places) known.push(place);
  }

  clear(): void {
    this.by.clear();
    this.#last = undefined;
  }

  #of(part: string): number[] {
    const known = this.by.get(part);
    if (known !== undefined) return known;
    const places: number[] = [];
    this.by.set(part, places);
    return places;
  }
}

/** Receipts that stand in a row, and have the same values. */
interface ReceiptBatch {
  /** The first of them. */
  readonly receipt: Receipt;
  readonly positions: number[];
}

function batchReceipts(receipts: BatchReceipts["receipts"]): readonly ReceiptBatch[] {
  const rows: ReceiptBatch[] = [];
  let row: ReceiptBatch | undefined;
  for (let position = 0; position < receipts.length; position++) {
    const receipt = receipts[position];
    if (receipt === undefined) continue;
    if (row === undefined || !haveSameValues(row.receipt, receipt)) {
      row = { receipt, positions: [] };
      rows.push(row);
    }
    row.positions.push(position);
  }
  return rows;
}

const haveSameValues = (one: Receipt, other: Receipt): boolean =>
  one.guardrails === undefined && other.guardrails === undefined && haveSameDimensions(one, other);

const BEGINNING = new Date(0).toISOString();

/** The index as a part of the ledger's projections; what removes receipts deletes its rows. */
export class ReceiptIndex implements ProjectionPart {
  readonly #fields = receiptFields.map((field) => ({ field, places: new ReceiptPositions() }));
  /** When the last of them ended; timestamps sort as time does. */
  #ended = BEGINNING;

  add({ receipts, offset }: BatchReceipts): void {
    for (const { receipt, positions } of batchReceipts(receipts)) {
      const where = positions.map((position) => receiptPosition(offset, position));
      for (const { field, places } of this.#fields) {
        // Receipts without a value, such as those of refused requests without a model, are found by the others.
        for (const value of indexedValues(receipt, field)) places.note(value, where);
      }
    }
    for (const receipt of receipts) {
      if (receipt !== undefined && receipt.ended_at > this.#ended) this.#ended = receipt.ended_at;
    }
  }

  get rows(): number {
    return this.#fields.reduce((sum, { field, places }) => sum + atMost(field, places.by.size), 0);
  }

  take({ instance, first }: BatchRange): readonly StorePut[] {
    const tail: readonly KeyPart[] = [Date.parse(this.#ended), instance, first];
    this.#ended = BEGINNING;
    return this.#fields.flatMap(({ field, places }) => {
      const rows = [...rowsOf(field, places.by)].map(([part, value]) => ({
        key: [ROWS, field, part, ...tail],
        value,
      }));
      places.clear();
      return rows;
    });
  }

  renewed(): ReceiptIndex {
    return new ReceiptIndex();
  }
}

type Row = readonly number[] | { readonly [key: string]: readonly number[] };

/** By what stands in their keys behind the field. */
function rowsOf(
  field: ReceiptField,
  places: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<string, Row> {
  if (field !== "key" || places.size <= MOST_KEYS) return places;
  const together = Map.groupBy(places, ([key]) => keyShardPrefix(key));
  return new Map([...together].map(([beginning, keys]) => [beginning, Object.fromEntries(keys)]));
}

/** How many rows those are, without making them. */
function atMost(field: ReceiptField, values: number): number {
  return field === "key" && values > MOST_KEYS ? Math.min(values, BEGINNINGS) : values;
}
