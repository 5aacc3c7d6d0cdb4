/**
 * The end of a request as a block holds it: by position instead of by name, and without what follows from what stands
 * before it, in it and in the block. A receipt takes a third of the room so, and a sixth behind one that is like it.
 * That counts most where one is written alone: of a row of more than 1,000 bytes SQLite keeps the rest in pages beside
 * the tree, which every search that comes past it has to read.
 */

import { joinStrings } from "../../../shared/util/text.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { CloseEntry } from "./journal_batch.ts";
import { type AnyField, type Half, halves, type Known, sameTexts } from "./packed_fields.ts";

/** Stands for the scopes of a key without guardrails. */
const USUAL_SCOPES = 0;

/** The entry's own fields, which of the receipt's are written and which are those of the one before, and the first. */
export type EncodedClose = readonly unknown[];

const WRITTEN = 4;

/** Which fields are where, by their bits. */
interface Marks {
  /** Those whose values are here. */
  readonly written: number;
  /** Those that are as in the receipt before. */
  readonly same: number;
}

/** Stands for the marks of the receipt before. */
const AS_BEFORE = 0;

/** `before`: the receipt in front of it in the same block, if there is one. */
export function encodeClose(entry: CloseEntry, before?: Receipt): EncodedClose {
  const { at, scopes, cost, byok, receipt } = entry;
  const known = { at, cost, receipt, before };
  const packed: unknown[] = [at, areUsual(scopes, receipt) ? USUAL_SCOPES : scopes, cost, byok, 0];
  const earlier = before && usualOf(before);
  const usual: number[] = [];
  let written = 0;
  let same = 0;
  for (const half of halves) {
    const { all, weight } = half;
    const changed = before === undefined ? all : half.apart(receipt, before);
    // What is as before is as usual where it was that before.
    let ordinary = (earlier?.[usual.length] ?? 0) & ~changed;
    for (let left = changed; left !== 0; left &= left - 1) {
      const bit = left & -left;
      const field = fieldAt(half, bit);
      const value = receipt[field.name];
      if (isUsual(field, value)) ordinary |= bit;
      else if (!isFollowing(field, { value, known })) {
        written += bit * weight;
        packed.push(field.pack === undefined ? value : field.pack(value, known));
      }
    }
    same += (all & ~changed & ~ordinary) * weight;
    usual.push(ordinary);
  }
  packed[WRITTEN] = marksOf({ written, same }, before);
  latest = { receipt, usual, written, same };
  return packed;
}

/** What the one behind it asks of the receipt that was packed last. */
interface Latest extends Marks {
  readonly receipt: Receipt;
  /** In each half the bits of its fields that are as usual. */
  readonly usual: readonly number[];
}

let latest: Latest | undefined;

/** What is told of the marks: most receipts have those of the one before. */
function marksOf({ written, same }: Marks, before: Receipt | undefined): unknown {
  if (before === undefined) return written;
  const alike = latest?.receipt === before && latest.written === written && latest.same === same;
  return alike ? AS_BEFORE : [written, same];
}

function usualOf(receipt: Receipt): readonly number[] {
  if (latest?.receipt === receipt) return latest.usual;
  return halves.map(({ fields }) =>
    fields.reduce((bits, field, at) => isUsual(field, receipt[field.name]) ? bits | 1 << at : bits, 0)
  );
}

function fieldAt({ fields }: Half, bit: number): AnyField {
  const field = fields[31 - Math.clz32(bit)];
  if (field === undefined) throw new Error(`No field of a receipt has the bit ${bit}`);
  return field;
}

const isUsual = ({ usual, follows }: AnyField, value: unknown): boolean =>
  follows === undefined && value === usual;

interface Looking {
  readonly value: unknown;
  readonly known: Known;
}

function isFollowing({ follows, agrees }: AnyField, { value, known }: Looking): boolean {
  if (agrees !== undefined) return agrees(value, known);
  return follows !== undefined && value === follows(known);
}

/** The closes of a block, in its order, unchecked; their receipts as far as they can be read. */
export function closeDecoder(): (packed: EncodedClose) => unknown {
  let before: Partial<Receipt> | undefined;
  let marks: Marks = { written: 0, same: 0 };
  return ([at, own, cost, byok, told, ...values]) => {
    const receipt: Record<string, unknown> = {};
    const known = asKnown({ at, cost, receipt, before });
    if (told !== AS_BEFORE) marks = readMarks(told);
    try {
      unpack(receipt, { known, values, ...marks });
    } catch (_error) {
      // Whoever wants the receipt sees what it lacks; the entry counts whatever has become of it.
    }
    before = known.receipt;
    const scopes = own === USUAL_SCOPES ? usualScopes(known.receipt) : own;
    return { type: "close", at, scopes, cost, byok, receipt };
  };
}

/** Of a receipt with none before it nothing is the same. */
function readMarks(told: unknown): Marks {
  const [written, same] = Array.isArray(told) ? told : [told, 0];
  return { written: Number(written), same: Number(same) };
}

interface Unpacking extends Marks {
  readonly known: Known;
  readonly values: readonly unknown[];
}

/** Throws for what cannot be a receipt. */
function unpack(receipt: Record<string, unknown>, { known, values, written, same }: Unpacking): void {
  let next = 0;
  for (const { fields, weight } of halves) {
    fields.forEach(({ name, usual, follows, unpack }, at) => {
      const bit = weight * 2 ** at;
      const stands = has(written, bit);
      const unwritten = has(same, bit)
        ? known.before?.[name]
        : follows === undefined
        ? usual
        : follows(known);
      const value = stands ? values[next++] : unwritten;
      if (value !== undefined) receipt[name] = stands && unpack !== undefined ? unpack(value, known) : value;
    });
  }
}

const has = (bits: number, bit: number): boolean => Math.floor(bits / bit) % 2 === 1;

/** Whose scopes were asked for last: most requests are of the key of the one before. */
let last = { key_hash: "", workspace_id: "", scopes: usualScopes({}) };

function areUsual(scopes: readonly string[], { key_hash, workspace_id }: Receipt): boolean {
  if (key_hash !== last.key_hash || workspace_id !== last.workspace_id) {
    last = { key_hash, workspace_id, scopes: usualScopes({ key_hash, workspace_id }) };
  }
  if (!sameTexts(scopes, last.scopes)) return false;
  // The next request of the key brings the very same texts, which are told to be alike without being read.
  last.scopes = scopes;
  return true;
}

function usualScopes({ key_hash = "", workspace_id = "" }: Partial<Receipt>): readonly string[] {
  return [joinStrings("key:", key_hash), joinStrings("workspace:", workspace_id), "account"];
}

/** What is read is checked once it is whole; until then it is what it should be, or something that cannot be read. */
function asKnown(
  unchecked: Readonly<Record<keyof Known, unknown>>,
): Known {
  return unchecked as Known;
}
