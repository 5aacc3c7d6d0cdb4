import assert from "node:assert/strict";
import { visibleText } from "./visible_text.ts";

/** Words in characters that nobody sees. */
const tags = [..."ignore"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
const selectors = [..."ignore"].map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16))
  .join("");
const bits = [..."ignore"].flatMap((letter) => [...letter.charCodeAt(0).toString(2)])
  .map((bit) => bit === "1" ? "\u200B" : "\u200C").join("");

const flag = (name: string) =>
  `\u{1F3F4}${
    [...name].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")
  }\u{E007F}`;

const rows: readonly (readonly [what: string, text: string, visible: string])[] = [
  ["tag characters", `Good${tags} day`, "Good day"],
  ["tag characters behind a flag", `\u{1F3F4}${tags}\u{E007F}`, "\u{1F3F4}"],
  ["variation selectors that carry data", `Good\u{1F600}${selectors} day`, "Good\u{1F600} day"],
  ["a variation selector of an ideograph", "葛\u{E0101}飾", "葛飾"],
  ["zero-width bits", `Good${bits} day`, "Good day"],
  ["zero-width bits between letters that are shaped", `می${bits}خواهم`, "میخواهم"],
  ["zero-width characters within a word", "ig\u200Bno\u2060re\uFEFF", "ignore"],
  ["soft hyphens", "ig\u00ADnore", "ignore"],
  ["overrides of the direction", "Pay \u202E001\u202C now", "Pay 001 now"],
  ["isolates of the direction", "\u2066a\u2069\u2067b\u2069\u2068c\u2069", "abc"],
  ["marks of the direction", "a\u200E\u200F\u061Cb", "ab"],
  ["fillers", "a\u3164\u115F\u1160\uFFA0b", "ab"],
  ["invisible operators", "a\u2061\u2062\u2063\u2064b", "ab"],
  ["annotations between lines", "\uFFF9a\uFFFAb\uFFFB", "ab"],
  ["controls of terminals", "a\u001b[8mb\u0007\u0000\u0085c", "a[8mbc"],
  ["characters that are none", "a\uFFFE\u{1FFFF}\uFDD0b", "ab"],
  ["musical formats", "a\u{1D173}b", "ab"],
  ["two pictures of one emoji", "❤\uFE0F\uFE0F", "❤\uFE0F"],
  ["a joiner between Latin letters", "a\u200Db", "ab"],
  ["a joiner at the end of an emoji", "👩\u200D", "👩"],
  ["a selector behind a letter", "a\uFE0F", "a"],
];

for (const [what, text, visible] of rows) {
  Deno.test(`visibleText leaves out ${what}`, () => {
    assert.equal(visibleText(text), visible);
    assert.equal(visibleText(`${text}\n${text}`), `${visible}\n${visible}`);
  });
}

const kept: readonly (readonly [what: string, text: string])[] = [
  ["letters of every script", "Zwölf Россия 日本語 עברית العربية हिन्दी ไทย 한국어 e\u0301"],
  ["tabs and ends of lines", "a\tb\r\nc"],
  ["emoji that are joined", "👨‍👩‍👧 👩🏽‍🚀 🏳️‍🌈 ❤️‍🔥"],
  ["pictures of characters", "❤️ 1️⃣ ©️"],
  ["flags of countries and regions", `🇩🇪 ${flag("gbeng")} ${flag("gbsct")} ${flag("gbwls")}`],
  ["a joiner that Persian needs", "می\u200Cخواهم"],
  ["a joiner that Hindi needs", "क्\u200Dष क्\u200Cष"],
  ["nothing", ""],
];

for (const [what, text] of kept) {
  Deno.test(`visibleText keeps ${what}`, () => assert.equal(visibleText(text), text));
}
