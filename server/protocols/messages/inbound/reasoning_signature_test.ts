import assert from "node:assert/strict";
import type { ReasoningItem } from "../../canonical/item.ts";
import {
  decodeReasoning,
  decodeRedactedReasoning,
  encodeSignature,
  redactedData,
} from "./reasoning_signature.ts";

const item = (fields: Partial<ReasoningItem>): ReasoningItem => ({
  type: "reasoning",
  content: [],
  summary: [],
  ...fields,
});

/** As JSON carries it. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

Deno.test("a seal of Anthropic's own goes as it is, both ways", () => {
  const own = item({ content: ["Hm."], signature: "c2ln", format: "anthropic-claude-v1" });
  assert.equal(encodeSignature(own, { summary: false }), "c2ln");
  assert.deepEqual(decodeReasoning("Hm.", "c2ln"), own);
  const redacted = item({ encrypted: "cmVk", format: "anthropic-claude-v1" });
  assert.equal(redactedData(redacted), "cmVk");
  assert.deepEqual(decodeRedactedReasoning("cmVk"), redacted);
});

Deno.test("what another model needs of its thoughts comes back whole", () => {
  const fields = { id: "rs_1", encrypted: "gAAAA", format: "openai-responses-v1" };
  const summarised = item({ ...fields, summary: ["In short."] });
  const seal = encodeSignature(summarised, { summary: true });
  assert.deepEqual(plain(decodeReasoning("In short.", seal)), plain(summarised));
  const silent = item(fields);
  assert.deepEqual(plain(decodeRedactedReasoning(redactedData(silent) ?? "")), plain(silent));
});

Deno.test("thoughts without a seal stay thoughts, and a made-up seal is nobody's but Anthropic's", () => {
  assert.equal(encodeSignature(item({ content: ["Hm."] }), { summary: false }), undefined);
  assert.deepEqual(decodeReasoning("Hm.", ""), item({ content: ["Hm."] }));
  const broken = "gateway-reasoning-v1:{";
  assert.equal(decodeReasoning("Hm.", broken).signature, broken);
});
