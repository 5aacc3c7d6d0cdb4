/** The characters that filters read as others, compared with all that the engine knows of Unicode. */

import assert from "node:assert/strict";
import { spell } from "../../server/pipeline/guardrails/spellings.ts";

const isWhole = (codePoint: number) => codePoint < 0xd800 || codePoint > 0xdfff;
const isMark = (char: string) => /[\p{Lm}\p{No}\p{So}ªº]/u.test(char);
const overlays = /[\u0305\u0332-\u0338\u033f\u0488\u0489\u20d0-\u20f0]/;
const hyphens = /[\u2010-\u2013\u2212\ufe58\ufe63]/;

/** The value of a digit: those of a script follow one another from its zero. */
function digitOf(codePoint: number): string {
  let value = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(codePoint - value - 1))) value++;
  return `${value % 10}`;
}

/** Texts that a character is read as, where it stands alone and where it stands three times in a row. */
function expected(char: string, codePoint: number): readonly [alone: string, thrice: string] {
  if (/\p{DI}/u.test(char) || overlays.test(char)) return ["", ""];
  if (hyphens.test(char)) return ["-", "---"];
  if (/\p{Zs}/u.test(char)) return [" ", "   "];
  const plain = char.normalize("NFKC");
  if (/^[!-~]$/.test(plain)) return [isMark(char) ? char : plain, plain.repeat(3)];
  if (/\p{Nd}/u.test(char)) return [digitOf(codePoint), digitOf(codePoint).repeat(3)];
  return [char, char.repeat(3)];
}

Deno.test("every character of Unicode is read as the one of ASCII that it stands for, or as itself", () => {
  for (let codePoint = 0x80; codePoint <= 0x10ffff; codePoint++) {
    if (!isWhole(codePoint)) continue;
    const char = String.fromCodePoint(codePoint);
    const [alone, thrice] = expected(char, codePoint);
    const name = codePoint.toString(16);
    const read = spell(`x${char}y`).plain;
    if (read !== `x${alone}y`) assert.equal(read, `x${alone}y`, name);
    const readThrice = spell(`x${char.repeat(3)}y`).plain;
    if (readThrice !== `x${thrice}y`) assert.equal(readThrice, `x${thrice}y`, name);
  }
});
