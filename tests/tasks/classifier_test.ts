/** Tests the task classifier: its weights, its corpus, and what it reads of a request. */

import assert from "node:assert/strict";
import { taskTypes } from "../../shared/task_types.ts";
import type { ContentPart, Item } from "../../server/protocols/canonical/item.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { classifyTask } from "../../server/pipeline/routing/tasks/classify_task.ts";
import { readPrompts, requestOf } from "./corpus.ts";
import { weightsText } from "./train.ts";

const training = readPrompts("training");
const languages = ["en", "de", "fr", "es", "zh"] as const;

Deno.test("the committed weights are those of the committed prompts", async () => {
  const file = new URL("../../server/pipeline/routing/tasks/weights.json", import.meta.url);
  const text = await Deno.readTextFile(file);
  assert.equal(weightsText() === text, true, "run `deno task train-tasks`");
  assert.ok(text.length <= 400 * 1_024, `${text.length} bytes`);
});

Deno.test("training has every task in every language, and no prompt twice", () => {
  assert.ok(training.length >= 1_500);
  for (const language of languages) {
    for (const task of taskTypes) {
      const own = training.filter((prompt) => prompt.language === language && prompt.task === task);
      assert.ok(own.length >= 10, `${language} ${task}: ${own.length}`);
    }
  }
  const requests = training.map((prompt) => JSON.stringify({ ...prompt, task: "" }));
  assert.equal(new Set(requests).size, requests.length);
});

const [first] = training;
assert.ok(first !== undefined);
const plain = requestOf({ language: "en", task: "math", messages: [{ role: "user", content: "x" }] });

const message = (role: "user" | "system" | "assistant", parts: readonly ContentPart[]): Item => ({
  type: "message",
  role,
  parts,
});
const text = (value: string): ContentPart => ({ type: "text", text: value });
const asks = (value: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...plain,
  input: [message("user", [text(value)])],
  ...more,
});

Deno.test("classifyTask tells the task of plain prompts", () => {
  const prompts: readonly (readonly [string, string])[] = [
    ["Translate this sentence into German: I am late.", "translation"],
    ["Schreib mir ein Gedicht über den Winter", "writing"],
    ["¿Por qué vuelan los aviones?", "qa_knowledge"],
    ["解方程 x² - 4 = 0", "math"],
    ["SELECT name FROM users WHERE id = 3: pourquoi cette requête est lente ?", "data:sql"],
  ];
  for (const [prompt, task] of prompts) assert.equal(classifyTask(asks(prompt)), task, prompt);
});

const materials = [
  "The council met on Monday. Supporters of the pool wanted to keep it, the treasurer warned of the cost. "
    .repeat(6),
  "Dear Ms Okafor,\nthe chairs leave our warehouse on 14 March; the invoice over 18,960 EUR is due in April.\n"
    .repeat(6),
  "Der Stadtrat hat beschlossen, die Innenstadt ab Herbst für den Durchgangsverkehr zu sperren. ".repeat(7),
];

Deno.test("what a long prompt asks for stands at one of its ends, whatever lies between", () => {
  const questions: readonly (readonly [string, string])[] = [
    ["Please translate the following text into French.", "translation"],
    ["Fasse den Text in drei Sätzen zusammen.", "summarization"],
    ["Extract all amounts and dates as JSON.", "data:extraction"],
    ["Write a blog post of 500 words about this, with a catchy title.", "writing"],
  ];
  for (const material of materials) {
    for (const [ask, task] of questions) {
      assert.equal(classifyTask(asks(`${ask}\n\n${material}`)), task, `${ask} in front`);
      assert.equal(classifyTask(asks(`${material}\n\n${ask}`)), task, `${ask} behind`);
    }
  }
});

Deno.test("classifyTask leaves what has nothing to classify", () => {
  const speech: ModelRequest = {
    ...asks("Read this aloud"),
    speech: { customVoice: false, format: "mp3", events: false, options: {} },
  };
  const cases: readonly ModelRequest[] = [
    speech,
    asks(""),
    asks(" \n\t"),
    { ...plain, input: [] },
    { ...plain, input: [message("assistant", [text("Good morning")])] },
  ];
  for (const request of cases) assert.equal(classifyTask(request), undefined);
});

Deno.test("classifyTask reads a picture without a text, and a system's text without a user's", () => {
  const picture: ContentPart = { type: "image", url: "https://example.com/cat.png" };
  assert.equal(classifyTask({ ...plain, input: [message("user", [picture])] }), "vision");
  const instructions = "You are a translator. Translate into French.";
  assert.equal(classifyTask({ ...plain, input: [], instructions }), "translation");
  const input = [message("system", [text(instructions)])];
  assert.equal(classifyTask({ ...plain, input }), "translation");
});

Deno.test("classifyTask judges the last message of the user's, with what came before aside", () => {
  const input = [
    message("user", [text("Translate into German: good night")]),
    message("assistant", [text("Gute Nacht")]),
    message("user", [text("Solve the equation 3x + 4 = 19 for x")]),
  ];
  assert.equal(classifyTask({ ...plain, input }), "math");
});

Deno.test("classifyTask reads both ends of a long text and nothing between", () => {
  const material = "The committee met on Monday and spoke about the bridge. ".repeat(400);
  const between = "DROP TABLE users; SELECT * FROM orders GROUP BY id; ".repeat(100);
  const ask = "Translate the following text into Spanish:\n";
  const whole = classifyTask(asks(ask + material));
  assert.equal(whole, "translation");
  const half = material.length / 2;
  const changed = ask + material.slice(0, half) + between + material.slice(half);
  assert.equal(classifyTask(asks(changed)), whole);
});

Deno.test("classifyTask reads the ends of a message of many parts, and of a long system text its beginning", () => {
  const part = text("The committee met on Monday and spoke about the bridge. ".repeat(200));
  const parts = [
    text("Translate the following text into Spanish:"),
    ...Array.from({ length: 60 }, () => part),
  ];
  assert.equal(classifyTask({ ...plain, input: [message("user", parts)] }), "translation");
  const instructions = `You are a translator. Translate into French. ${"Be exact. ".repeat(100_000)}`;
  assert.equal(classifyTask({ ...plain, input: [], instructions }), "translation");
});

Deno.test("classifyTask decides the same every time, whatever ran before", () => {
  const sample = training.filter((_, at) => at % 10 === 0).map(requestOf);
  const forwards = sample.map(classifyTask);
  const backwards = sample.toReversed().map(classifyTask).toReversed();
  assert.deepEqual(backwards, forwards);
});

Deno.test("classifyTask takes odd texts: half surrogates, no letters, one word of a megabyte, names of objects", () => {
  const odd = [
    "\ud83d",
    "\u0000\u0001",
    "????",
    "x".repeat(1 << 20),
    "constructor __proto__",
    "مرحبا",
    "ひらがな",
    "123",
  ];
  for (const one of odd) assert.ok(classifyTask(asks(one)), JSON.stringify(one.slice(0, 20)));
});
