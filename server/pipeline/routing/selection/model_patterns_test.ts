import assert from "node:assert/strict";
import { compileModelPatterns, listsModel, listsVersion } from "./model_patterns.ts";

/** A list's entry, a model, whether the list names it, and whether it names that or the model that it is a version of. */
const cases: readonly (readonly [entry: string, id: string, model: boolean, version: boolean])[] = [
  ["anthropic/claude-opus-4.8", "anthropic/claude-opus-4.8", true, true],
  ["anthropic/claude-opus-4.8", "anthropic/claude-opus-4-8", true, true],
  ["anthropic/claude-opus-4-8", "anthropic/claude-opus-4.8", true, true],
  ["anthropic/claude-opus-4-8[1m]", "anthropic/claude-opus-4.8", true, true],
  ["Anthropic/Claude-Opus-4.8 ", "anthropic/claude-opus-4-8", true, true],
  ["anthropic/claude-opus-4.*", "anthropic/claude-opus-4-8", true, true],
  ["anthropic/*", "anthropic/claude-opus-4-8", true, true],
  ["anthropic/claude-haiku-4.5", "anthropic/claude-haiku-4-5-20251001", false, true],
  ["openai/gpt-5.5", "openai/gpt-5.5-2026-04-23", false, true],
  ["openai/gpt-5", "openai/gpt-5-chat-latest", false, false],
  ["openai/gpt-5.5-2026-04-23", "openai/gpt-5.5", false, false],
  ["openai/gpt-5", "openai/gpt-5.5", false, false],
  ["openai/gpt-5", "openai/gpt-5-mini", false, false],
  ["other/claude-opus-4.8", "anthropic/claude-opus-4.8", false, false],
];

Deno.test("a list names a model in each of its spellings, and by listsVersion its versions, too", () => {
  for (const [entry, id, model, version] of cases) {
    const list = compileModelPatterns([entry]);
    assert.deepEqual(
      [listsModel(list, { id }), listsVersion(list, { id })],
      [model, version],
      `${entry} ${id}`,
    );
  }
});
