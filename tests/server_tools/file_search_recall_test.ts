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

interface QuestionSet {
  /** Name of its file. */
  readonly name: string;
  readonly questions: number;
  /** Number of questions that have to find their passage. */
  readonly least: number;
}

/** Over the same documents. The words of `compounds` are German, and put together otherwise than in the document. */
const sets: readonly QuestionSet[] = [
  { name: "questions", questions: 50, least: 45 },
  { name: "compounds", questions: 30, least: 27 },
];

/** Results among which the passage has to be. */
const MOST = 5;

/** As one line: where a document breaks its lines does not matter. */
const oneLine = (text: unknown): string => String(text).replaceAll(/\s+/g, " ");

Deno.test("file_search finds the passages of most questions among its first five", async (t) => {
  await withFiles({}, async (rig) => {
    const documentNames = [...Deno.readDirSync(documents)].map(({ name }) => name);
    assert.equal(documentNames.length, 30);
    for (const name of documentNames) {
      await addFile(rig.gateway, { name, text: await Deno.readFile(new URL(name, documents)) });
    }
    const tool = searchTool({ max_num_results: MOST });
    for (const { name, questions: count, least } of sets) {
      await t.step(name, async () => {
        const text = await Deno.readTextFile(new URL(`${name}.json`, folder));
        const questions = questionsSchema.parse(JSON.parse(text));
        assert.equal(questions.length, count);
        const missed: string[] = [];
        for (const { question, file, answer } of questions) {
          const { results } = await search(rig, { queries: [question], tool });
          assert.ok(results.length <= MOST);
          const isFound = results.some(({ filename, text }) =>
            filename === file && oneLine(text).includes(answer)
          );
          if (!isFound) missed.push(question);
        }
        const found = count - missed.length;
        console.log(`${name}: recall@${MOST} ${(found / count).toFixed(2)}; missed: ${missed.join(" | ")}`);
        assert.ok(found >= least, `${found} of ${count}`);
      });
    }
  });
});
