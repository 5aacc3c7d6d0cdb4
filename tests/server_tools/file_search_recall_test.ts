/** How many questions of a set find their passage, over documents of several types and two languages. */

import assert from "node:assert/strict";
import * as z from "zod";
import { addFile, search, searchTool, withFiles } from "./file_search_rig.ts";

const folder = new URL("file_search_set/", import.meta.url);
const documents = new URL("documents/", folder);

const questionsSchema = z.array(z.object({
  question: z.string(),
  /** The document that answers it, and words of the passage that does. */
  file: z.string(),
  answer: z.string(),
}));

/** Results among which the passage has to be. */
const MOST = 5;
const LEAST_RECALL = 0.8;

/** As one line: where a document breaks its lines does not matter. */
const oneLine = (text: unknown): string => String(text).replaceAll(/\s+/g, " ");

Deno.test("file_search finds the passages of most questions among its first five", async () => {
  const questions = questionsSchema.parse(
    JSON.parse(await Deno.readTextFile(new URL("questions.json", folder))),
  );
  assert.equal(questions.length, 50);
  await withFiles({}, async (rig) => {
    const names = [...Deno.readDirSync(documents)].map(({ name }) => name);
    assert.equal(names.length, 30);
    for (const name of names) {
      await addFile(rig.gateway, { name, text: await Deno.readFile(new URL(name, documents)) });
    }
    const missed: string[] = [];
    const tool = searchTool({ max_num_results: MOST });
    for (const { question, file, answer } of questions) {
      const { results } = await search(rig, { queries: [question], tool });
      assert.ok(results.length <= MOST);
      const isFound = results.some(({ filename, text }) =>
        filename === file && oneLine(text).includes(answer)
      );
      if (!isFound) missed.push(question);
    }
    const recall = 1 - missed.length / questions.length;
    console.log(`recall@${MOST}: ${recall.toFixed(2)}; missed: ${missed.join(" | ") || "none"}`);
    assert.ok(recall >= LEAST_RECALL, String(recall));
  });
});
