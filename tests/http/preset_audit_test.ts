/** The audit log of presets: which settings changed, and neither texts nor credentials. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";

interface Version {
  readonly config: Json;
  readonly text?: string;
}

const save = async (gateway: Gateway, { config, text }: Version) => {
  const messages = text === undefined ? {} : { messages: [{ role: "system", content: text }] };
  const body = { ...config, ...messages };
  const answer = await managed(gateway, { call: "POST /presets/support/chat/completions", body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};

/** The changes of presets, newest first. */
async function changes(gateway: Gateway) {
  const { body } = await managed(gateway, { call: "GET /audit?subject_type=preset" });
  return asList(body.data).map(asObject).map(({ operation, before, after }) => ({
    operation,
    before: before === null ? null : asObject(before),
    after: after === null ? null : asObject(after),
  }));
}

const weather = (description: string) => ({
  type: "function",
  function: { name: "weather", description, parameters: { type: "object" } },
});
const server = (secret: string) => ({
  type: "mcp",
  server_label: "docs",
  server_url: `https://mcp.example.com/?key=${secret}`,
  authorization: secret,
  headers: { "x-key": secret },
});
const advisors = (secret: string) => ({ tools: [{ type: "openrouter:bash", parameters: { secret } }] });

/** Two versions, which settings differ in the log, and what never stands there. */
const cases: readonly (readonly [string, Version, Version, readonly string[]])[] = [
  ["a number", { config: { temperature: 0.1 } }, { config: { temperature: 0.2 } }, ["temperature"]],
  ["one more", { config: { top_p: 1 } }, { config: { top_p: 1, max_tokens: 5 } }, ["max_tokens"]],
  ["one less", { config: { top_p: 1, stop: ["a"] } }, { config: { top_p: 1 } }, ["stop"]],
  [
    "the text of the system",
    { config: { top_p: 1 }, text: "hidden words" },
    { config: { top_p: 1 }, text: "hidden world" },
    ["system_prompt"],
  ],
  ["a text taken away", { config: { top_p: 1 }, text: "hidden" }, { config: { top_p: 1 } }, [
    "system_prompt",
  ]],
  [
    "what a tool says",
    { config: { tools: [weather("hidden 1")] } },
    { config: { tools: [weather("hidden 2")] } },
    ["tools"],
  ],
  [
    "credentials of a server",
    { config: { tools: [server("hidden-1")] } },
    { config: { tools: [server("hidden-2")] } },
    ["tools"],
  ],
  [
    "a tool of a plugin",
    { config: { plugins: [{ id: "fusion", ...advisors("hidden 1") }] } },
    { config: { plugins: [{ id: "fusion", ...advisors("hidden 2") }] } },
    ["plugins"],
  ],
  [
    "a long schema",
    { config: { response_format: schemaOf("hidden 1") } },
    { config: { response_format: schemaOf("hidden 2") } },
    ["response_format"],
  ],
  [
    "many tools",
    { config: { tools: manyTools(1_000) } },
    { config: { tools: manyTools(999) } },
    ["tools"],
  ],
];

function schemaOf(description: string): Json {
  const schema = { type: "object", description: description.repeat(200) };
  return { type: "json_schema", json_schema: { name: "long", schema } };
}

function manyTools(count: number): Json[] {
  return Array.from({ length: count }, (_, at) => ({ type: "function", function: { name: `t${at}` } }));
}

const shown = (record: Json | null): Json => ({
  ...asObject(record?.config),
  system_prompt: record?.system_prompt ?? undefined,
});

/** Names of the settings that differ. */
function differing(before: Json | null, after: Json | null): readonly string[] {
  const [was, is] = [shown(before), shown(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
}

Deno.test("the audit log tells which settings of a preset changed, and no text or credential of them", async () => {
  await using gateway = await startGateway();
  for (const [name, first, second, expected] of cases) {
    await save(gateway, first);
    await save(gateway, second);
    assert.equal((await managed(gateway, { call: "DELETE /presets/support" })).status, 200);
    const [deleted, changed, made] = await changes(gateway);
    assert(deleted !== undefined && changed !== undefined && made !== undefined);
    assert.equal(made.before, null, name);
    assert.deepEqual(changed.before, made.after, name);
    assert.deepEqual(deleted.before, changed.after, name);
    assert.equal(deleted.after, null, name);
    assert.deepEqual(differing(changed.before, changed.after), expected, name);
    const text = JSON.stringify([deleted, changed, made]);
    assert.doesNotMatch(text, /hidden/, name);
    assert(new TextEncoder().encode(JSON.stringify(changed)).length < 20_000, name);
  }
});

Deno.test("the audit log shows short settings as they are, tools by their names, and the rest by its size", async () => {
  await using gateway = await startGateway();
  const text = "Be brief.";
  const tools = [weather("Tells"), server("x")];
  await save(gateway, { config: { model: "a/b", temperature: 0.5, stop: ["\n"], tools }, text });
  await managed(gateway, { call: "PATCH /presets/support", body: { status: "disabled" } });
  const [patched, made] = await changes(gateway);
  const { tools: named, ...config } = asObject(made?.after?.config);
  assert.deepEqual(config, { model: "a/b", temperature: 0.5, stop: ["\n"] });
  assert.deepEqual(asList(named).map(asObject).map(({ type, name }) => [type, name]), [
    ["function", "weather"],
    ["mcp", "docs"],
  ]);
  const digest = asObject(made?.after?.system_prompt);
  assert.deepEqual([digest.bytes, String(digest.sha256).length], [text.length + 2, 16]);
  assert.deepEqual([patched?.before?.status, patched?.after?.status], ["active", "disabled"]);
  const others = { status: 0, status_updated_at: 0, updated_at: 0 };
  assert.deepEqual({ ...patched?.before, ...others }, { ...patched?.after, ...others });
  assert.equal(patched?.after?.config, undefined, "a change of the state is not about settings");
});
