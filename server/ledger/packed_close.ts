/**
 * The end of a request as a block holds it: by position instead of by name, and without what follows from what stands
 * before it, in it and in the block. A receipt takes a third of the room so, and a sixth behind one that is like it.
 * That counts most where one is written alone: of a row of more than 1,000 bytes SQLite keeps the rest in pages beside
 * the tree, which every search that comes past it has to read.
 */

import { joined } from "../../shared/joined.ts";
import type { Receipt } from "../../shared/receipts.ts";
import type { CloseEntry } from "./entries.ts";
import { type Known, order, sameTexts, valuesOf } from "./packed_fields.ts";

/** Stands for the scopes of a key without guardrails. */
const USUAL_SCOPES = 0;

/** The entry's own fields, which of the receipt's are written and which are those of the one before, and the first. */
export type PackedClose = readonly unknown[];

const WRITTEN = 4;

/** `before`: the receipt in front of it in the same block, if there is one. */
export function packedClose(entry: CloseEntry, before?: Receipt): PackedClose {
  const { at, scopes, cost, byok, receipt } = entry;
  const known = { at, cost, receipt, before };
  const packed: unknown[] = [at, areUsual(scopes, receipt) ? USUAL_SCOPES : scopes, cost, byok, 0];
  const values = valuesOf(receipt);
  const earlier = before && valuesOf(before);
  let written = 0;
  let same = 0;
  let place = 0;
  for (const { bit, usual, follows, pack } of order) {
    const value = values[place];
    const other = earlier?.[place];
    place++;
    if (follows === undefined && value === usual) continue;
    // Sooner told than what follows.
    if (before !== undefined && value === other) {
      same += bit;
      continue;
    }
    if (follows !== undefined && value === follows(known)) continue;
    written += bit;
    packed.push(pack === undefined ? value : pack(value, known));
  }
  packed[WRITTEN] = before === undefined ? written : [written, same];
  return packed;
}

/** The closes of a block, in its order, unchecked; their receipts as far as they can be read. */
export function unpackedCloses(): (packed: PackedClose) => unknown {
  let before: Partial<Receipt> | undefined;
  return ([at, own, cost, byok, marks, ...values]) => {
    const receipt: Record<string, unknown> = {};
    const known = asKnown({ at, cost, receipt, before });
    const [written, same] = Array.isArray(marks) ? marks : [marks, 0];
    try {
      unpack(receipt, { known, values, written: Number(written), same: Number(same) });
    } catch (_error) {
      // Whoever wants the receipt sees what it lacks; the entry counts whatever has become of it.
    }
    before = known.receipt;
    const scopes = own === USUAL_SCOPES ? usualScopes(known.receipt) : own;
    return { type: "close", at, scopes, cost, byok, receipt };
  };
}

interface Unpacking {
  readonly known: Known;
  readonly values: readonly unknown[];
  /** Bits of the fields whose values are here. */
  readonly written: number;
  /** Of those that are as in the receipt before. */
  readonly same: number;
}

/** Throws for what cannot be a receipt. */
function unpack(receipt: Record<string, unknown>, { known, values, written, same }: Unpacking): void {
  let next = 0;
  for (const { name, bit, usual, follows, unpack } of order) {
    const stands = has(written, bit);
    const unwritten = has(same, bit) ? known.before?.[name] : follows === undefined ? usual : follows(known);
    const value = stands ? values[next++] : unwritten;
    if (value !== undefined) receipt[name] = stands && unpack !== undefined ? unpack(value, known) : value;
  }
}

const has = (bits: number, bit: number): boolean => Math.floor(bits / bit) % 2 === 1;

/** Whose scopes were asked for last: most requests are of the key of the one before. */
let last = { key_hash: "", workspace_id: "", scopes: usualScopes({}) };

function areUsual(scopes: readonly string[], { key_hash, workspace_id }: Receipt): boolean {
  if (key_hash !== last.key_hash || workspace_id !== last.workspace_id) {
    last = { key_hash, workspace_id, scopes: usualScopes({ key_hash, workspace_id }) };
  }
  return sameTexts(scopes, last.scopes);
}

function usualScopes({ key_hash = "", workspace_id = "" }: Partial<Receipt>): readonly string[] {
  return [joined("key:", key_hash), joined("workspace:", workspace_id), "account"];
}

/** What is read is checked once it is whole; until then it is what it should be, or something that cannot be read. */
function asKnown(
  unchecked: Readonly<Record<keyof Known, unknown>>,
): Known {
  return unchecked as Known;
}
