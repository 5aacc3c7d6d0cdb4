/** The plugin `moderation`: what is judged, what is blocked, and what that costs. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { createKey, managed } from "../support/manage.ts";
import { apiNames, receiptOf, spentBy } from "../money/rig.ts";
import { explained } from "./rig.ts";
import {
  askModerated,
  KEY,
  moderated,
  moderation,
  type ModerationRig,
  setDefaults,
} from "./moderation_rig.ts";

const ways = apiNames.flatMap((api) => [false, true].map((stream) => ({ api, stream })));
const bad = `a bad text ${"y".repeat(200)} and its end`;

/** Texts of all inputs that the service was asked about. */
const textsIn = ({ judged }: Pick<ModerationRig, "judged">): string =>
  judged.map(({ body }) => JSON.stringify(body)).join("\n");

Deno.test("a flagged request is 403 on every API, and no model is called", async () => {
  await using rig = await moderated({ moderation: { name: "Judge" } });
  const { key } = await createKey(rig.gateway);
  for (const way of ways) {
    const { status, error, raw } = await askModerated(rig, { ...way, key, text: bad });
    assert.equal(status, 403, raw);
    const details = asObject(way.api === "messages" ? error.details : error.metadata);
    assert.deepEqual(details.reasons, ["violence"]);
    const shown = String(details.flagged_input);
    assert.ok([...shown].length <= 100 && shown.startsWith("a bad text") && shown.endsWith("and its end"));
    assert.deepEqual([details.provider_name, details.model_slug], ["Judge", "omni-moderation-latest"]);
    assert.equal(
      way.api === "messages" ? error.type : error.code,
      way.api === "messages" ? "permission_error" : 403,
    );
    const [stage] = asList(asObject(JSON.parse(raw).service_metadata).pipeline).map(asObject);
    assert.deepEqual([stage?.type, stage?.name], ["guardrail", "moderation"]);
    assert.equal(asObject(stage?.data).flagged, true);
  }
  assert.equal(rig.upstream.requested.length, 0);
  assert.equal(await spentBy(rig.gateway, key), 0);
  assert.equal(rig.judged.length, ways.length, "what was flagged is judged anew");
});

Deno.test("a request that passes goes on without a stage, and is not judged again", async () => {
  await using rig = await moderated();
  for (const [index, way] of ways.entries()) {
    const { status, raw, response } = await askModerated(rig, { ...way, text: "a kind text" });
    assert.equal(status, 200, raw);
    assert.match(raw, /"pipeline":\[\]/);
    assert.equal(response.headers.get("x-tollgate-notes"), null);
    assert.equal(rig.judged.length, 1);
    assert.equal(rig.upstream.requested.length, index + 1);
  }
  const [{ path, headers, body } = assert.fail()] = rig.judged;
  assert.deepEqual([path, headers.get("authorization")], ["/v1/moderations", `Bearer ${KEY}`]);
  assert.deepEqual(body, { model: "omni-moderation-latest", input: ["a kind text"] });
});

const image =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const everywhere: Readonly<Record<string, Json>> = {
  system: { instructions: "a bad text" },
  history: { input: [{ role: "user", content: "a bad text" }, { role: "assistant", content: "Yes?" }] },
  assistant: { input: [{ role: "assistant", content: "a bad text" }, { role: "user", content: "Hi" }] },
  "tool result": {
    input: [
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "a bad text" },
    ],
  },
  definition: { tools: [{ type: "function", name: "look", description: "a bad text", parameters: {} }] },
  document: {
    input: [{
      role: "user",
      content: [{
        type: "input_file",
        filename: "a.txt",
        file_data: `data:text/plain;base64,${btoa("a bad text")}`,
      }],
    }],
  },
};

for (const [place, fields] of Object.entries(everywhere)) {
  Deno.test(`a text is judged wherever the client puts it: ${place}`, async () => {
    await using rig = await moderated();
    const { status, raw } = await askModerated(rig, { api: "responses", more: { ...moderation, ...fields } });
    assert.equal(status, 403, raw);
    assert.equal(rig.upstream.requested.length, 0);
  });
}

Deno.test("a long text is judged in several calls, whole", async () => {
  await using rig = await moderated();
  const words = Array.from({ length: 40_000 }, (_, at) => `word${at}`).join(" ");
  const { status, raw } = await askModerated(rig, { api: "chat", text: words });
  assert.equal(status, 200, raw);
  assert.ok(rig.judged.length > 3);
  const texts = textsIn(rig);
  for (const at of [0, 777, 8_000, 20_001, 39_999]) assert.ok(texts.includes(`word${at}`), String(at));
  assert.equal((await askModerated(rig, { api: "chat", text: `${words} a bad end` })).status, 403);
});

Deno.test("an image is judged where the service reads images, and named as left out where not", async () => {
  const content = [{ type: "input_text", text: "Look" }, { type: "input_image", image_url: image }];
  const more = { ...moderation, model: "local/echo", input: [{ role: "user", content }] };
  await using seeing = await moderated();
  const { status, response } = await askModerated(seeing, { api: "responses", more });
  assert.deepEqual([status, response.headers.get("x-tollgate-notes")], [200, null]);
  assert.ok(textsIn(seeing).includes(`"input":[{"type":"image_url","image_url":{"url":"${image}"}}]`));
  await using blind = await moderated({ moderation: { wire: "mistral", model: "mistral-moderation-2603" } });
  const noted = await askModerated(blind, { api: "responses", more });
  assert.equal(noted.status, 200, noted.raw);
  assert.match(noted.response.headers.get("x-tollgate-notes") ?? "", /moderation did not judge all: images/);
  assert.ok(!textsIn(blind).includes("image_url"));
});

Deno.test("a request without a service: 400 where it names the plugin, a note for a default, 503 where locked", async () => {
  await using rig = await moderated({ moderation: null });
  const { key } = await createKey(rig.gateway);
  const setting = /set moderation in the configuration file/;
  for (const way of ways) {
    const named = await askModerated(rig, { ...way, key });
    assert.equal(named.status, 400, named.raw);
    assert.match(String(named.error.message), setting);
    await setDefaults(rig, [{ id: "moderation" }]);
    const { status, response } = await askModerated(rig, { ...way, key, more: {} });
    assert.equal(status, 200);
    assert.match(response.headers.get("x-tollgate-notes") ?? "", setting);
    await setDefaults(rig, [{ id: "moderation", locked: true }]);
    const locked = await askModerated(rig, { ...way, key, more: {} });
    assert.equal(locked.status, 503, locked.raw);
    assert.match(String(locked.error.message), setting);
    await setDefaults(rig, null);
  }
});

Deno.test("a moderation that costs something is reserved, paid and on the receipt, and nothing else of a flagged request", async () => {
  await using rig = await moderated({ moderation: { price: "0.002", name: "Judge" } });
  const { key } = await createKey(rig.gateway);
  const { status, response } = await askModerated(rig, { api: "chat", key, text: bad });
  assert.equal(status, 403);
  assert.equal(await spentBy(rig.gateway, key), 2_000_000);
  const receipt = JSON.stringify(await receiptOf(rig.gateway, response));
  assert.match(receipt, /plugin:moderation/);
  assert.match(receipt, /"Judge"/);
  for (const [at, way] of ways.entries()) {
    const one = await createKey(rig.gateway);
    assert.equal((await askModerated(rig, { ...way, key: one.key, text: `kind ${at}` })).status, 200);
    assert.equal(await spentBy(rig.gateway, one.key), 2_000_000 + 9_000);
  }
});

Deno.test("a key whose limit has no room for the moderation is 402, and nobody is asked", async () => {
  await using rig = await moderated({ moderation: { price: "0.002" } });
  const { key } = await createKey(rig.gateway, { limit: 0.001 });
  for (const way of ways) {
    const { status, raw } = await askModerated(rig, { ...way, key, text: "kind" });
    assert.ok(status === 402 || status === 403, raw);
  }
  assert.deepEqual([rig.judged.length, rig.upstream.requested.length], [0, 0]);
  assert.equal(await spentBy(rig.gateway, key), 0);
});

Deno.test("only what the client sends is judged: once before the first turn of a loop", async () => {
  await using rig = await moderated();
  const more = {
    ...moderation,
    tools: [{ type: "openrouter:datetime" }],
    tool_choice: { type: "openrouter:datetime" },
  };
  const { status, raw } = await askModerated(rig, {
    api: "responses",
    model: "local/echo",
    text: "When?",
    more,
  });
  assert.equal(status, 200, raw);
  assert.equal(rig.judged.length, 1);
});

Deno.test("POST /v1/route/explain says what moderation would do, and asks nobody", async () => {
  await using rig = await moderated({ moderation: { name: "Judge" } });
  const plugins = await explained(rig.gateway, { model: "local/echo", input: "Hi", ...moderation });
  assert.match(String(plugins[0]?.would), /ask Judge \(omni-moderation-latest\)/);
  assert.equal(rig.judged.length, 0);
});

Deno.test("speech is judged where a default says so", async () => {
  await using rig = await moderated();
  await setDefaults(rig, [{ id: "moderation", locked: true }]);
  const speak = (input: string) =>
    fetch(`${rig.gateway.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${rig.gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "mock/none",
        voice: "en",
        input,
        plugins: [{ id: "moderation", enabled: false }],
      }),
    });
  const flagged = await speak("a bad text");
  assert.equal(flagged.status, 403);
  const { error } = asObject(await flagged.json());
  assert.deepEqual(asObject(asObject(error).metadata).reasons, ["violence"]);
  const passed = await speak("a kind text");
  assert.equal(passed.status, 404, await passed.text());
  assert.equal(rig.judged.length, 2);
});

Deno.test("local/moderator flags planted words, and says that it is simulated", async () => {
  await using rig = await moderated({
    moderation: {
      model: "local/moderator",
      base_url: undefined,
      api_key_env: undefined,
      thresholds: { hate: 0.3, sexual: null },
    },
  });
  const reasons = async (text: string) => {
    const { status, error } = await askModerated(rig, { api: "chat", text });
    if (status === 200) return undefined;
    const metadata = asObject(error.metadata);
    assert.equal(metadata.provider_name, "Built in (simulated)");
    assert.equal(metadata.model_slug, "local/moderator");
    assert.match(String(error.message), /simulated/);
    return metadata.reasons;
  };
  assert.equal(await reasons("violence and hate, not planted"), undefined);
  assert.deepEqual(await reasons("a planted-violence word"), ["violence"]);
  assert.deepEqual(await reasons("planted-violence/graphic."), ["violence/graphic"]);
  assert.equal(await reasons("planted-violence:0.4"), undefined);
  assert.deepEqual(await reasons("planted-hate:0.4"), ["hate"]);
  assert.equal(await reasons("planted-sexual"), undefined);
  const { body } = await managed(rig.gateway, { call: "GET /models" });
  assert.ok(!JSON.stringify(body).includes("local/moderator"));
});
