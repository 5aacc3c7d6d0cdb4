/** Presets: saved from requests of every API, used by requests of every API, in every form. */

import assert from "node:assert/strict";
import { presetCollection, presetVersions, versionKey } from "../../server/management/presets/preset_rows.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { readError } from "../support/call.ts";
import { chatTurn, says, type Script, type Scripted, scripted } from "../support/scripted.ts";

const apis = ["chat", "responses", "messages"] as const;
type Api = (typeof apis)[number];
const paths: { readonly [A in Api]: string } = {
  chat: "/chat/completions",
  responses: "/responses",
  messages: "/messages",
};

const model = (name: string) => ({
  id: `acme/${name}`,
  upstream_id: name,
  pricing: { prompt: "0", completion: "0" },
});

interface Rig extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly upstream: Scripted;
}

async function startRig(script: Script = says("chat", "Hi.")): Promise<Rig> {
  const upstream = scripted(script);
  const provider = { id: "acme", wire: "chat", models: [model("one"), model("two")] } as const;
  const gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, provider)] });
  const close = async () => {
    await gateway.close();
    await upstream.close();
  };
  return { gateway, upstream, [Symbol.asyncDispose]: close };
}

const question: { readonly [A in Api]: Json } = {
  chat: { messages: [{ role: "user", content: "Hello" }] },
  responses: { input: "Hello" },
  messages: { messages: [{ role: "user", content: "Hello" }] },
};
const instructed: { readonly [A in Api]: (text: string) => Json } = {
  chat: (content) => ({ messages: [{ role: "system", content }, { role: "user", content: "Hello" }] }),
  responses: (instructions) => ({ ...question.responses, instructions }),
  messages: (system) => ({ ...question.messages, system }),
};
const schema = { type: "object", properties: { city: { type: "string" } } };
const tools: { readonly [A in Api]: (name: string, description?: string) => Json } = {
  chat: (name, description) => ({ type: "function", function: { name, description, parameters: schema } }),
  responses: (name, description) => ({ type: "function", name, description, parameters: schema }),
  messages: (name, description) => ({ name, description, input_schema: schema }),
};
const caps: { readonly [A in Api]: string } = {
  chat: "max_tokens",
  responses: "max_output_tokens",
  messages: "max_tokens",
};
const forced: { readonly [A in Api]: unknown } = {
  chat: { type: "function", function: { name: "weather" } },
  responses: { type: "function", name: "weather" },
  messages: { type: "tool", name: "weather" },
};

/** The same settings in the words of each API. */
const saved = (api: Api): Json => ({
  ...instructed[api]("Be brief."),
  model: "acme/one",
  temperature: 0.25,
  [caps[api]]: 50,
  tools: [tools[api]("weather")],
  tool_choice: forced[api],
  stream: true,
});

const save = ({ gateway }: Rig, [api, slug, body]: readonly [Api, string, Json]) =>
  managed(gateway, { call: `POST /presets/${slug}${paths[api]}`, body });

type Requested = readonly [api: Api, body: Json, key?: string];

async function call({ gateway, upstream }: Rig, [api, body, key = gateway.apiKey]: Requested) {
  const reply = await fetch(`${gateway.url}/v1${paths[api]}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...question[api], ...body }),
  });
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  const sent = upstream.requested.at(-1)?.body ?? {};
  return { sent, generation: reply.headers.get("x-generation-id") ?? "" };
}

async function refused(rig: Rig, [api, body, key = rig.gateway.apiKey]: Requested) {
  const asked = rig.upstream.requested.length;
  const reply = await fetch(`${rig.gateway.url}/v1${paths[api]}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...question[api], ...body }),
  });
  const text = await reply.text();
  assert.equal(rig.upstream.requested.length, asked, "nobody was asked");
  return { status: reply.status, text };
}

/** The part of what the provider was asked that presets decide. */
function decided(sent: Json): Json {
  const [first] = asList(sent.messages).map(asObject);
  return {
    model: sent.model,
    temperature: sent.temperature,
    cap: sent.max_tokens ?? sent.max_completion_tokens,
    system: first?.role === "user" ? undefined : first?.content,
    tools: asList(sent.tools ?? []).map((tool) => asObject(asObject(tool).function).name),
    choice: sent.tool_choice,
  };
}

Deno.test("a preset saved by any API fills in requests of every API, whole and streamed", async () => {
  await using rig = await startRig();
  const whole = {
    model: "one",
    temperature: 0.25,
    cap: 50,
    system: "Be brief.",
    tools: ["weather"],
    choice: forced.chat,
  };
  const configs = [];
  for (const from of apis) {
    const made = await save(rig, [from, `by-${from}`, saved(from)]);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const version = asObject(asObject(made.body.data).designated_version);
    assert.equal(version.system_prompt, "Be brief.");
    configs.push(version.config);
    for (const to of apis) {
      for (const stream of [false, true]) {
        const { sent } = await call(rig, [to, { model: `@preset/by-${from}`, stream }]);
        assert.deepEqual(decided(sent), whole, `${from} → ${to}`);
      }
    }
  }
  assert.deepEqual(configs[1], configs[0]);
  assert.deepEqual(configs[2], configs[0]);
});

type Case = readonly [string, (api: Api) => Json, Json];
/** A request's own fields, and what comes of them besides the preset's. */
const cases: readonly Case[] = [
  ["model names the preset alone", () => ({ model: "@preset/all" }), {}],
  ["model names another model in front", () => ({ model: "acme/two@preset/all" }), { model: "two" }],
  ["preset alone", () => ({ preset: "all" }), {}],
  ["preset beside a model", () => ({ preset: "all", model: "acme/two" }), { model: "two" }],
  ["both name the same", () => ({ preset: "all", model: "@preset/all" }), {}],
  ["a field of the request wins", () => ({ preset: "all", temperature: 0.75 }), { temperature: 0.75 }],
  ["null counts as absent", () => ({ preset: "all", temperature: null, tools: null }), {}],
  ["a cap under the API's own name wins", (api) => ({ preset: "all", [caps[api]]: 9 }), { cap: 9 }],
  ["the request's system text wins", (api) => ({ preset: "all", ...instructed[api]("Be long.") }), {
    system: "Be long.",
  }],
  [
    "tools are united",
    (api) => ({ preset: "all", tools: [tools[api]("time"), tools[api]("weather", "Own")] }),
    {
      tools: ["weather", "time"],
    },
  ],
];

Deno.test("requests of every API name a preset in every form, and what they say themselves wins", async () => {
  await using rig = await startRig();
  await save(rig, ["chat", "all", saved("chat")]);
  const whole = decided((await call(rig, ["chat", { model: "@preset/all" }])).sent);
  for (const api of apis) {
    for (const [name, body, changes] of cases) {
      const { sent } = await call(rig, [api, body(api)]);
      assert.deepEqual(decided(sent), { ...whole, ...changes }, `${api}: ${name}`);
    }
  }
});

const faults: readonly (readonly [string, Json, RegExp, number?])[] = [
  [
    "unknown",
    { model: "@preset/nobody" },
    /model names \\?"nobody\\?", and the workspace has no such preset/,
    404,
  ],
  ["unknown, by field", { preset: "__proto__" }, /preset names \\?"__proto__\\?"/, 404],
  ["too long", { preset: "a".repeat(5_000) }, /preset names \\?"aaa/, 404],
  ["empty", { model: "@preset/" }, /model names \\?"\\?"/, 404],
  ["no text", { preset: 5 }, /preset is 5; the slug of a preset is needed/],
  ["unknown, and where to look", { preset: "nobody" }, /GET \/v1\/presets lists those that there are/, 404],
  ["no slug", { preset: "" }, /such preset\. A slug is 1 to 64 .*GET \/v1\/presets/, 404],
  ["with its mark", { preset: "@preset/good" }, /preset takes the slug alone: \\?"good\\?"/, 404],
  ["with a model", { preset: "cl@preset/good" }, /preset takes the slug alone: \\?"good\\?"/, 404],
  ["with no slug behind", { preset: "cl@preset/" }, /A slug is 1 to 64/, 404],
  [
    "two in one name",
    { model: "acme/one@preset/good@preset/x" },
    /names two presets, \\?"good\\?" and \\?"x/,
  ],
  [
    "two with a model each",
    { model: "acme/one@preset/cl@preset/good" },
    /model names two presets, \\?"cl\\?" and \\?"good/,
  ],
  ["first of models", { models: ["@preset/good"] }, /models\[0\] is .*a preset goes into model or preset/],
  [
    "later in models",
    { model: "acme/one", models: ["acme/two", "acme/one@preset/good"] },
    /models\[1\] is .*a preset goes into model or preset/,
  ],
  ["in models beside one", { preset: "good", models: ["@preset/good"] }, /models\[0\] is/],
  ["two", { preset: "good", model: "@preset/other" }, /model names the preset \\?"other/],
  ["disabled", { preset: "off" }, /names \\?"off\\?", which is disabled/],
  ["wrong with the request", { preset: "warm" }, /temperature.*version 1 of the preset warm/],
];

Deno.test("presets that cannot be used are refused in every API and named", async () => {
  await using rig = await startRig();
  await save(rig, ["chat", "good", saved("chat")]);
  await save(rig, ["chat", "off", saved("chat")]);
  await save(rig, ["chat", "warm", { model: "acme/one", temperature: 1.5, max_tokens: 5 }]);
  await managed(rig.gateway, { call: "PATCH /presets/off", body: { status: "disabled" } });
  for (const api of apis) {
    for (const [name, body, message, expected = 400] of faults) {
      if (name === "wrong with the request" && api !== "messages") continue;
      const { status, text } = await refused(rig, [api, body]);
      assert.equal(status, expected, `${api}: ${name}: ${text}`);
      assert.match(text, message);
    }
  }
});

/** APIs that take none, with what they need besides a model. */
const withoutPresets = [
  ["embeddings", "/embeddings", { input: "Hello" }],
  ["speech", "/audio/speech", { input: "Hello", voice: "alloy" }],
] as const;
const namings: readonly (readonly [body: Json, path: string])[] = [
  [{ model: "acme/one", preset: "good" }, "preset"],
  [{ model: "acme/one", preset: "nobody" }, "preset"],
  [{ model: "acme/one", preset: "" }, "preset"],
  [{ preset: "good" }, "preset"],
  [{ model: "@preset/good" }, "model"],
  [{ model: "acme/one@preset/good" }, "model"],
  [{ models: ["@preset/good"] }, "models[0]"],
  [{ model: "acme/one", models: ["acme/two", "@preset/good"] }, "models[1]"],
];

Deno.test("APIs that take no presets refuse each naming of one, and say so", async () => {
  await using rig = await startRig();
  const { gateway } = rig;
  await save(rig, ["chat", "good", saved("chat")]);
  for (const [what, address, question] of withoutPresets) {
    for (const [body, path] of namings) {
      const reply = await fetch(`${gateway.url}/v1${address}`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ ...question, ...body }),
      });
      const { status, message, error } = await readError(reply);
      assert.equal(status, 400, `${what}: ${message}`);
      assert.ok(message.includes(`requests for ${what} take no presets`), message);
      assert.equal(asObject(error.metadata).path, path, what);
    }
  }
});

Deno.test("a preset belongs to its workspace, and goes with it", async () => {
  await using rig = await startRig();
  const { gateway } = rig;
  const home = await managed(gateway, { call: "POST /workspaces", body: { name: "Far", slug: "far" } });
  const id = String(asObject(home.body.data).id);
  const { key, record } = await createKey(gateway, { workspace_id: id });
  const body = saved("chat");
  await managed(gateway, { call: `POST /presets/far/chat/completions?workspace_id=${id}`, body });
  assert.equal((await refused(rig, ["chat", { preset: "far" }])).status, 404);
  await call(rig, ["chat", { preset: "far" }, key]);
  await managed(gateway, { call: `DELETE /keys/${record.hash}` });
  assert.equal((await managed(gateway, { call: `DELETE /workspaces/${id}` })).status, 200);
  assert.deepEqual(await gateway.store.list(["presets"]), []);
  assert.deepEqual(await gateway.store.list(["preset_versions"]), []);
});

Deno.test("a change makes a version, which requests use and receipts name; old ones can be read", async () => {
  await using rig = await startRig();
  const { gateway } = rig;
  const settings = (temperature: number) => ({ model: "acme/one", temperature });
  const first = asObject((await save(rig, ["chat", "warmth", settings(0.1)])).body.data);
  await call(rig, ["chat", { preset: "warmth" }]);
  await save(rig, ["chat", "warmth", settings(0.1)]);
  const second = asObject((await save(rig, ["responses", "warmth", settings(0.2)])).body.data);
  const { sent, generation } = await call(rig, ["chat", { preset: "warmth" }]);
  assert.equal(sent.temperature, 0.2);
  const receipt = asObject((await managed(gateway, { call: `GET /generation?id=${generation}` })).body.data);
  assert.deepEqual(receipt.preset, { id: first.id, slug: "warmth", version: 2 });
  assert.equal(receipt.preset_id, first.id);
  assert.equal(receipt.requested_model, "acme/one");
  await call(rig, ["chat", { model: "acme/one" }]);
  const found = async (query: string) => {
    const list = (await managed(gateway, { call: `GET /receipts?${query}` })).body;
    return asList(list.data).map((one) => asObject(one).preset);
  };
  const used = (version: number) => ({ id: first.id, slug: "warmth", version });
  assert.deepEqual(await found("preset=warmth"), [used(2), used(1)]);
  assert.deepEqual(await found("preset=warm"), []);
  assert.deepEqual(await found("limit=1"), [undefined]);
  const csv = await manage(gateway, { call: "GET /receipts/export?preset=warmth" });
  const [head = "", line = ""] = (await csv.text()).split("\r\n");
  assert.ok(head.split(",").includes("preset") && line.includes("warmth"), line);
  const listed = (await managed(gateway, { call: "GET /presets/warmth/versions" })).body;
  assert.deepEqual(asList(listed.data).map((one) => [asObject(one).version, asObject(one).config]), [
    [1, settings(0.1)],
    [2, settings(0.2)],
  ]);
  assert.equal(second.designated_version_id, asObject(asList(listed.data)[1]).id);
  const old = await managed(gateway, { call: "GET /presets/warmth/versions/1" });
  assert.deepEqual(asObject(old.body.data), asList(listed.data)[0]);
  const lists = await managed(gateway, { call: "GET /presets?limit=1" });
  assert.deepEqual([lists.body.total_count, asObject(asList(lists.body.data)[0]).slug], [1, "warmth"]);
  for (const wrong of ["0", "3", "x", "__proto__"]) {
    assert.equal((await managed(gateway, { call: `GET /presets/warmth/versions/${wrong}` })).status, 404);
  }
  assert.equal((await managed(gateway, { call: "DELETE /presets/warmth" })).status, 200);
  assert.deepEqual(await gateway.store.list(["preset_versions"]), []);
  assert.equal((await managed(gateway, { call: "GET /presets/warmth" })).status, 404);
});

Deno.test("a request keeps the version that it began with, also in the turns of its tools", async () => {
  const turns: (() => Promise<Json>)[] = [];
  await using rig = await startRig(async ({ body }) => {
    const said = await turns.shift()?.();
    return chatTurn(body, said ?? { content: "Hi." });
  });
  const settings = { model: "acme/one", temperature: 0.1, tools: [{ type: "openrouter:datetime" }] };
  await save(rig, ["chat", "clock", settings]);
  turns.push(async () => {
    await save(rig, ["chat", "clock", { model: "acme/two", temperature: 0.9 }]);
    const [tool] = asList(rig.upstream.requested.at(-1)?.body.tools).map(asObject);
    const name = asObject(tool?.function).name;
    return { tool_calls: [{ index: 0, id: "c1", type: "function", function: { name, arguments: "{}" } }] };
  });
  const { generation } = await call(rig, ["chat", { preset: "clock", stream: true }]);
  const sent = rig.upstream.requested.map(({ body }) => [body.model, body.temperature]);
  assert.deepEqual(sent, [["one", 0.1], ["one", 0.1]]);
  const receipt = await managed(rig.gateway, { call: `GET /generation?id=${generation}` });
  assert.equal(asObject(asObject(receipt.body.data).preset).version, 1);
});

Deno.test("guardrails, routes and counts see the filled request", async () => {
  await using rig = await startRig();
  const { gateway } = rig;
  const { key, record } = await createKey(gateway);
  const rules = {
    name: "Rules",
    content_filters: [{ pattern: "secret", action: "redact" }],
    ignored_models: ["acme/two"],
  };
  const made = await managed(gateway, { call: "POST /guardrails", body: rules });
  const assign = `POST /guardrails/${asObject(made.body.data).id}/assignments/keys`;
  await managed(gateway, { call: assign, body: { key_hashes: [record.hash] } });
  await save(rig, ["chat", "kept", { ...saved("chat"), ...instructed.chat("A secret.") }]);
  await save(rig, ["chat", "barred", { model: "acme/two", max_tokens: 5 }]);
  for (const api of apis) {
    const { sent } = await call(rig, [api, { preset: "kept" }, key]);
    assert(!JSON.stringify(sent).includes("secret"), api);
    assert.equal((await refused(rig, [api, { preset: "barred" }, key])).status, 404, api);
  }
  const body = { ...question.responses, preset: "kept" };
  const explained = await managed(gateway, { call: "POST /route/explain", token: gateway.apiKey, body });
  assert.equal(explained.status, 200, JSON.stringify(explained.body));
  assert.match(JSON.stringify(explained.body.candidates), /acme\/one/);
  const counted = async (fields: Json) => {
    const counting = { ...question.messages, model: "acme/one", ...fields };
    const call = "POST /messages/count_tokens";
    return Number(
      (await managed(gateway, { call, token: gateway.apiKey, body: counting })).body.input_tokens,
    );
  };
  assert(await counted({ preset: "kept" }) > await counted({}));
});

Deno.test("the newest 500 versions are kept, and a deletion takes all of them", async () => {
  await using rig = await startRig();
  const { gateway, gateway: { store } } = rig;
  await save(rig, ["chat", "old", { temperature: 0.1 }]);
  const rows = presetCollection(store);
  const versions = presetVersions(store);
  const [found] = await rows.list();
  const [first] = await versions.list();
  assert(found && first);
  const older = Array.from({ length: 500 }, (_, at) => ({ ...first.record, version: at + 1 }));
  await store.commit({
    puts: [
      rows.put(found.id, { ...found.record, version: 500 }),
      ...older.map((one) => versions.put(versionKey(found.record, one.version), one)),
    ],
    small: true,
  });
  await save(rig, ["chat", "old", { temperature: 0.2 }]);
  const at = async (query: string) =>
    (await managed(gateway, { call: `GET /presets/old/versions${query}` })).body;
  const numbers = async (query: string) => asList((await at(query)).data).map((one) => asObject(one).version);
  assert.equal((await at("?limit=1")).total_count, 500);
  assert.deepEqual([await numbers("?limit=1"), await numbers("?offset=498")], [[2], [500, 501]]);
  assert.deepEqual(await numbers("?offset=500"), []);
  await managed(gateway, { call: "DELETE /presets/old" });
  assert.deepEqual([...await store.list(["presets"]), ...await store.list(["preset_versions"])], []);
});

const unsaved: readonly (readonly [string, Json, RegExp])[] = [
  ["Loud", { temperature: 1 }, /slug is/],
  ["a".repeat(65), { temperature: 1 }, /slug is/],
  ["__proto__", { temperature: 1 }, /slug is/],
  ["ok", {}, /no setting that a preset keeps/],
  ["ok", { messages: [{ role: "user", content: "x" }] }, /no setting that a preset keeps/],
  ["ok", { model: "@preset/other" }, /model names a preset/],
  ["ok", { models: ["a/b", "a/b@preset/other"] }, /models names a preset/],
  ["ok", { temperature: 1, preset: "other" }, /preset names a preset/],
  ["ok", { temperature: 9 }, /temperature/],
  ["ok", { messages: [{ role: "system", content: "x".repeat(50_000) }] }, /at most 50000/],
];

Deno.test("what makes no preset is refused and changes nothing", async () => {
  await using rig = await startRig();
  for (const [slug, body, message] of unsaved) {
    const call = `POST /presets/${slug}/chat/completions`;
    const response = await fetch(`${rig.gateway.url}/v1${call.slice(5)}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${rig.gateway.managementKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    const error = await readError(response);
    assert.equal(error.status, 400);
    assert.match(error.message, message);
  }
  assert.deepEqual(await rig.gateway.store.list(["presets"]), []);
});
