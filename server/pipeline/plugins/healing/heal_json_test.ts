import assert from "node:assert/strict";
import { runNow } from "../../../../shared/util/run_work.ts";
import { type Healing, healJson, type JsonFormat } from "./heal_json.ts";

const person: JsonFormat = {
  type: "json_schema",
  name: "person",
  schema: {
    type: "object",
    properties: { name: { type: "string" }, age: { type: "integer" } },
    required: ["name", "age"],
    additionalProperties: false,
  },
};
const object: JsonFormat = { type: "json_object" };

const heal = (text: string, format: JsonFormat = object): Healing => runNow(healJson(text, format));

function assertHealed(text: string, { meant, format }: { meant: unknown; format?: JsonFormat }): void {
  const healing = heal(text, format);
  assert(healing.type === "healed", `${JSON.stringify(healing)}: ${text}`);
  assert.deepEqual(JSON.parse(healing.text), meant);
}

const assertUnhealed = (text: string, { reason, format }: { reason: string; format?: JsonFormat }): void =>
  assert.deepEqual(heal(text, format), { type: "unhealed", reason }, text);

Deno.test("healJson leaves alone what is as it should be", () => {
  assert.deepEqual(heal(' {"name": "Ada", "age": 36}\n', person), { type: "sound" });
  assert.deepEqual(heal('{"anything": [1]}'), { type: "sound" });
  const text: JsonFormat = { type: "json_schema", name: "t", schema: { type: "string" } };
  assert.deepEqual(heal('"{\\"a\\": 1}"', text), { type: "sound" });
});

Deno.test("healJson takes the only value out of what stands around it", () => {
  const meant = { a: 1 };
  assertHealed('```json\n{"a": 1}\n```', { meant });
  assertHealed('Use {name}. The fields [1]:\n```\n{"a": 1}\n```\nSee [2].', { meant });
  assertHealed('<think>{"b": 2}</think>{"a": 1}', { meant });
  assertHealed('\ufeff{"a": 1}}', { meant });
  assertHealed('"{\\"a\\": 1}"', { meant });
  assertHealed('{\\"a\\": 1}', { meant });
});

Deno.test("healJson heals nothing where two values could be meant", () => {
  assertUnhealed('{"a": 1}{"a": 2}', { reason: "several_values" });
  assertUnhealed('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', { reason: "several_values" });
  assertUnhealed('{"a": {"b": 1}}, "c": 2}', { reason: "surroundings" });
  assertUnhealed('"a": 1, "b": {"c": 2}}', { reason: "surroundings" });
  assertUnhealed('{"a": {"b": 1}, "c": 2}}', { reason: "surroundings" });
  assertUnhealed('[{"a": 1},]', { reason: "root" });
  assertUnhealed('{"a": 1, "a": 2,}', { reason: "unclear" });
});

Deno.test("healJson keeps every text, number and word as it was written", () => {
  assertHealed("{'name': 'Ada', age: 36,}", { meant: { name: "Ada", age: 36 }, format: person });
  assertHealed('{"a": True, "b": None, /* c */ "d": "x\ny"}', { meant: { a: true, b: null, d: "x\ny" } });
  assertHealed('{"a": TRUE, "b": NULL, "d": [FALSE]}', { meant: { a: true, b: null, d: [false] } });
  assertHealed('{"a": "TRUE", b: \'NULL\', "FALSE": TRUE,}', {
    meant: { a: "TRUE", b: "NULL", FALSE: true },
  });
  assertHealed('{NULL: "TRUE"}', { meant: { NULL: "TRUE" } });
  assertHealed('{"name": "the "big" one", "age": 3}', {
    meant: { name: 'the "big" one', age: 3 },
    format: person,
  });
  const unclear = ['{"a": NaN}', '{"a": .5}', '{"a": 1_000}', '{"a": [1, ...]}', '{"a": "x" + "y"}'];
  for (
    const text of [
      ...unclear,
      '{"a": "C:\\dir"}',
      '{"a": yes}',
      '{"a": TRUE story}',
      '{"a": tRUE}',
      '{"a": , "b": 1}',
      '{"a": [1 2,}',
    ]
  ) {
    assertUnhealed(text, { reason: "unclear" });
  }
});

Deno.test("healJson never invents the end of a text", () => {
  for (
    const text of ['{"name": "Ad', '{"age": 3', '{"age": 36, "name": ', '{"age": 36,', '{"a": [{"b": tr']
  ) {
    assertUnhealed(text, { reason: "no_end" });
    assertUnhealed(text, { reason: "no_end", format: person });
  }
  // Nothing but the bracket can follow.
  assertHealed('{"age": 36, "name": "Ada"', { meant: { age: 36, name: "Ada" }, format: person });
  assertUnhealed('{"age": 36, "name": "Ada"', { reason: "no_end" });
  assertUnhealed('{"name": "Ada", "age": 36', { reason: "no_end", format: person });
});

Deno.test("healJson holds the result to what was asked for", () => {
  assertUnhealed('{"name": "Ada", "age": "36"}', { reason: "schema", format: person });
  assertUnhealed('{"name": "Ada", "age": "36",}', { reason: "schema", format: person });
  assertUnhealed("[1, 2]", { reason: "root" });
  assertUnhealed("no", { reason: "no_json" });
  assertUnhealed("", { reason: "no_json" });
});

Deno.test("healJson reads a long text in pieces, and offers pauses between them", () => {
  const items = Array.from({ length: 3_000 }, (_, id) => `{"id": ${id}, 'name': "item, no. ${id}",}`);
  const text = `{"items": [${items.join(", ")},]}`;
  const work = healJson(text, object);
  let pauses = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) pauses++;
  assert(pauses > items.length, `${pauses} pauses`);
  assert(step.value.type === "healed");
  const meant = { items: items.map((_, id) => ({ id, name: `item, no. ${id}` })) };
  assert.deepEqual(JSON.parse(step.value.text), meant);
});

Deno.test("healJson comes to an end with whatever a text repeats", () => {
  const any: JsonFormat = { type: "json_schema", name: "any", schema: {} };
  const repeated = [
    "[",
    "{",
    "```",
    "` ",
    "# ",
    "/*",
    '"',
    "'",
    "<think>",
    "</think>",
    "{a:",
    '{"a":',
    '[",',
    "\\",
    "}",
  ];
  for (const one of [...repeated, " \n", '"a" ', "{}", "[] ", '","', "``````\n", '{"a" # x\n']) {
    for (const format of [any, object, person]) {
      const { type } = heal(one.repeat(Math.ceil(40_000 / one.length)), format);
      assert.equal(type, "unhealed", JSON.stringify(one));
      heal(`{"a": 1, "b": ${one.repeat(Math.ceil(12_000 / one.length))}`, format);
    }
  }
});

Deno.test("healJson refuses what is nested too deeply, or too long to be read at once", () => {
  assertUnhealed(`{"a": ${"[".repeat(100_000)}`, { reason: "too_deep" });
  assertUnhealed(`{"a": "${'x "y" '.repeat(10_000)}"}`, { reason: "too_long" });
  assertUnhealed(`x{"a": 1}${" ".repeat(5 * 1024 * 1024)}`, { reason: "too_long" });
});
