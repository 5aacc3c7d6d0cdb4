import assert from "node:assert/strict";
import { indexFamilies, isNewer } from "./model_family.ts";

const model = (id: string, created = 0) => ({ id, created });

/** The newer one first. */
const newer: readonly (readonly [string, string])[] = [
  ["anthropic/claude-opus-5.5", "anthropic/claude-opus-5"],
  ["anthropic/claude-opus-5-5", "anthropic/claude-opus-4-8"],
  ["anthropic/claude-haiku-5-5", "anthropic/claude-haiku-4-5-20251001"],
  ["openai/gpt-5.4", "openai/gpt-5"],
  ["openai/o4-mini", "openai/o3-mini"],
  ["openai/gpt-4o-2024-11-20", "openai/gpt-4o-2024-08-06"],
  ["deepseek/deepseek-v4.1-flash-1017", "deepseek/deepseek-v4.1-flash"],
  ["google/gemini-3.1-flash-lite", "google/gemini-3.1-flash-lite-preview"],
  ["google/gemini-3.5-flash", "google/gemini-3-flash-preview"],
  ["mistralai/mistral-small-2603", "mistralai/mistral-small-2506"],
  ["minimax/MiniMax-M3", "minimax/minimax-m2.7"],
  ["qwen/qwen3.8-max-0902", "qwen/qwen3.7-max"],
  ["tencent/hy4", "tencent/hy3"],
];

const unrelated: readonly (readonly [string, string])[] = [
  // Other sizes, other words, other authors.
  ["openai/gpt-6-mini", "openai/gpt-5"],
  ["openai/gpt-6", "openai/gpt-5-mini"],
  ["openai/gpt-5.3-codex-spark", "openai/gpt-5.2-codex"],
  ["anthropic/claude-opus-5", "anthropic/claude-sonnet-4-8"],
  ["google/gemma-4-31b-it", "google/gemma-3-27b-it"],
  ["meta-llama/llama-4-8b", "meta-llama/llama-3-70b"],
  ["qwen/qwen3.8-2.4t-a95b", "qwen/qwen3.5-397b-a17b"],
  ["z-ai/glm-5v-turbo", "z-ai/glm-4.6v"],
  ["amazon-bedrock/in.anthropic.claude-opus-5", "anthropic/claude-opus-4-8"],
  // Names that move, variants, names without a version, and versions that nobody can order.
  ["mistralai/mistral-large-latest", "mistralai/mistral-large-2512"],
  ["google/gemini-flash-latest", "google/gemini-3.8-flash"],
  ["~anthropic/claude-opus-latest", "anthropic/claude-opus-4-8"],
  ["openai/gpt-5.5:batch", "openai/gpt-5"],
  ["deepseek/deepseek-chat", "deepseek/deepseek-v3.2"],
  ["qwen/qwen-plus", "qwen/qwen3.7-plus"],
  ["x-ai/grok-4.20", "x-ai/grok-4.3"],
  ["mistralai/mistral-medium-3.5", "mistralai/mistral-medium-2508"],
  ["amazon/nova-2-lite-v1", "amazon/nova-lite-v1"],
  ["openai/gpt-oss-120b", "openai/gpt-oss-20b"],
];

Deno.test("isNewer goes by the version, of one author, with the same words and the same size", () => {
  for (const [one, other] of newer) {
    assert.ok(isNewer(model(one), model(other)), `${one} after ${other}`);
    assert.ok(!isNewer(model(other), model(one)), `${other} not after ${one}`);
  }
  for (const [one, other] of unrelated) {
    assert.ok(!isNewer(model(one), model(other)), `${one} not after ${other}`);
    assert.ok(!isNewer(model(other), model(one)), `${other} not after ${one}`);
  }
  assert.ok(!isNewer(model("acme/a-2", 100), model("acme/a-1", 200)), "made earlier");
});

Deno.test("a model inherits from its dated release, else from the newest older one that was measured", () => {
  const ids = ["a/m-2", "a/m-3", "a/m-4", "a/m-1", "a/m-5-20260101", "a/m-5", "a/m-large", "b/m-6"];
  const inherit = indexFamilies(ids.map((id) => model(id)));
  assert.deepEqual([...inherit(new Set(["a/m-2", "a/m-3", "a/m-5-20260101"]))], [
    ["a/m-4", "a/m-3"],
    ["a/m-5", "a/m-5-20260101"],
  ]);
  // A figure of a model that the catalog does not have any more counts, and nobody inherits from a newer one.
  assert.deepEqual([...inherit(new Set(["a/m-0", "a/m-4"]))], [
    ["a/m-2", "a/m-0"],
    ["a/m-3", "a/m-0"],
    ["a/m-1", "a/m-0"],
    ["a/m-5-20260101", "a/m-4"],
    ["a/m-5", "a/m-4"],
  ]);
});

Deno.test("a name without a day inherits from none of several dated versions, and from no day of four digits", () => {
  const several = ["a/g-4o", "a/g-4o-2024-08-06", "a/g-4o-2024-11-20", "a/k-2", "a/k-2-0905"].map((id) =>
    model(id)
  );
  const measured = new Set(["a/g-4o-2024-08-06", "a/k-2-0905"]);
  assert.deepEqual([...indexFamilies(several)(measured)], [["a/g-4o-2024-11-20", "a/g-4o-2024-08-06"]]);
});
