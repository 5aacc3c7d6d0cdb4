/**
 * Finds receipts again without reading them all: for each key, workspace, model, status and provider one row a
 * group that says where in its block they stand. Written in the commit of the group. By time alone they are found
 * as those of every status together.
 */

import { hash } from "node:crypto";
import type { Receipt } from "../../shared/receipts.ts";
import type { KeyPart, StoreKey } from "../stores/store.ts";
import type { Group, GroupPart } from "./group_part.ts";

/** What receipts can be listed by. */
export const receiptFields = ["key", "workspace", "model", "status", "provider"] as const;
export type ReceiptField = (typeof receiptFields)[number];

const ROWS = "receipts_by";

/** All keys of a commit together have at most 80,000 bytes, and a group has dozens of receipts. */
const MAX_VALUE_CHARS = 100;
const KEPT_CHARS = 50;

/** A value as a part of a key: a long one is cut and told apart by its digest. */
export function keyPartOf(value: string): string {
  if (value.length <= MAX_VALUE_CHARS) return value.toWellFormed();
  return `${value.slice(0, KEPT_CHARS)}~${hash("sha256", value).slice(0, 32)}`.toWellFormed();
}

/** Rows of one field and value; below it stand the time in ms and what follows the first part of a block's key. */
export function indexPrefix(field: ReceiptField, value: string): StoreKey {
  return [ROWS, field, keyPartOf(value)];
}

const valueOf: Readonly<Record<ReceiptField, (receipt: Receipt) => string | null>> = {
  key: (receipt) => receipt.key_hash,
  workspace: (receipt) => receipt.workspace_id,
  model: (receipt) => receipt.model,
  status: (receipt) => receipt.status,
  provider: (receipt) => receipt.provider,
};

export function fieldOf(receipt: Receipt, field: ReceiptField): string | null {
  return valueOf[field](receipt);
}

interface IndexRow {
  readonly key: StoreKey;
  /** Places in the block, counted among its receipts from 0, rising. */
  readonly value: readonly number[];
}

/** The rows of a group; whoever removes its receipts deletes their keys in the same commit. */
export function indexRows({ receipts, block }: Pick<Group, "receipts" | "block">): readonly IndexRow[] {
  if (receipts.length === 0) return [];
  const at = Math.max(...receipts.map(({ ended_at }) => Date.parse(ended_at)));
  const tail: readonly KeyPart[] = [at, ...block.slice(1)];
  const rows: IndexRow[] = [];
  for (const field of receiptFields) {
    for (const [value, places] of placesOf(receipts, field)) {
      rows.push({ key: [...indexPrefix(field, value), ...tail], value: places });
    }
  }
  return rows;
}

/** Receipts without a value, such as those of refused requests without a model, are found by the others. */
function placesOf(receipts: readonly Receipt[], field: ReceiptField): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, receipt] of receipts.entries()) {
    const value = fieldOf(receipt, field);
    if (value === null) continue;
    const known = places.get(keyPartOf(value));
    if (known === undefined) places.set(keyPartOf(value), [place]);
    else known.push(place);
  }
  return places;
}

/** The index as a part of the ledger's groups. */
export const receiptIndex: GroupPart = { puts: indexRows };
