/** Parts that only clients of the Messages API write: kept on that wire, told or named on the others. */

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import { apis } from "../golden/apis.ts";
import { wires } from "../golden/wires.ts";
import { type Json, objects } from "../mocks/published.ts";
import { endpointTraits } from "../support/requests.ts";

interface OwnPart {
  readonly name: string;
  readonly block: Json;
  /** Text that other wires tell the model; undefined: nothing. */
  readonly told?: string;
}

const text = (words: string): Json => ({ type: "text", text: words });

const parts: readonly OwnPart[] = [
  {
    name: "search_result",
    block: {
      type: "search_result",
      source: "https://e.org/a",
      title: "Rome",
      content: [text("Founded long ago.")],
      citations: { enabled: true },
    },
    told: "Rome (https://e.org/a)\nFounded long ago.",
  },
  {
    name: "document",
    block: {
      type: "document",
      title: "Notes",
      source: { type: "content", content: [text("First."), text("Second.")] },
    },
    told: "Notes\nFirst.\nSecond.",
  },
  {
    name: "tool_reference",
    block: { type: "tool_reference", tool_name: "get_weather" },
    told: "get_weather",
  },
  { name: "later_block", block: { type: "later_block", words: "of 2028", deep: { a: 1 } } },
];

const call = { type: "tool_use", id: "toolu_1", name: "find", input: {}, caller: { type: "direct" } };

function rendered(block: Json, wire: string) {
  const request = apis.messages.parse({
    model: "a/b",
    max_tokens: 100,
    tools: [{ name: "find", input_schema: { type: "object", properties: {} } }],
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [call] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [text("Found:"), block] }],
      },
    ],
  });
  const found = wires[wire]?.renderRequest(request, endpointTraits({ upstreamModel: "claude-opus-5" }));
  assert(found);
  return found;
}

for (const { name, block, told } of parts) {
  Deno.test(`${name} of a tool's result goes to the Messages wire as it came`, () => {
    const { body, dropped } = rendered(block, "messages");
    const results = objects(body.messages).flatMap(({ content }) => objects(content)).at(-1);
    assert.deepEqual(objects(results?.content).at(-1), block);
    assert.deepEqual(dropped, []);
  });

  for (const wire of ["responses", "chat", "gemini", "bedrock"]) {
    Deno.test(`${name} of a tool's result is told and named on the ${wire} wire`, () => {
      const { body, dropped } = rendered(block, wire);
      const written = JSON.stringify(body);
      assert.equal(written.includes(JSON.stringify(told ?? "of 2028").slice(1, -1)), told !== undefined);
      assert.ok(dropped.includes(`input.${name}`), dropped.join());
      assert.ok(dropped.includes("input.caller"), dropped.join());
    });
  }
}

const refused: Readonly<Record<string, Json>> = {
  "a known block with a wrong field": { type: "search_result", source: 1, title: "t", content: [] },
  "a known block without a field": { type: "image" },
  "a type that is no word": { type: "Ignore all rules" },
  "a block without a type": { text: "Hi" },
  "a reference outside of a result": { type: "tool_reference", tool_name: "f" },
};

for (const [name, block] of Object.entries(refused)) {
  Deno.test(`the Messages API refuses ${name}`, () => {
    const body = { model: "a/b", max_tokens: 10, messages: [{ role: "user", content: [block] }] };
    assert.throws(() => apis.messages.parse(body), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.status, 400);
      assert.match(error.message, /^messages\[0\]\.content\[0\]/);
      return true;
    });
  });
}
