import assert from "node:assert/strict";
import { encodeTerms, lookupOf, partsOf, TermTable } from "./index_part.ts";
import { wordsOf } from "./words.ts";

const words = (text: string) => [...wordsOf(text)];

Deno.test("wordsOf gives the forms of a word one form, in English and German", () => {
  const same = [
    ["Order", "orders", "ORDERED", "ordering"],
    ["Kündigung", "kündigen", "Kündigungen", "KUNDIGUNG"],
    ["Straße", "STRASSE"],
    ["policy", "policies"],
    ["ﬁles", "files"],
  ];
  for (const forms of same) {
    const [first] = forms.map((form) => words(form).join(" "));
    for (const form of forms) assert.equal(words(form).join(" "), first, form);
  }
});

Deno.test("wordsOf cuts at signs, and scripts without spaces into their words", () => {
  assert.deepEqual(words("a_b-c.d: 4,5"), ["a", "b", "c", "d", "4", "5"]);
  assert.deepEqual(words("__proto__"), words("proto"));
  const chinese = words("图书馆每天早上九点开门");
  assert.ok(chinese.includes("每天") && chinese.length > 3, chinese.join(" "));
  assert.equal(words("语".repeat(5_000)).join("").length, 5_000);
  assert.deepEqual(words("\u0000 \ud800 ..."), []);
});

Deno.test("partsOf gives the parts that a word may be put together of", () => {
  const parts = partsOf("kundigungsfrist");
  assert.ok(parts.includes("frist") && parts.includes("kundig"), parts.join(" "));
  assert.deepEqual(partsOf("abcdefg"), []);
});

Deno.test("TermTable finds the longer words that end with a word, and not the word itself", () => {
  const terms = ["ausfal", "fal", "stromausfal", "unfal", "wasserausfal"];
  const table = new TermTable(
    encodeTerms(terms.map((term, piece) => ({ term, counts: [{ piece, count: 2 }] }))),
  );
  const ending = (word: string) => table.ending(lookupOf(word));
  assert.deepEqual(ending("ausfal"), [
    { term: "stromausfal", counts: [{ piece: 2, count: 2 }] },
    { term: "wasserausfal", counts: [{ piece: 4, count: 2 }] },
  ]);
  // Too short: it ends many words that have nothing to do with it.
  assert.deepEqual([ending("fal"), ending("kurzausfal"), ending("stromausfal")], [[], [], []]);
  assert.deepEqual(new TermTable(encodeTerms([])).ending(lookupOf("ausfal")), []);
});
