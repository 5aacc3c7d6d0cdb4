/** `deno task train-tasks`: makes the weights of the task classifier of training.jsonl, and says how good they are. */

import { confusionTable } from "./confusion.ts";
import { readPrompts, requestOf } from "./corpus.ts";
import { crossValidate } from "./cross_validate.ts";
import { trainWeights } from "./train_weights.ts";

const file = new URL("../../server/pipeline/routing/tasks/weights.json", import.meta.url);

const readExamples = () =>
  readPrompts("training").map((prompt) => ({
    request: requestOf(prompt),
    task: prompt.task,
    language: prompt.language,
  }));

/** The file's text: a line a field, so that a change of the named weights can be read. */
export function weightsText(): string {
  const { featureWeights, ...others } = trainWeights(readExamples());
  const rows = Object.entries(featureWeights).map(([name, row]) =>
    `${JSON.stringify(name)}:${JSON.stringify(row)}`
  );
  const fields = Object.entries(others).map(([name, value]) =>
    `${JSON.stringify(name)}:${JSON.stringify(value)}`
  );
  return `{${[...fields, `"featureWeights":{\n${rows.join(",\n")}\n}`].join(",\n")}}\n`;
}

if (import.meta.main) {
  const text = weightsText();
  await Deno.writeTextFile(file, text);
  console.log(`Weights written: ${Math.round(text.length / 1_024)} KB`);
  console.log("Each quarter of the prompts by weights of the three others:");
  console.log(confusionTable(crossValidate(readExamples())));
}
