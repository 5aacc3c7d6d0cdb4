/** Plugins that a workspace sets for its requests, and which of them a request can change. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { type ApiName, apiNames, call } from "../money/rig.ts";

const LOCKED = "the workspace has locked its default";
const local = { env: { TOLLGATE_LOCAL: "on" } } as const;

async function settle(gateway: Gateway, default_plugins: unknown): Promise<Json> {
  const body = { default_plugins };
  const { status, body: reply } = await managed(gateway, { call: "PATCH /workspaces/default", body });
  assert.equal(status, 200, JSON.stringify(reply));
  return asObject(reply.data);
}

interface Calling {
  readonly api: ApiName;
  readonly stream: boolean;
  readonly model?: string;
  readonly more?: Json;
}

/** Names what the routing metadata says was left out: plugins that this gateway does not run. */
async function droppedBy(gateway: Gateway, { key, ...requested }: Calling & { readonly key: string }) {
  const response = await call(gateway, {
    key,
    model: "local/echo",
    headers: { "x-service-metadata": "enabled" },
    ...requested,
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const told = /"dropped":(\[[^\]]*\])/.exec(text)?.[1];
  return told === undefined ? [] : asList(JSON.parse(told)).map(String).toSorted();
}

const ways = apiNames.flatMap((api) => [false, true].map((stream) => ({ api, stream })));

Deno.test("a workspace's plugins hold for the next request of each API, and null clears them", async () => {
  await using gateway = await startGateway(local);
  const { key } = await createKey(gateway);
  for (const way of ways) {
    assert.deepEqual(await droppedBy(gateway, { key, ...way }), []);
    await settle(gateway, [{ id: "switchyard-router", algorithm: "stage" }]);
    assert.deepEqual(await droppedBy(gateway, { key, ...way }), ["plugin switchyard-router"]);
    const off = { plugins: [{ id: "switchyard-router", enabled: false }] };
    assert.deepEqual(await droppedBy(gateway, { key, ...way, more: off }), []);
    const on = { plugins: [{ id: "response-healing", mode: "all" }] };
    assert.deepEqual(await droppedBy(gateway, { key, ...way, more: on }), [
      "plugin response-healing: mode",
      "plugin switchyard-router",
    ]);
    assert.equal((await settle(gateway, null)).default_plugins, null);
    assert.deepEqual(await droppedBy(gateway, { key, ...way }), []);
  }
});

const off = [{ id: "switchyard-router", enabled: false }];

/** How a request may try to be rid of a locked default, and whether the metadata names that. */
const dodges: Readonly<Record<string, { readonly more?: Json; readonly model?: string; named: boolean }>> = {
  "enabled false": { more: { plugins: off }, named: true },
  "other options": { more: { plugins: [{ id: "switchyard-router", algorithm: "auto" }] }, named: true },
  "locked false": {
    more: { plugins: [{ id: "switchyard-router", locked: false, enabled: false }] },
    named: true,
  },
  "plugins null": { more: { plugins: null }, named: false },
  "no plugins": { more: { plugins: [] }, named: false },
  "other plugins": { more: { plugins: [{ id: "auto-router", enabled: false }] }, named: false },
  "a variant": { model: "local/echo:free", more: { plugins: off }, named: true },
  "two variants": { model: "local/echo:nitro:free", more: { plugins: off }, named: true },
  "models": { more: { models: ["local/echo:free", "local/echo"], plugins: off }, named: true },
};

for (const [name, { named, ...requested }] of Object.entries(dodges)) {
  Deno.test(`a locked default stays, whatever a request sends: ${name}`, async () => {
    await using gateway = await startGateway(local);
    const { key } = await createKey(gateway);
    await settle(gateway, [{ id: "switchyard-router", algorithm: "stage", locked: true }]);
    for (const way of ways) {
      const dropped = await droppedBy(gateway, { key, ...way, ...requested });
      assert.deepEqual(dropped, [
        "plugin switchyard-router",
        ...(named ? [`plugin switchyard-router: ${LOCKED}`] : []),
      ]);
    }
  });
}

Deno.test("settings that a plugin does not have are named, on each API, and do nothing", async () => {
  await using gateway = await startGateway(local);
  const { key } = await createKey(gateway);
  const plugins: readonly Json[] = [
    { id: "response-healing", enabled: true, mode: "all" },
    { id: "context-compression", engine: "middle-out", locked: true, constructor: 1 },
    { id: "file-parser", pdf: { engine: "pdf-text", colour: "red", toString: 1 } },
    { id: "web-fetch", allowed_domains: ["a.example"], depth: { pages: 2 } },
  ];
  for (const way of ways) {
    assert.deepEqual(await droppedBy(gateway, { key, ...way, more: { plugins } }), [
      "plugin context-compression: constructor",
      "plugin context-compression: locked",
      "plugin file-parser: pdf.colour",
      "plugin file-parser: pdf.toString",
      "plugin response-healing: mode",
      "plugin web-fetch: depth",
    ]);
  }
});

Deno.test("the same plugin twice is refused, and both places are named", async () => {
  await using gateway = await startGateway(local);
  const { key } = await createKey(gateway);
  const plugins = [{ id: "web" }, { id: "moderation" }, { id: "web", enabled: false }];
  for (const way of ways) {
    const refused = await call(gateway, { key, ...way, more: { plugins } });
    assert.equal(refused.status, 400);
    const { message } = asObject(asObject(await refused.json()).error);
    assert.match(String(message), /plugins\[2\]\.id is "web", as plugins\[0\]\.id is/);
  }
  const body = { default_plugins: plugins };
  const { status, body: reply } = await managed(gateway, { call: "PATCH /workspaces/default", body });
  assert.equal(status, 400);
  assert.match(
    String(asObject(reply.error).message),
    /default_plugins\[2\]\.id is "web", as default_plugins\[0\]\.id is/,
  );
});

Deno.test("default_plugins are checked as a request's are, made with a workspace, shown and audited", async () => {
  await using gateway = await startGateway(local);
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [[{ id: "web", engine: "yahoo" }], /default_plugins\[0\]\.engine/],
    [[{ id: "web", locked: "yes" }], /default_plugins\[0\]\.locked/],
    [[{ id: "nothing" }], /default_plugins\[0\]\.id/],
    [{ id: "web" }, /default_plugins/],
    [[{ id: "web", search_prompt: "x".repeat(20_000) }], /default_plugins has \d+ bytes as JSON/],
  ];
  for (const [default_plugins, told] of wrong) {
    const { status, body } = await managed(gateway, {
      call: "PATCH /workspaces/default",
      body: { default_plugins },
    });
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(String(asObject(body.error).message), told);
  }
  const default_plugins = [{ id: "moderation", locked: true }, { id: "context-compression", enabled: false }];
  const body = { name: "Lab", slug: "lab", default_plugins };
  const { body: made } = await managed(gateway, { call: "POST /workspaces", body });
  assert.deepEqual(asObject(made.data).default_plugins, default_plugins);
  await managed(gateway, { call: "PATCH /workspaces/lab", body: { default_plugins: [] } });
  const { body: shown } = await managed(gateway, { call: "GET /workspaces/lab" });
  assert.deepEqual(asObject(shown.data).default_plugins, []);
  const { body: audit } = await managed(gateway, { call: "GET /audit" });
  const [latest] = asList(audit.data).map(asObject);
  assert.match(JSON.stringify(latest), /context-compression/);
});
