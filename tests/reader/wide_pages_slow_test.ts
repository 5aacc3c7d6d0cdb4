/** Pages with more of a kind side by side than a call takes arguments. */

import assert from "node:assert/strict";
import { quickReaderRig } from "../support/quick_reader.ts";

const many = 150_000;
const wide: Readonly<Record<string, string>> = {
  "elements": `<title>x</title>${"<p>word</p>".repeat(many)}`,
  "texts": `<title>x</title>${"word<br>".repeat(many)}`,
  "cells that lay it out": `<table><tr><td><table>${"<tr><td>word".repeat(60_000)}</table></table>`,
  "hidden texts": `<p>word<p style="visibility:hidden">${"no<br>".repeat(many)}`,
  "selectors": `<style>${"a,".repeat(many)}b{color:red} :is(${"a,".repeat(many)}b){color:red}</style><p>word`,
};

for (const [what, html] of Object.entries(wide)) {
  Deno.test(`reader takes a page of very many ${what}`, async () => {
    await using rig = quickReaderRig();
    const read = await rig.read(html);
    assert(read.type === "document", JSON.stringify(read));
    const { text } = read;
    assert.match(text, /^word/);
    assert.doesNotMatch(text, /no/);
  });
}
