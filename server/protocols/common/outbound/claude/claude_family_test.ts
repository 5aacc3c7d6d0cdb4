import assert from "node:assert/strict";
import { type ClaudeFamily, claudeFamily } from "./claude_family.ts";

const cases: readonly (readonly [string, Partial<ClaudeFamily>])[] = [
  ["claude-opus-5-5", { thinking: "adaptive", off: undefined, forced: false, sampling: "none" }],
  ["claude-opus-5", { off: "disabled", forced: true, thinksByDefault: true }],
  ["claude-sonnet-5-5", { off: "between_tools", forced: false }],
  ["claude-haiku-5-5", { off: "disabled", forced: true }],
  ["claude-opus-4.8", { thinking: "adaptive", thinksByDefault: false }],
  ["anthropic.claude-opus-4-6-v1", { thinking: "both", xhigh: false, sampling: "one", prefill: false }],
  ["claude-haiku-4-5@20251001", { thinking: "manual", schemas: true, prefill: true }],
  ["us.anthropic.claude-sonnet-4-20250514-v1:0", { thinking: "manual", schemas: false }],
  ["claude-3-7-sonnet-latest", { thinking: "manual", schemas: false }],
  ["claude-3-5-haiku-20241022", { thinking: "none", sampling: "both" }],
  ["claude-3-haiku@20240307", { thinking: "none" }],
  ["claude-opus-9", { thinking: "adaptive", sampling: "none", forced: true }],
  ["kimi-k3", { thinking: "manual", sampling: "both", schemas: false, forced: true, prefill: false }],
];

Deno.test("claudeFamily finds a model's family under every cloud's name for it", async (t) => {
  for (const [model, expected] of cases) {
    await t.step(model, () => {
      const family: Readonly<Record<string, unknown>> = { ...claudeFamily(model) };
      for (const [key, value] of Object.entries(expected)) assert.equal(family[key], value, key);
    });
  }
});
