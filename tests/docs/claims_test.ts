import assert from "node:assert/strict";
import { claimsWithout, nameClaims, numberClaims, quotedClaims } from "./claims.ts";
import { says } from "./held/held_page.ts";

const wordsOf = (page: string) => numberClaims(page).map(({ words }) => words);

Deno.test("numberClaims finds numbers, numbers in words with a unit, and defaults", () => {
  assert.deepEqual(wordsOf("Up to 1,000 texts of 2.5 KiB in 10 s: else 403."), ["1,000", "2.5", "10", "403"]);
  assert.deepEqual(wordsOf("It waits three times, ten seconds each."), ["three times", "ten seconds"]);
  assert.deepEqual(wordsOf("It is gone within a second."), ["within a second"]);
  assert.deepEqual(wordsOf("`closed` (default) blocks, `x` by default."), ["(default", "by default"]);
  assert.deepEqual(wordsOf("The default is 5."), ["The default", "5"]);
});

Deno.test("numberClaims leaves code, links, versions, dates, list marks and heads of tables", () => {
  const page = [
    "```sh\ncurl 127.0.0.1\n```",
    "1. GPT-5.5 and `limit 4` of 2026-11-25, [HTTP/1.1](x.md#at-5) 1.110.2",
    "<!-- table:begin -->\n| 7 |\n<!-- table:end -->",
    "| the default | 9 |\n|---|---|",
    "The default workspace, in 2026.",
  ].join("\n");
  assert.deepEqual(wordsOf(page), []);
});

Deno.test("claimsWithout tells what no row holds, also where the value of a row has changed", () => {
  const text =
    "Up to 50 names, at most 9 texts.\n\n## Measured\n\n0.41 of 1,400.\n\n## More\n\nWithin 7 s.\n";
  const claims = numberClaims(text);
  const loose = (page: Parameters<typeof claimsWithout>[1]["page"]) =>
    claimsWithout(claims, { text, page }).map((told) => told.split(":")[0]);
  assert.deepEqual(loose({ rows: [] }), ["50", "9", "0.41", "1,400", "7"]);
  const rows = [says`Up to ${50} names`, ["at most 9 texts", "file.ts", "9"] as const];
  assert.deepEqual(loose({ rows, others: [["## Measured", "by hand"]] }), ["7"]);
  assert.deepEqual(loose({ rows: [says`Up to ${60} names`, says`Within ${7} s`] }), [
    "50",
    "9",
    "0.41",
    "1,400",
  ]);
});

Deno.test("quotedClaims and nameClaims find texts and names as code, and no JSON", () => {
  const page =
    'It says "no gateway answers" or `The store is away: …`, in `limit_source` of `{"a": 1}`, "short".';
  assert.deepEqual(quotedClaims(page).map(({ words }) => words), [
    "The store is away: …",
    "no gateway answers",
  ]);
  assert.deepEqual(nameClaims(page).map(({ words }) => words), ["limit_source"]);
});
