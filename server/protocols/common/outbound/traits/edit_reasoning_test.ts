import assert from "node:assert/strict";
import { endpointTraits, modelRequest } from "../../../../../tests/support/requests.ts";
import type { HostTrait } from "../../../canonical/endpoint_words.ts";
import type { ReasoningOptions } from "../../../canonical/request.ts";
import { chatOutbound } from "../../../chat/outbound/mod.ts";

interface Case {
  readonly trait?: HostTrait;
  readonly efforts?: Readonly<Record<string, string>>;
  readonly reasoning: ReasoningOptions;
  /** Fields of the body that ask for reasoning. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly dropped?: readonly string[];
}

const off = { thinking: { type: "disabled" } };
const on = { thinking: { type: "enabled" } };
const words = { minimal: "low", max: "high", none: "off" };

const cases: readonly Case[] = [
  { reasoning: { effort: "max" }, sent: { reasoning_effort: "max" } },
  { efforts: words, reasoning: { effort: "max" }, sent: { reasoning_effort: "high" } },
  { efforts: words, reasoning: { effort: "medium" }, sent: { reasoning_effort: "medium" } },
  { efforts: words, reasoning: { enabled: false }, sent: { reasoning_effort: "off" } },
  { efforts: words, reasoning: { effort: "constructor" }, sent: { reasoning_effort: "constructor" } },
  { efforts: words, reasoning: { maxTokens: 9 }, sent: {}, dropped: ["reasoning.max_tokens"] },
  { trait: "thinking_switch", reasoning: { effort: "high" }, sent: { ...on, reasoning_effort: "high" } },
  { trait: "thinking_switch", reasoning: { effort: "none" }, sent: off },
  { trait: "thinking_switch", reasoning: { effort: "high", enabled: false }, sent: off },
  { trait: "thinking_switch", reasoning: { enabled: true }, sent: on },
  { trait: "thinking_switch", reasoning: {}, sent: {} },
  {
    trait: "thinking_switch",
    reasoning: { maxTokens: 9, enabled: true },
    sent: on,
    dropped: ["reasoning.max_tokens"],
  },
  {
    trait: "thinking_switch",
    efforts: words,
    reasoning: { effort: "minimal" },
    sent: { ...on, reasoning_effort: "low" },
  },
  { trait: "reasoning_object", reasoning: { effort: "high" }, sent: { reasoning: { effort: "high" } } },
  { trait: "reasoning_object", reasoning: { enabled: true }, sent: { reasoning: { enabled: true } } },
  { trait: "reasoning_object", reasoning: {}, sent: {} },
  {
    trait: "reasoning_object",
    reasoning: { effort: "high", maxTokens: 9 },
    sent: { reasoning: { max_tokens: 9 } },
  },
  {
    trait: "reasoning_object",
    efforts: words,
    reasoning: { effort: "max", enabled: true },
    sent: { reasoning: { effort: "high" } },
  },
];

Deno.test("hosts are asked to think in their own words", () => {
  for (const { trait, efforts, reasoning, sent, dropped = [] } of cases) {
    const traits = trait === undefined ? [] : [trait];
    const rendered = chatOutbound.renderRequest(
      modelRequest({ reasoning }),
      endpointTraits({ traits, efforts }),
    );
    const { thinking, reasoning: object, reasoning_effort } = rendered.body;
    const name = JSON.stringify([trait, reasoning]);
    const all = { thinking, reasoning: object, reasoning_effort };
    assert.deepEqual(JSON.parse(JSON.stringify(all)), sent, name);
    assert.deepEqual(rendered.dropped, dropped, name);
  }
});
