import assert from "node:assert/strict";
import { splitSentences, splitText } from "./split_text.ts";

const text = "Good morning, Dr. Smith. How are you? I am fine!  And you: well, thanks.\nA second line.";

Deno.test("splitText leaves a text that fits as it is", () => {
  assert.deepEqual(splitText(text, 1_000), [text]);
  assert.deepEqual(splitText("", 10), []);
});

Deno.test("splitText ends pieces at sentences", () => {
  const chunks = splitText("One is here. Two is here. Three is here.", 28);
  assert.deepEqual(chunks, ["One is here. Two is here. ", "Three is here."]);
});

Deno.test("splitText ends what is too long for a piece at clauses, then words, then code points", () => {
  assert.deepEqual(splitText("first part, second part", 15), ["first part, ", "second part"]);
  assert.deepEqual(splitText("one two three", 8), ["one two ", "three"]);
  assert.deepEqual(splitText("abcdefgh", 3), ["abc", "def", "gh"]);
});

Deno.test("splitText parts no pair of surrogates", () => {
  const chunks = splitText("😀😀😀", 3);
  assert.deepEqual(chunks, ["😀", "😀", "😀"]);
});

Deno.test("splitText knows sentences of other scripts", () => {
  assert.deepEqual(splitText("你好。今天天气很好。", 7), ["你好。", "今天天气很好。"]);
  assert.deepEqual(splitSentences("你好。今天天气很好。"), ["你好。", "今天天气很好。"]);
  assert.deepEqual(splitSentences("नमस्ते। आप कैसे हैं?"), ["नमस्ते। ", "आप कैसे हैं?"]);
});
