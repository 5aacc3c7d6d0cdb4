/** How often the task classifier is right on prompts that training never reads. */

import assert from "node:assert/strict";
import { classifyTask } from "../../server/pipeline/routing/tasks/classify_task.ts";
import { accuracyOf, confusionTable } from "./confusion.ts";
import { readPrompts, requestOf } from "./corpus.ts";

const files = [
  { name: "held_out", what: "prompts", count: 400, leastMacro: 0.85, leastTag: 0.7 },
  { name: "held_out_long", what: "long prompts", count: 148, leastMacro: 0.8, leastTag: 0.7 },
] as const;

for (const { name, what, count, leastMacro, leastTag } of files) {
  const held = readPrompts(name);
  const judged = held.map((prompt) => ({
    language: prompt.language,
    task: prompt.task,
    classified: classifyTask(requestOf(prompt)),
  }));

  Deno.test(`classifyTask is right on ${leastMacro} by macro and ${leastTag} by tag of ${what} that it has not seen`, () => {
    console.log(confusionTable(judged));
    const { macro, tag } = accuracyOf(judged);
    assert.equal(held.length, count);
    assert.ok(macro >= leastMacro, `${macro} by macro`);
    assert.ok(tag >= leastTag, `${tag} by tag`);
  });

  Deno.test(`no prompt of the training file is among the ${what} that measure it`, () => {
    const textsOf = (prompts: typeof held) => prompts.map(({ messages }) => messages.at(-1)?.content.trim());
    const trained = new Set(textsOf(readPrompts("training").filter(({ images }) => images === undefined)));
    const shared = textsOf(held).filter((text) =>
      text !== undefined && text.length > 25 && trained.has(text)
    );
    assert.deepEqual(shared, []);
  });
}

Deno.test("the long prompts say what they ask for beside material, in every language", () => {
  const long = readPrompts("held_out_long").filter(({ messages }) =>
    (messages.at(-1)?.content.length ?? 0) > 400
  );
  assert.ok(long.length >= 80, String(long.length));
  assert.equal(new Set(long.map(({ language }) => language)).size, 5);
});
