import assert from "node:assert/strict";
import type { SamplingOptions } from "../../../canonical/request.ts";
import { claudeFamily } from "./claude_family.ts";
import { renderClaudeSampling } from "./claude_sampling.ts";

const cases: readonly (readonly [string, boolean, SamplingOptions, object, readonly string[]])[] = [
  ["claude-3-5-haiku", false, { temperature: 0.2, topP: 0.5, topK: 5 }, {
    temperature: 0.2,
    top_p: 0.5,
    top_k: 5,
  }, []],
  ["claude-haiku-4-5", false, { temperature: 0.2, topP: 0.5 }, { temperature: 0.2 }, ["top_p"]],
  ["claude-haiku-4-5", false, { topP: 0.5 }, { top_p: 0.5 }, []],
  ["claude-haiku-4-5", false, { temperature: 1.7 }, { temperature: 1 }, ["temperature above 1"]],
  ["claude-haiku-4-5", true, { temperature: 0.2, topP: 0.96, topK: 5 }, { top_p: 0.96 }, [
    "temperature",
    "top_k",
  ]],
  ["claude-haiku-4-5", true, { topP: 0.5 }, {}, ["top_p"]],
  ["claude-opus-5-5", false, { temperature: 0, topP: 0.99, topK: 5 }, {}, ["temperature", "top_p", "top_k"]],
  ["claude-opus-5-5", false, { temperature: 1, topP: 1 }, {}, []],
  ["another-model", false, {}, {}, []],
];

Deno.test("renderClaudeSampling sends what the model takes and names the rest", () => {
  for (const [model, thinking, sampling, expected, dropped] of cases) {
    const notes: string[] = [];
    const note = (words: string) => void notes.push(words);
    const rendered = renderClaudeSampling(sampling, { family: claudeFamily(model), thinking, note });
    assert.deepEqual([rendered, notes], [expected, dropped], `${model} ${JSON.stringify(sampling)}`);
  }
});
