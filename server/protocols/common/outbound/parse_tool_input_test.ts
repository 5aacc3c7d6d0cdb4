import assert from "node:assert/strict";
import { endToolInput, initialToolInput, readToolInput, type ToolInputReader } from "./parse_tool_input.ts";

/** Reads chunks; what each of them added, and what the end did. */
function read(chunks: readonly string[]): readonly string[] {
  let reader: ToolInputReader = initialToolInput;
  const out: string[] = [];
  for (const chunk of chunks) {
    const [next, text] = readToolInput(reader, chunk);
    reader = next;
    out.push(text);
  }
  return [...out, endToolInput(reader)];
}

Deno.test("readToolInput streams the text as it comes", () => {
  assert.deepEqual(read(['{"in', 'put": "*** Be', "gin\\", 'nPatch"', "}"]), [
    "",
    "*** Be",
    "gin",
    "\nPatch",
    "",
    "",
  ]);
});

const texts = [
  "",
  "plain",
  'quotes " and \\ backslashes \\" \\\\',
  "lines\n\r\t\b\f and \u0000\u001f",
  "emoji 🚀 and 漢字, lone \ud83d half",
  '{"input":"nested"}',
];

const spellings: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify({ input: text }),
  (text) => ` {\n "input"\t: ${JSON.stringify(text)} } `,
  (text) => `{"input":"${[...text].map(escaped).join("")}"}`,
];

function escaped(char: string): string {
  return Array.from(
    { length: char.length },
    (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`,
  )
    .join("");
}

Deno.test("readToolInput finds the text whatever the split", () => {
  for (const text of texts) {
    for (const spell of spellings) {
      const json = spell(text);
      for (let cut = 0; cut <= json.length; cut++) {
        assert.equal(read([json.slice(0, cut), json.slice(cut)]).join(""), text, `${json} cut at ${cut}`);
      }
      assert.equal(read([...json]).join(""), text, `${json} one by one`);
    }
  }
});

Deno.test("endToolInput makes the best of other shapes", async (t) => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["the text alone, as JSON", '"just text"', "just text"],
    ["the text alone, raw", "just text", "just text"],
    ["another key first", '{"why":"x","input":"text"}', "text"],
    ["no such key", '{"patch":"text"}', '{"patch":"text"}'],
    ["a value that is no text", '{"input":{"a":1}}', '{"a":1}'],
    ["null", "null", "null"],
    ["nothing", "", ""],
    ["an empty object", "{}", "{}"],
  ];
  for (const [name, raw, expected] of cases) {
    await t.step(name, () => assert.equal(read([...raw]).join(""), expected));
  }
});

Deno.test("readToolInput never tells half a character", () => {
  const json = String.raw`{"input":"a\ud83d\ude80b\ud83dc"}`;
  const chunks = read([...json]);
  assert.equal(chunks.join(""), "a\u{1F680}b\ud83dc");
  assert.ok(chunks.includes("\u{1F680}"), "both halves at once");
});

Deno.test("readToolInput lets escapes pass that JSON does not know", () => {
  assert.equal(read([String.raw`{"input":"a\xb\u12g\q"}`]).join(""), String.raw`axb\u12gq`);
});
