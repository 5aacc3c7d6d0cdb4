import assert from "node:assert/strict";
import { runNow } from "../../../shared/util/run_work.ts";
import { cutMiddle } from "./cut_text.ts";
import { cutAfter, cutBefore } from "./safe_cut.ts";

/** A token is a character here. */
const measure = (piece: string) => piece.length;

Deno.test("cutMiddle keeps the beginning and the end, and says how much is gone between them", () => {
  const text = "begin ".repeat(100) + "end ".repeat(100);
  const cut = runNow(cutMiddle(text, { tokens: 200, measure }));
  assert(cut.length <= 200, `${cut.length} characters`);
  const [, head = "", gone, tail = ""] =
    /^([^[]*)\n\[\.\.\. (\d+) characters left out \.\.\.\]\n([^[]*)$/.exec(cut) ?? [];
  assert(text.startsWith(head) && text.endsWith(tail), cut);
  assert(head.length > 60 && tail.length > 60, "both ends stay");
  assert.equal(head.length + Number(gone) + tail.length, text.length);
});

Deno.test("cutMiddle leaves a text alone of which nothing can go", () => {
  assert.equal(runNow(cutMiddle("short", { tokens: 200, measure })), "short");
});

Deno.test("cutMiddle finds the end of a text that has few tokens for its length", () => {
  const sparse = (piece: string) => Math.ceil(piece.length / 500);
  const text = "x".repeat(2_000_000);
  const cut = runNow(cutMiddle(text, { tokens: 101, measure: sparse }));
  const [head = "", tail = ""] = cut.split(/\n\[.*\]\n/);
  for (const side of [head, tail]) assert(side.length > 4_000 && side.length <= 25_000, `${side.length}`);
});

const cuts: Readonly<Record<string, readonly [text: string, at: number, before: number, after: number]>> = {
  "between words": ["one two three", 5, 3, 8],
  "where a word begins": ["one two", 4, 3, 4],
  "inside a surrogate pair": ["a😀b", 2, 1, 3],
  "inside a family": ["a👩‍👩‍👧‍👦b", 6, 1, 12],
  "inside an accented letter": ["xe\u0301y", 2, 1, 3],
  "inside a flag": ["🇩🇪🇫🇷🇮🇹", 6, 4, 8],
  "at the beginning": ["abc", 0, 0, 0],
  "at the end": ["abc", 3, 3, 3],
  "beyond the end": ["abc", 9, 3, 3],
};

for (const [name, [text, at, before, after]] of Object.entries(cuts)) {
  Deno.test(`cutBefore and cutAfter find a place near one ${name}`, () => {
    assert.equal(cutBefore(text, at), before);
    assert.equal(cutAfter(text, at), after);
  });
}

Deno.test("a long run of flags is not cut inside one, wherever it begins", () => {
  const text = `${"🇩🇪".repeat(5_000)}`;
  for (const at of [10_001, 10_002, 10_003]) {
    assert.equal(cutBefore(text, at) % 4, 0);
    assert.equal(cutAfter(text, at) % 4, 0);
  }
});
