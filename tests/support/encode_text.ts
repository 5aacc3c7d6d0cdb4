/** Texts in the encodings that nothing but a decoder knows here. */

import assert from "node:assert/strict";

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** The bytes of each character that has one or two of them. */
function tableOf(label: string): ReadonlyMap<string, readonly number[]> {
  const found = tables.get(label);
  if (found !== undefined) return found;
  const decoder = new TextDecoder(label, { fatal: true });
  const table = new Map<string, readonly number[]>();
  const add = (bytes: readonly number[]) => {
    try {
      const text = decoder.decode(new Uint8Array(bytes));
      if ([...text].length === 1 && !table.has(text)) table.set(text, bytes);
    } catch (_error) {
      // No character has these bytes.
    }
  };
  for (let byte = 0; byte < 256; byte++) add([byte]);
  for (let lead = 0x81; lead < 255; lead++) for (let trail = 0x40; trail < 255; trail++) add([lead, trail]);
  tables.set(label, table);
  return table;
}

/** By a label of the Encoding Standard. Fails for a character that the encoding does not have. */
export function encodeText(text: string, label: string): Uint8Array<ArrayBuffer> {
  if (label === "utf-8") return new TextEncoder().encode(text);
  if (label === "utf-16le" || label === "utf-16be") {
    const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
    return new Uint8Array(
      units.flatMap((unit) => {
        const pair = [unit & 0xff, unit >> 8];
        return label === "utf-16le" ? pair : pair.reverse();
      }),
    );
  }
  const table = tableOf(label);
  return new Uint8Array(
    [...text].flatMap((character) => table.get(character) ?? assert.fail(`${label} has no ${character}`)),
  );
}
