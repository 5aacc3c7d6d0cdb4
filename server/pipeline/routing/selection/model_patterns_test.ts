import assert from "node:assert/strict";
import { compileModelPatterns, listsModel, listsVersion } from "./model_patterns.ts";

const at = (id: string, ...[provider, upstreamModel]: readonly [string, string]) => ({
  model: {
    id,
    name: id,
    created: 0,
    contextLength: null,
    inputModalities: [],
    outputModalities: [],
    supportedParameters: [],
    hidden: false,
  },
  provider: { id: provider },
  upstreamModel,
});

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
    const endpoint = at(id, "elsewhere", "m");
    assert.deepEqual(
      [listsModel(list, endpoint), listsVersion(list, endpoint)],
      [model, version],
      `${entry} ${id}`,
    );
  }
});

Deno.test("a list names a model by its provider's own name at that provider alone", () => {
  const served: readonly (readonly [entry: string, model: boolean, version: boolean])[] = [
    ["openai/gpt-5.5", true, true],
    ["shop/gpt-5.5-2026-04-23", true, true],
    ["shop/gpt-5.5", false, true],
    ["shop/*", true, true],
    ["other/gpt-5.5-2026-04-23", false, false],
  ];
  const endpoint = at("openai/gpt-5.5", "shop", "gpt-5.5-2026-04-23");
  for (const [entry, model, version] of served) {
    const list = compileModelPatterns([entry]);
    assert.deepEqual([listsModel(list, endpoint), listsVersion(list, endpoint)], [model, version], entry);
  }
});
