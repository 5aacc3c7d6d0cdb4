import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { loadTokenizer } from "./tokens.ts";
import { threadMs } from "../../tests/support/thread_time.ts";

const texts = [
  "",
  "hello world",
  "The quick brown fox.\n\n  jumps\tover 1234567 lazy dogs!!! ".repeat(2_000),
  "👩‍👩‍👧 ok 漢字かな交じり文 🇩🇪",
  "\ufeffbyte order mark",
  "e\u0301 combining",
  "中文段落没有空格，但是有标点。句子接着句子！".repeat(40),
  '{"json": [1, 2.5, null], "ключ": "значение"}'.repeat(300),
];

Deno.test("pieces are the text, and count as the encoding counts", async () => {
  const tokenizer = await loadTokenizer();
  for (const text of texts) {
    const chunks = [...tokenizer.chunks(text)];
    assert.equal(chunks.map((chunk) => chunk.text).join(""), text);
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
    assert.equal(tokens, countTokens(text));
    assert.equal(await tokenizer.count([text], { most: Infinity }), tokens);
  }
});

Deno.test("counting stops when there is more than asked about", async () => {
  const tokenizer = await loadTokenizer();
  const tokens = await tokenizer.count(["word ".repeat(100_000)], { most: 1_000 });
  assert.ok(tokens > 1_000 && tokens < 20_000);
});

Deno.test("no piece has half a character, however often one is cut off", async () => {
  const tokenizer = await loadTokenizer();
  for (let n = 0; n < 20; n++) {
    for (const chunk of tokenizer.chunks("👩‍👩‍👧漢字")) {
      assert.ok(chunk.text.isWellFormed() && !chunk.text.includes("\ufffd"));
      if (n % 2 === 0) break;
    }
  }
});

Deno.test("counting long runs takes no quadratic time", async () => {
  const tokenizer = await loadTokenizer();
  for (const run of ["a", " ", ".", "漢", "字仮名", "👩‍👩‍👧", "\n", "aB", "ſ"]) {
    const text = run.repeat(Math.ceil(200_000 / run.length));
    let tokens = 0;
    const took = await threadMs(async () => {
      tokens = await tokenizer.count([text], { most: Infinity });
    });
    assert.ok(took < 3_000, `${run}: ${took} ms`);
    assert.ok(tokens > 0 && tokens <= new TextEncoder().encode(text).length);
    let joined = 0;
    for (const chunk of tokenizer.chunks(text)) joined += chunk.text.length;
    assert.equal(joined, text.length);
  }
});
