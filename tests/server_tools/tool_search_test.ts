/** Searches of tools by words and by patterns, and of models by what they must be able to do. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import {
  calls,
  itemsOf,
  type MockedWire,
  price,
  says,
  send,
  type ToolRig,
  wholeOf,
  withTools,
} from "./rig.ts";

const deferred = (name: string, { description, properties = {} }: {
  readonly description: string;
  readonly properties?: Json;
}): Json => ({
  type: "function",
  name,
  description,
  parameters: { type: "object", properties },
  defer_loading: true,
});

const functions = [
  deferred("get_weather", { description: "The weather forecast of a city." }),
  deferred("send_mail", {
    description: "Sends an e-mail.",
    properties: { recipient: { type: "string", description: "Address of whom it goes to." } },
  }),
  deferred("list_files", { description: "Files of a folder. C++ sources too." }),
];

interface Search {
  readonly args: Json;
  readonly settings?: Json;
}

/** The answer that the model reads, and the item that the client sees. */
async function search({ gateway, plan, taken }: ToolRig, { args, settings = {} }: Search) {
  plan((turn) => turn === 0 ? [calls("tool_search", { args })] : [says("Done.")]);
  const plain = { type: "function", name: "plain", parameters: { type: "object", properties: {} } };
  const tools = [{ type: "service:tool_search", ...settings }, plain, ...functions];
  const output = itemsOf(
    wholeOf(await send(gateway, { body: { model: "mock/chat", input: "Find it.", tools } })),
  );
  const told = asList(taken("chat").at(-1)?.messages).map(asObject).find(({ role }) => role === "tool");
  const answer = asObject(JSON.parse(String(told?.content)));
  const found = asList(answer.tools ?? []).map((one) => asObject(one).name);
  return { item: output[0] ?? {}, found, error: answer.error };
}

const patterns: readonly (readonly [pattern: string, found: readonly string[]])[] = [
  ["^get_", ["get_weather"]],
  ["(?i)WEATHER", ["get_weather"]],
  ["_(mail|files)$", ["send_mail", "list_files"]],
  // Names and descriptions of arguments count too.
  ["^recipient$", ["send_mail"]],
  ["Address of whom", ["send_mail"]],
  ["C\\+\\+", ["list_files"]],
  [".*", ["get_weather", "send_mail", "list_files"]],
  ["constructor|__proto__", []],
];

Deno.test("tool_search finds tools by a pattern, as it finds them by words", async () => {
  await withTools({}, async (rig) => {
    for (const [pattern, expected] of patterns) {
      const { found, item, error } = await search(rig, { args: { pattern } });
      assert.deepEqual([found, error], [expected, undefined], pattern);
      assert.deepEqual([item.query, item.status], [pattern, "completed"], pattern);
    }
    assert.deepEqual((await search(rig, { args: { query: "weather forecast" } })).found, ["get_weather"]);
    const both = await search(rig, { args: { query: "mail", pattern: "^list_" } });
    assert.deepEqual([both.found, both.item.query], [["list_files"], "mail"]);
    assert.deepEqual((await search(rig, { args: { pattern: "_", max_results: 2 } })).found.length, 2);
    assert.deepEqual(
      (await search(rig, { args: { pattern: "_" }, settings: { max_results: 1 } })).found.length,
      1,
    );
  });
});

Deno.test("a pattern that is wrong or too long is a result that says why, and none takes long", async () => {
  await withTools({}, async (rig) => {
    const faults: readonly (readonly [args: Json, reason: RegExp])[] = [
      [{ pattern: "(" }, /^pattern /],
      [{ pattern: "[z-a]" }, /^pattern /],
      [{ pattern: "(a)\\1" }, /^pattern /],
      [{ pattern: "x".repeat(201) }, /^pattern has more than 200 characters/],
      [{ pattern: "(a{1,100}){1,100}" }, /^pattern costs too much/],
      [{}, /^query is missing; pattern may stand in its place/],
      [{ pattern: 5 }, /^query is missing/],
    ];
    for (const [args, reason] of faults) {
      const { error, item } = await search(rig, { args });
      assert.match(String(error), reason, JSON.stringify(args));
      assert.equal(item.status, "incomplete");
    }
    // A backtracking engine would never end with these.
    const hostile = deferred("hostile", { description: `${"a".repeat(50_000)}!` });
    functions.push(hostile);
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(.*a){20}$"]) {
      const { error } = await search(rig, { args: { pattern } });
      assert.equal(error, undefined, pattern);
    }
    functions.pop();
  });
});

const kinds: Readonly<Record<MockedWire, Json>> = {
  responses: { tokenizer: "GPT", input_modalities: ["text", "image"], context_length: 400_000 },
  chat: { tokenizer: "GPT", input_modalities: ["text"], context_length: 8_000 },
  messages: { tokenizer: "Claude", input_modalities: ["text", "image", "file"], context_length: 200_000 },
  gemini: { tokenizer: "Gemini", input_modalities: ["text", "image", "audio"], context_length: 1_000_000 },
  bedrock: { input_modalities: ["text"], context_length: 100_000 },
};

/** Wires of the models that a search has found, of each one model. */
async function findModels({ gateway, plan, taken }: ToolRig, args: Json) {
  plan((turn) => turn === 0 ? [calls("search_models", { args })] : [says("Done.")]);
  const tools = [{ type: "openrouter:experimental__search_models" }];
  const body = { model: "mock/chat", input: "Find it.", tools };
  const [item = {}] = itemsOf(wholeOf(await send(gateway, { body })));
  const told = asList(taken("chat").at(-1)?.messages).map(asObject).find(({ role }) => role === "tool");
  const answer = asObject(JSON.parse(String(told?.content)));
  const models = asList(answer.models ?? []).map(asObject);
  const wires = models.map(({ id }) => String(id)).filter((id) => /^mock\/[a-z]+$/.test(id))
    .map((id) => id.slice("mock/".length)).sort();
  return { ...answer, item, models, wires };
}

Deno.test("search_models keeps what meets every condition, and counts what it has found", async () => {
  await withTools({ model: (wire) => ({ ...kinds[wire], pricing: price }) }, async (rig) => {
    const cases: readonly (readonly [args: Json, wires: readonly string[]])[] = [
      [{ series: "claude" }, ["messages"]],
      [{ series: "GPT", min_context_length: 10_000 }, ["responses"]],
      [{ series: "Other" }, ["bedrock"]],
      [{ input_modalities: ["image", "file"] }, ["messages"]],
      [{ input_modalities: ["IMAGE"], min_context_length: 300_000 }, ["gemini", "responses"]],
      [{ query: "mock", input_modalities: ["audio"] }, ["gemini"]],
      [{ output_modalities: ["video"] }, []],
      [{ series: "constructor" }, []],
    ];
    for (const [args, wires] of cases) {
      const found = await findModels(rig, { ...args, max_results: 20 });
      assert.deepEqual(found.wires, wires, JSON.stringify(args));
      assert.equal(Reflect.get(found, "showing"), found.models.length);
    }
    const { models, ...counts } = await findModels(rig, { max_results: 2 });
    // Each wire has five models here.
    assert.deepEqual([models.length, Reflect.get(counts, "showing"), Reflect.get(counts, "total_results")], [
      2,
      2,
      25,
    ]);
    assert.ok(models.every(({ series }) => typeof series === "string"));
    for (
      const args of [{ input_modalities: "image" }, { min_context_length: "1" }, { query: 1 }, { series: [] }]
    ) {
      const { item, models: none } = await findModels(rig, args);
      assert.deepEqual([item.status, none.length], ["incomplete", 0], JSON.stringify(args));
    }
  });
});
