import assert from "node:assert/strict";
import fc from "fast-check";
import { healJson, type JsonFormat } from "../../server/pipeline/plugins/healing/heal_json.ts";
import type { JsonObject } from "../../server/protocols/canonical/item.ts";
import { isRecord } from "../../shared/util/json.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

/** Texts that look like JSON, or like what stands around it. */
const signs = [
  '"',
  "'",
  ",",
  ": ",
  "{x}",
  "[1]",
  "}",
  "# c",
  "// c",
  "/*",
  "```",
  "</think>",
  "...",
];
const words = [
  "Ada",
  "it's",
  "12",
  "true",
  "null",
  "Zürich",
  "😀",
  "a b",
  "",
  "\n",
  "\t",
  "\\",
  "http://x.example/a",
];
const text = fc.array(fc.constantFrom(...words, ...signs), { maxLength: 3 }).map((parts) => parts.join(" "));
const name = fc.constantFrom("a", "b", "name", "x y", "it's", "id", "tags", "value");

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(text, fc.integer({ min: -999, max: 999 }), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(name, anyValue, { minKeys: 1, maxKeys: 4, noNullPrototype: true });

/** The schema that a value satisfies, and hardly another one. */
function schemaOf(value: unknown): JsonObject {
  if (Array.isArray(value)) return { type: "array", items: { anyOf: [...value.map(schemaOf), false] } };
  if (!isRecord(value)) return { type: value === null ? "null" : typeof value };
  const properties = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, schemaOf(one)]));
  return { type: "object", properties, required: Object.keys(value), additionalProperties: false };
}

/** Puts a text in the place of what stands between two others. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

const apply = (json: string, { from, to, by }: Edit): string => json.slice(0, from) + by + json.slice(to);

/** Places of brackets, commas, colons and whole texts. */
const tokensOf = (json: string) => [...json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/gs)];

/** A comma between two numbers or words is not missed by anybody. */
const isMissed = (json: string, at: number): boolean =>
  json[at] !== "," || !/\w/.test(json[at - 1] ?? "") || !/[\w-]/.test(json[at + 1] ?? "");

/** Breaks a JSON text so that it shows: no letter of a text and no digit is changed. */
type Break = (json: string, chance: (below: number) => number) => string;

const oneOf = <T>(list: readonly T[], chance: (below: number) => number): T => {
  const chosen = list[chance(list.length)];
  assert(chosen !== undefined);
  return chosen;
};

const insert = (by: readonly string[]): Break => (json, chance) => {
  const { index: from } = oneOf(tokensOf(json), chance);
  return apply(json, { from, to: from, by: oneOf(by, chance) });
};

const replaceQuotes = (quoted: (inner: string) => string): Break => (json) =>
  json.replace(/"((?:[^"\\]|\\.)*)"/gs, (_, inner: string) => quoted(inner));

const breaks: Readonly<Record<string, Break>> = {
  cut: (json, chance) => json.slice(0, chance(json.length)),
  bracketsAndSigns: (json, chance) => {
    const missed = tokensOf(json).filter(({ 0: token, index }) =>
      token.length === 1 && isMissed(json, index)
    );
    const { index: from } = oneOf(missed, chance);
    return apply(json, { from, to: from + 1, by: "" });
  },
  quotes: (json, chance) => {
    const texts = tokensOf(json).filter(([token]) => token.length > 1);
    const { index, 0: token } = oneOf(texts, chance);
    const from = chance(2) === 0 ? index : index + token.length - 1;
    return apply(json, { from, to: from + 1, by: "" });
  },
  added: insert([..."{}[],:\"' \n", "...", "+"]),
  comments: insert(["/* c */", "// c\n", "# c\n"]),
  single: replaceQuotes((inner) => `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`),
  typographic: replaceQuotes((inner) => `“${inner}”`),
  // Where a text holds more of JSON than quotes, nobody could tell what was meant.
  withoutEscapes: (json) =>
    json.replace(
      /"((?:[^"\\]|\\.)*)"/gs,
      (whole, inner: string) => /[,:{}[\]#/`]/.test(inner) ? whole : whole.replaceAll('\\"', '"'),
    ),
  lineBreaks: (json) => json.replaceAll("\\n", "\n").replaceAll("\\t", "\t"),
  trailing: (json) =>
    tokensOf(json).filter(({ 0: token, index }) =>
      "}]".includes(token) && !/[{[]\s*$/.test(json.slice(0, index))
    )
      .reverse().reduce((broken, { index: from }) => apply(broken, { from, to: from, by: "," }), json),
  // Before a letter of JSON's escapes it would be one, and before a quote the quote's.
  backslash: (json, chance) => {
    const from = oneOf([...json.matchAll(/[^bfnrtu"'\\/]/g)], chance).index;
    return json[from - 1] === "\\" ? json : apply(json, { from, to: from, by: "\\" });
  },
  escaped: (json) => JSON.stringify(json).slice(1, -1),
  asText: (json) => JSON.stringify(json),
};

const wraps: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => `\`\`\`json\n${json}\n\`\`\``,
  (json) => `Here it is: ${json}\nHope this helps!`,
  (json) => `<think>{"a": 1}, or not?</think>${json}`,
];

const brokenJson = fc.record({
  meant: object,
  how: fc.constantFrom(...Object.keys(breaks)),
  indent: fc.constantFrom(0, 2),
  wrap: fc.constantFrom(...wraps),
  draws: fc.infiniteStream(fc.nat()),
  isTyped: fc.boolean(),
});

Deno.test(`broken JSON becomes what it was, or stays as it came (seed ${seed})`, () => {
  assertProperty(
    fc.property(brokenJson, ({ meant, how, indent, wrap, draws, isTyped }) => {
      const chance = (below: number) => below === 0 ? 0 : Number(draws.next().value) % below;
      const json = JSON.stringify(meant, null, indent);
      const text = wrap(breaks[how]?.(json, chance) ?? json);
      const format: JsonFormat = isTyped
        ? { type: "json_schema", name: "x", schema: schemaOf(meant) }
        : { type: "json_object" };
      const healing = runNow(healJson(text, format));
      if (healing.type === "healed") assert.deepEqual(JSON.parse(healing.text), meant, text);
    }),
    { numRuns: runs(1_500) },
  );
});
