import assert from "node:assert/strict";
import type { ReasoningItem } from "../../../canonical/item.ts";
import { cipherOf, sealOf, unsealed, unsealedCipher } from "./reasoning_signature.ts";

const item = (fields: Partial<ReasoningItem>): ReasoningItem => ({
  type: "reasoning",
  thoughts: [],
  summary: [],
  ...fields,
});

/** As JSON carries it. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

Deno.test("a seal of Anthropic's own goes as it is, both ways", () => {
  const own = item({ thoughts: ["Hm."], signature: "c2ln", format: "anthropic-claude-v1" });
  assert.equal(sealOf(own, { summary: false }), "c2ln");
  assert.deepEqual(unsealed("Hm.", "c2ln"), own);
  const redacted = item({ encrypted: "cmVk", format: "anthropic-claude-v1" });
  assert.equal(cipherOf(redacted), "cmVk");
  assert.deepEqual(unsealedCipher("cmVk"), redacted);
});

Deno.test("what another model needs of its thoughts comes back whole", () => {
  const fields = { id: "rs_1", encrypted: "gAAAA", format: "openai-responses-v1" };
  const summarised = item({ ...fields, summary: ["In short."] });
  const seal = sealOf(summarised, { summary: true });
  assert.deepEqual(plain(unsealed("In short.", seal)), plain(summarised));
  const silent = item(fields);
  assert.deepEqual(plain(unsealedCipher(cipherOf(silent) ?? "")), plain(silent));
});

Deno.test("thoughts without a seal stay thoughts, and a made-up seal is nobody's but Anthropic's", () => {
  assert.equal(sealOf(item({ thoughts: ["Hm."] }), { summary: false }), undefined);
  assert.deepEqual(unsealed("Hm.", ""), item({ thoughts: ["Hm."] }));
  const broken = "gateway-reasoning-v1:{";
  assert.equal(unsealed("Hm.", broken).signature, broken);
});
