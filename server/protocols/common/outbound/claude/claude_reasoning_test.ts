import assert from "node:assert/strict";
import type { ReasoningOptions } from "../../../canonical/request.ts";
import { claudeFamily } from "./claude_family.ts";
import { type ReasoningContext, renderClaudeReasoning, type RenderedReasoning } from "./claude_reasoning.ts";

function render(
  reasoning: ReasoningOptions | undefined,
  model: string,
  fields: Partial<ReasoningContext> = {},
) {
  const notes: string[] = [];
  const rendered = renderClaudeReasoning(reasoning, {
    family: claudeFamily(model),
    maxTokens: 10_000,
    forced: false,
    unsignedTurn: false,
    note: (words) => void notes.push(words),
    ...fields,
  });
  return { rendered, notes };
}

const shown = { type: "adaptive", display: "summarized" };
const silent: RenderedReasoning = { on: false };
const opus = "claude-opus-5-5";
const haiku = "claude-haiku-4-5";

type Case = readonly [
  name: string,
  reasoning: ReasoningOptions | undefined,
  model: string,
  expected: RenderedReasoning,
  notes?: readonly string[],
];

const cases: readonly Case[] = [
  ["nothing asked", undefined, opus, silent],
  ["nothing asked of an older model", {}, haiku, silent],
  ["an effort", { effort: "high" }, opus, { thinking: shown, effort: "high", on: true }],
  ["the least effort", { effort: "minimal" }, opus, { thinking: shown, effort: "low", on: true }],
  ["an effort that the model has", { effort: "xhigh" }, opus, { thinking: shown, effort: "xhigh", on: true }],
  ["an effort that it has not", { effort: "xhigh" }, "claude-opus-4-6", {
    thinking: shown,
    effort: "high",
    on: true,
  }],
  ["switched on", { enabled: true }, opus, { thinking: shown, effort: undefined, on: true }],
  ["a summary of what it thinks anyway", { summary: "auto" }, opus, { thinking: shown, on: true }],
  ["a summary of a model that does not think unasked", { summary: "auto" }, "claude-opus-4-8", silent],
  ["a budget where only effort counts", { maxTokens: 2_000 }, opus, {
    thinking: shown,
    effort: undefined,
    on: true,
  }, ["reasoning.max_tokens"]],
  ["a budget where both count", { maxTokens: 2_000 }, "claude-sonnet-4-6", {
    thinking: { type: "enabled", budget_tokens: 2_000 },
    on: true,
  }],
  ["progress updates", { enabled: true, summary: "auto", display: "updates" }, opus, {
    thinking: { type: "adaptive", display: "updates" },
    effort: undefined,
    on: true,
  }],
  ["progress updates beside a budget", { maxTokens: 2_000, display: "updates" }, "claude-sonnet-4-6", {
    thinking: { type: "enabled", budget_tokens: 2_000, display: "updates" },
    on: true,
  }],
  ["no thinking", { effort: "none" }, "claude-opus-5", { thinking: { type: "disabled" }, on: false }],
  ["no thinking, switched off", { enabled: false }, "claude-sonnet-5-5", {
    thinking: { type: "between_tools" },
    on: false,
  }],
  ["no thinking where it is the usual", { effort: "none" }, haiku, silent],
  ["no thinking where it cannot be switched off", { effort: "none" }, opus, { effort: "low", on: false }, [
    "reasoning.effort none",
  ]],
  ["a model that cannot think", { effort: "high" }, "claude-3-5-haiku", silent, ["reasoning"]],
  ["a model that cannot think, unasked", { summary: "auto" }, "claude-3-5-haiku", silent],
];

Deno.test("renderClaudeReasoning says how hard to think in the words of the model's family", async (t) => {
  for (const [name, reasoning, model, expected, notes = []] of cases) {
    await t.step(name, () => assert.deepEqual(render(reasoning, model), { rendered: expected, notes }));
  }
});

const budgets: readonly (readonly [ReasoningOptions, number, number])[] = [
  [{ effort: "minimal" }, 10_000, 1_024],
  [{ effort: "minimal" }, 20_000, 2_000],
  [{ effort: "low" }, 10_000, 2_000],
  [{ effort: "medium" }, 10_000, 5_000],
  [{ effort: "high" }, 10_000, 8_000],
  [{ effort: "xhigh" }, 10_000, 9_000],
  [{ effort: "max" }, 10_000, 9_500],
  [{ enabled: true }, 10_000, 5_000],
  [{ maxTokens: 3_000 }, 10_000, 3_000],
  [{ maxTokens: 3_000, effort: "high" }, 10_000, 3_000],
  [{ maxTokens: 100 }, 10_000, 1_024],
  [{ maxTokens: 50_000 }, 10_000, 9_999],
  [{ effort: "max" }, 200_000, 128_000],
  [{ effort: "low" }, 1_025, 1_024],
];

Deno.test("renderClaudeReasoning makes a budget of an effort: a share of the cap, at least 1,024, below the cap", () => {
  for (const [reasoning, maxTokens, budget] of budgets) {
    const { rendered } = render(reasoning, haiku, { maxTokens });
    assert.deepEqual(
      rendered.thinking,
      { type: "enabled", budget_tokens: budget },
      JSON.stringify(reasoning),
    );
  }
});

const impossible: readonly (readonly [Partial<ReasoningContext>, string])[] = [
  [{ maxTokens: 1_024 }, "reasoning within so few tokens"],
  [{ forced: true }, "reasoning beside a forced tool call"],
  [{ unsignedTurn: true }, "reasoning in a turn that was begun without it"],
];

Deno.test("renderClaudeReasoning leaves a budget out where the provider would refuse it, and says so", () => {
  for (const [fields, words] of impossible) {
    assert.deepEqual(render({ effort: "high" }, haiku, fields), { rendered: silent, notes: [words] });
    const borne = fields.forced === true ? [words] : [];
    assert.deepEqual(render({ effort: "high" }, opus, fields).notes, borne, "newer models bear the others");
  }
});

Deno.test("renderClaudeReasoning switches adaptive thinking off beside a forced call, where anything does", () => {
  const note = ["reasoning beside a forced tool call"];
  const off: RenderedReasoning = { thinking: { type: "disabled" }, on: false };
  for (const reasoning of [{ effort: "high" }, { enabled: true }]) {
    const forced = (model: string) => render(reasoning, model, { forced: true });
    assert.deepEqual(forced("claude-opus-5"), { rendered: off, notes: note });
    assert.deepEqual(forced("claude-opus-4-8"), { rendered: silent, notes: note });
    assert.deepEqual(forced("claude-sonnet-4-6"), { rendered: silent, notes: note });
    assert.deepEqual(forced("claude-fable-5"), { rendered: silent, notes: note }, "it always thinks");
  }
  assert.deepEqual(render({}, "claude-opus-5", { forced: true }), { rendered: silent, notes: [] });
});
