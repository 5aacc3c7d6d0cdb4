/** Sheets that are made to take long or to break what reads them: the text below them is read. */

import assert from "node:assert/strict";
import { quickReaderRig } from "../support/quick_reader.ts";

const many = (count: number, render: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => render(at)).join("");
const around = (count: number, [open, inner, close]: readonly [string, string, string]) =>
  open.repeat(count) + inner + close.repeat(count);

/** Sheets. */
const sheets: Readonly<Record<string, string>> = {
  "nested rules that name the rule around them many times": around(40, [
    "& & & & & & & & {",
    "color:red",
    "}",
  ]),
  "rules within rules": many(5_000, (at) => `.a${at}{`),
  "lists within lists": `${around(3_000, [":is(", "p", ")"])}{display:none}`,
  "conditions within conditions": `@media ${around(3_000, ["(not ", "(hover)", ")"])}{p{display:none}}`,
  "supported conditions": `@supports ${around(3_000, ["(", "(display:bogus)", ")"])}{p{display:none}}`,
  "a chain of elements": `${"div ".repeat(500)}p{display:none}`,
  "brackets that nobody closes": "{[(".repeat(100_000),
  "a long name": `${"a".repeat(1_000_000)}{display:none}`,
  "variables that multiply": `:root{--a0:x x x x x x x x x x;${
    many(15, (at) => `--a${at + 1}:${`var(--a${at}) `.repeat(10)};`)
  }}p{color:var(--a15)}`,
  "variables in a circle": ":root{--a:var(--b);--b:var(--a)}p{color:var(--a)}",
  "imports of itself": `@import "data:text/css,@import url(data:text/css,p{color:red})";`,
  "a calculation within calculations": `p{width:${around(20_000, ["calc(", "1px", ")"])}}`,
  "a mix of mixes": `p{color:${around(300, ["color-mix(in srgb, red, ", "red", ")"])}}`,
  "many colours": `p{mask:linear-gradient(${"#000,".repeat(20_000)}#000)}`,
  "many shadows": `p{color:transparent;text-shadow:${"1px 1px red,".repeat(5_000)}1px 1px red}`,
  "many transforms": `p{transform:${"rotate(1deg) ".repeat(5_000)}}`,
  "a place among brothers that is no number": "p:nth-child(99999999999999999999n - 9e99){display:none}",
};

Deno.test("reader reads what stands below hostile sheets", async () => {
  await using rig = quickReaderRig();
  for (const [what, sheet] of Object.entries(sheets)) {
    const result = await rig.read(`<!doctype html><style>${sheet}</style><p>The text below.</p>`);
    assert.equal(result.type === "document" && result.text, "The text below.", what);
  }
});

Deno.test("reader takes a value that is too long to be checked for what it claims to be", async () => {
  await using rig = quickReaderRig();
  const points = many(20_000, () => "0 0,");
  const result = await rig.read(`<p>Seen.</p><p style="clip-path:polygon(${points}0 0)">SECRET</p>`);
  assert.equal(result.type === "document" && result.text, "Seen.");
});
