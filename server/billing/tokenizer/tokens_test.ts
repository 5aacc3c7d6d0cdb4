import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { runNow, type Work } from "../../../shared/util/run_work.ts";
import { loadedForTest } from "../../../tests/support/tokenizer.ts";
import { threadMs } from "../../../tests/support/thread_time.ts";

/** Pauses that a work offers. */
function stepsOf(work: Work<unknown>): number {
  let steps = 0;
  while (work.next().done !== true) steps++;
  return steps;
}

const texts = [
  "",
  "hello world",
  "The quick brown fox.\n\n  jumps\tover 1234567 lazy dogs!!! ".repeat(2_000),
  "👩‍👩‍👧 ok 漢字かな交じり文 🇩🇪",
  "e\u0301 combining",
  "中文段落没有空格，但是有标点。句子接着句子！".repeat(40),
  '{"json": [1, 2.5, null], "ключ": "значение"}'.repeat(300),
];

Deno.test("pieces are the text, and count as the encoding counts", async () => {
  const tokenizer = await loadedForTest();
  for (const text of texts) {
    const chunks = [...tokenizer.chunks(text)];
    assert.equal(chunks.map((chunk) => chunk.text).join(""), text);
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
    assert.equal(tokens, countTokens(text));
    assert.equal(runNow(tokenizer.count([text], { most: Infinity })), tokens);
  }
});

Deno.test("a byte order mark is the token that the encoding has for it", async () => {
  const tokenizer = await loadedForTest();
  const chunks = [...tokenizer.chunks("\ufeffbyte order")];
  assert.deepEqual(chunks.map(({ text, tokens }) => [text, tokens]), [["\ufeff", 1], ["byte", 1], [
    " order",
    1,
  ]]);
  assert.equal(tokenizer.countNow("\ufeffbyte order"), 3);
});

Deno.test("counting offers a pause for every block of a text, and for every text", async () => {
  const tokenizer = await loadedForTest();
  const long = "The quick brown fox. ".repeat(50_000);
  for (const texts of [[long], Array.from({ length: 500 }, () => "short")]) {
    const steps = stepsOf(tokenizer.count(texts, { most: Infinity }));
    const chars = texts.join("").length;
    assert.ok(steps >= Math.max(texts.length, chars / 16_384), `${steps} steps for ${chars} characters`);
  }
});

Deno.test("counting stops when there is more than asked about", async () => {
  const tokenizer = await loadedForTest();
  const tokens = runNow(tokenizer.count(["word ".repeat(100_000)], { most: 1_000 }));
  assert.ok(tokens > 1_000 && tokens < 20_000);
});

Deno.test("no piece has half a character, however often one is cut off", async () => {
  const tokenizer = await loadedForTest();
  for (let n = 0; n < 20; n++) {
    for (const chunk of tokenizer.chunks("👩‍👩‍👧漢字")) {
      assert.ok(chunk.text.isWellFormed() && !chunk.text.includes("\ufffd"));
      if (n % 2 === 0) break;
    }
  }
});

Deno.test("counting long runs takes no quadratic time", async () => {
  const tokenizer = await loadedForTest();
  for (const run of ["a", " ", ".", "漢", "字仮名", "👩‍👩‍👧", "\n", "aB", "ſ"]) {
    const text = run.repeat(Math.ceil(200_000 / run.length));
    let tokens = 0;
    const took = await threadMs(() => {
      tokens = runNow(tokenizer.count([text], { most: Infinity }));
    });
    assert.ok(took < 3_000, `${run}: ${took} ms`);
    assert.ok(tokens > 0 && tokens <= new TextEncoder().encode(text).length);
    let joined = 0;
    for (const chunk of tokenizer.chunks(text)) joined += chunk.text.length;
    assert.equal(joined, text.length);
  }
});
