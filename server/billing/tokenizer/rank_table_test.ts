import assert from "node:assert/strict";
import { runNow, runWork } from "../../../shared/util/run_work.ts";
import { readRankTable } from "./rank_table.ts";

const lineOf = (bytes: string, rank: number) => `${btoa(bytes)} ${rank}\n`;

Deno.test("readRankTable reads tokens of any bytes by their ranks", () => {
  const tokens = ["!", "ab", "abc", "\xef\xbb\xbf", "\xe9", "\0\xff ".repeat(40)];
  const table = runNow(readRankTable(tokens.map((bytes, rank) => lineOf(bytes, rank + 7)).join("")));
  for (const [position, bytes] of tokens.entries()) {
    assert.equal(table.rankOf(bytes), position + 7);
    assert.equal(table.bytesOf(position + 7), bytes);
  }
  assert.equal(table.rankOf("b"), undefined);
  assert.equal(table.bytesOf(6), undefined);
  assert.equal(table.bytesOf(7 + tokens.length), undefined);
});

Deno.test("readRankTable says that a table is damaged", () => {
  for (
    const text of ["IQ== 0\nIg", "IQ== 0\nIg== 1", " 1\n", lineOf("a".repeat(300), 1), lineOf("a", 2_000_000)]
  ) {
    assert.throws(() => runNow(readRankTable(text)), RangeError, text);
  }
});

Deno.test("a table of 200,000 tokens is read in turns of a few hundred lines", async () => {
  const lines = 200_000;
  const text = Array.from({ length: lines }, (_, rank) => lineOf(`t${rank}`, rank)).join("");
  let now = 0;
  let pauses = 0;
  // Every look at the clock finds a millisecond gone.
  const clock = { monotonic: () => now++ };
  const pause = () => Promise.resolve(void pauses++);
  const table = await runWork(readRankTable(text), { clock, pause, mostMs: Infinity });
  assert.equal(table.rankOf("t123456"), 123_456);
  const mostInTurn = 6 * 256;
  assert.ok(pauses >= lines / mostInTurn - 1, `${pauses} pauses`);
});
