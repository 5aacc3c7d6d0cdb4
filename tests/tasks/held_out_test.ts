/** How often the task classifier is right on prompts that training never reads. */

import assert from "node:assert/strict";
import { classifyTask } from "../../server/pipeline/routing/tasks/classify_task.ts";
import { accuracyOf, confusionTable } from "./confusion.ts";
import { readPrompts, requestOf } from "./corpus.ts";

const held = readPrompts("held_out");
const judged = held.map((prompt) => ({
  language: prompt.language,
  task: prompt.task,
  classified: classifyTask(requestOf(prompt)),
}));

Deno.test("classifyTask is right on 85 % by macro and 70 % by tag of prompts that it has not seen", () => {
  console.log(confusionTable(judged));
  const { macro, tag } = accuracyOf(judged);
  assert.equal(held.length, 400);
  assert.ok(macro >= 0.85, `${macro} by macro`);
  assert.ok(tag >= 0.7, `${tag} by tag`);
});

Deno.test("no prompt of the training file is among those that measure it", () => {
  const textsOf = (prompts: typeof held) => prompts.map(({ messages }) => messages.at(-1)?.content.trim());
  const trained = new Set(textsOf(readPrompts("training").filter(({ images }) => images === undefined)));
  const shared = textsOf(held).filter((text) => text !== undefined && text.length > 25 && trained.has(text));
  assert.deepEqual(shared, []);
});
