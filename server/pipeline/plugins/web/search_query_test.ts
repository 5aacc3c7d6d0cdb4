import assert from "node:assert/strict";
import type { Item } from "../../../protocols/canonical/item.ts";
import { questionAt, searchQuery } from "./search_query.ts";

const user = (text: string): Item => ({ type: "message", role: "user", parts: [{ type: "text", text }] });
const assistant: Item = { type: "message", role: "assistant", parts: [{ type: "text", text: "Hello." }] };
const picture: Item = {
  type: "message",
  role: "user",
  parts: [{ type: "image", url: "https://a.example/b.png" }],
};

const queries: readonly (readonly [text: string, query: string])[] = [
  ["What is new?", "What is new?"],
  ["  two\n\n lines\t here ", "two lines here"],
  ["Why?\n```ts\nconst a = 1;\n```\nAnd how?", "Why? And how?"],
  ["Why?\n~~~~\n```\n~~~\n~~~~\nSo?", "Why? So?"],
  ["Why?\n  ```\ncode that never ends", "Why?"],
  ["> They said this\n> and that\nIs it true?", "Is it true?"],
  ["What is `Map.groupBy`?", "What is `Map.groupBy`?"],
  ["``` inline ``` is no fence's end", ""],
  ["```\nonly code\n```", ""],
  ["a > b?", "a > b?"],
];

Deno.test("searchQuery leaves out blocks of code and quoted lines", () => {
  for (const [text, query] of queries) assert.equal(searchQuery([user(text)]), query, text);
});

Deno.test("searchQuery is the user's latest text, in 400 characters of whole words", () => {
  assert.equal(searchQuery([user("Old."), assistant, user("New."), assistant, picture]), "New.");
  assert.equal(questionAt([user("Old."), assistant, user("New."), picture]), 2);
  assert.equal(searchQuery([assistant]), "");
  const long = searchQuery([user("😀 words ".repeat(200))]);
  assert(long.length <= 400 && long.length > 380 && long.isWellFormed(), long);
  assert.equal(searchQuery([user("x".repeat(1_000))]).length, 400);
});

Deno.test("searchQuery joins the texts of one message", () => {
  const parts = [{ type: "text", text: "One" }, { type: "text", text: "two" }] as const;
  assert.equal(searchQuery([{ type: "message", role: "user", parts }]), "One two");
});
