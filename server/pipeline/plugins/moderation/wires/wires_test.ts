import assert from "node:assert/strict";
import type { ModerationWireId } from "../../../../../shared/moderation.ts";
import { moderationWire } from "./mod.ts";
import type { ModerationInput } from "./wire.ts";

type Thresholds = Readonly<Record<string, number | null>>;

const verdicts = (wire: ModerationWireId, reply: unknown, thresholds: Thresholds = {}) =>
  moderationWire(wire).parseReply(reply, {
    count: 1,
    settings: { model: "m", policy: undefined, thresholds: new Map(Object.entries(thresholds)) },
  });

const result = (scores: Readonly<Record<string, number>>, flagged?: boolean) => ({
  ...(flagged === undefined ? {} : { flagged }),
  categories: Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, score >= 0.5])),
  category_scores: scores,
});

const says = (content: unknown) => ({ choices: [{ message: { role: "assistant", content } }] });

for (const wire of ["openai", "mistral"] as const) {
  Deno.test(`${wire} reads a verdict for each input, by the service's or by thresholds`, () => {
    const results = [result({ hate: 0.1, violence: 0.7 }), result({ hate: 0.6, violence: 0.2 })];
    const each = (thresholds?: Thresholds) =>
      results.flatMap((one) => verdicts(wire, { results: [one] }, thresholds));
    assert.deepEqual(each(), [["violence"], ["hate"]]);
    assert.deepEqual(each({ violence: 0.2, hate: null }), [["violence"], ["violence"]]);
    assert.deepEqual(each({ violence: 0.8 }), [[], ["hate"]]);
    assert.deepEqual(verdicts(wire, { results: [{ ...result({ hate: 0 }), flagged: true }] }), [["flagged"]]);
    const inherited = { results: [result({ constructor: 0.9, hate: 0 })] };
    assert.deepEqual(verdicts(wire, inherited), [["constructor"]]);
  });

  Deno.test(`${wire} takes nothing else for a verdict`, () => {
    const good = result({ hate: 0 });
    const wrong: readonly unknown[] = [
      undefined,
      null,
      "safe",
      {},
      { results: [] },
      { results: [good, good] },
      { results: [{ ...good, category_scores: { hate: 1.5 } }] },
      { results: [{ ...good, category_scores: { hate: "0" } }] },
      { results: [{ ...good, categories: { hate: "no" } }] },
      { results: [{ flagged: false }] },
      { error: { message: "no" } },
    ];
    for (const reply of wrong) assert.throws(() => verdicts(wire, reply), JSON.stringify(reply));
    const cleared = { results: [{ ...good, flagged: false }] };
    assert.deepEqual(verdicts(wire, cleared, { violence: null }), [[]]);
    assert.throws(() => verdicts(wire, { results: [good] }, { violence: 0.5 }), /no score for violence/);
    assert.throws(() => verdicts(wire, { results: [good] }, { toString: 0.5 }), /no score for toString/);
  });
}

/** Results that are damaged, and flagged all the same, with the thresholds. */
const flaggedAnyway: Readonly<Record<string, readonly [Thresholds, ...unknown[]]>> = {
  "a category that never counts is missing": [{ violence: 0.5, hate: null }, result({ violence: 0.9 }, true)],
  "a category that counts is missing": [{ violence: 0.5, hate: 0.5 }, result({ violence: 0.9 }, true)],
  "there are no scores": [{ violence: 0.5 }, { flagged: true, categories: { violence: true } }],
  "a score is none": [{}, { ...result({ violence: 0.9 }), category_scores: { violence: "high" } }],
  "a verdict of a category is none": [{}, { ...result({}), categories: { violence: true, hate: "no" } }],
  "the verdict is none": [{}, { ...result({ violence: 0.9 }), flagged: "yes" }],
  "another result is none": [{}, result({ violence: 0.9 }), null],
  "there is no category": [{}, { flagged: true }],
};

for (const wire of ["openai", "mistral"] as const) {
  for (const [name, [thresholds, ...results]] of Object.entries(flaggedAnyway)) {
    Deno.test(`${wire} lets nothing pass that is flagged: ${name}`, () => {
      const reason = name === "there is no category" ? "flagged" : "violence";
      assert.deepEqual(verdicts(wire, { results }, thresholds), [[reason]]);
    });
  }

  Deno.test(`${wire} gives inputs without a verdict none where another is flagged`, () => {
    const settings = { model: "m", policy: undefined, thresholds: new Map() };
    const results = [null, result({ violence: 0.9 }), result({ violence: 0 })];
    const parsed = moderationWire(wire).parseReply({ results }, { count: 3, settings });
    assert.deepEqual(parsed, [undefined, ["violence"], undefined]);
  });
}

Deno.test("llama-guard and policy let nothing pass that is flagged without a name that can be read", () => {
  for (const rest of ["violence", "S1\nand more", "S1,", "S999", ""]) {
    assert.deepEqual(verdicts("llama-guard", says(`unsafe\n${rest}`), { S1: null }), [["unsafe"]], rest);
  }
  assert.deepEqual(verdicts("llama-guard", says("unsafe\nS6\nS1"), { S6: null }), [["S1"]]);
  for (const category of [5, ["spam"], { name: "spam" }, "", null]) {
    assert.deepEqual(verdicts("policy", says(JSON.stringify({ violation: 1, category }))), [["policy"]]);
  }
});

Deno.test("llama-guard reads safe, or unsafe with its categories", () => {
  for (const text of ["safe", "\n\nsafe", "safe\n"]) {
    assert.deepEqual(verdicts("llama-guard", says(text)), [[]]);
  }
  assert.deepEqual(verdicts("llama-guard", says("unsafe\nS1,S10")), [["S1", "S10"]]);
  assert.deepEqual(verdicts("llama-guard", says("\nunsafe\n S1, S2 ")), [["S1", "S2"]]);
  assert.deepEqual(verdicts("llama-guard", says("unsafe")), [["unsafe"]]);
  assert.deepEqual(verdicts("llama-guard", says("unsafe\nS6"), { S6: null }), [[]]);
  assert.deepEqual(verdicts("llama-guard", says("unsafe\nS6,S1"), { S6: null }), [["S1"]]);
});

Deno.test("policy reads one JSON object", () => {
  for (const violation of [0, false]) {
    assert.deepEqual(verdicts("policy", says(JSON.stringify({ violation }))), [[]]);
  }
  assert.deepEqual(verdicts("policy", says('{"violation": 1, "category": "spam"}')), [["spam"]]);
  assert.deepEqual(verdicts("policy", says('{"violation": true}')), [["policy"]]);
  assert.deepEqual(verdicts("policy", says('{"violation": 1, "category": "spam"}'), { spam: null }), [[]]);
});

Deno.test("no other text of a judging model is a verdict", () => {
  const texts = [
    "",
    "Safe",
    "safe.",
    "safe\nS1",
    "safe\nunsafe\nS1",
    "This is safe",
    "I cannot help with that.",
    "0",
    "[]",
    "{}",
    '{"violation": 2}',
    '{"violation": "0"}',
    '{"violation": 0} and more',
    '```json\n{"violation": 0}\n```',
  ];
  const replies = [
    ...texts.map(says),
    says(null),
    says([{ type: "text", text: "safe" }]),
    { choices: [] },
    { choices: [...says("safe").choices, ...says("safe").choices] },
    {},
    undefined,
    "safe",
  ];
  for (const reply of replies) {
    for (const wire of ["llama-guard", "policy"] as const) {
      assert.throws(() => verdicts(wire, reply), `${wire} ${JSON.stringify(reply)}`);
    }
  }
});

Deno.test("renderCall sends texts together, an image by itself, and the operator's rules first", () => {
  const settings = { model: "m", thresholds: new Map(), policy: "No spam." };
  const texts: readonly ModerationInput[] = [{ type: "text", text: "one" }, { type: "text", text: "two" }];
  const call = (wire: ModerationWireId, inputs: readonly ModerationInput[] = texts) =>
    moderationWire(wire).renderCall(inputs, settings);
  for (const wire of ["openai", "mistral"] as const) {
    assert.deepEqual(call(wire), { path: "/moderations", body: { model: "m", input: ["one", "two"] } });
  }
  const image: ModerationInput = { type: "image", url: "data:image/png;base64,AA==" };
  assert.deepEqual(call("openai", [image]).body.input, [
    { type: "image_url", image_url: { url: image.url } },
  ]);
  const { path, body } = call("llama-guard", texts.slice(0, 1));
  assert.equal(path, "/chat/completions");
  assert.deepEqual(body.messages, [{ role: "user", content: "one" }]);
  const judged = JSON.stringify(call("policy", texts.slice(0, 1)).body.messages);
  assert.ok(judged.startsWith(String.raw`[{"role":"system","content":"No spam.\n\nJudge `), judged);
  assert.ok(judged.endsWith('},{"role":"user","content":"one"}]'), judged);
});
