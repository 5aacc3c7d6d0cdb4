import assert from "node:assert/strict";
import { ask, readError, readJson } from "../support/call.ts";
import { asObject, checkStream, type Json, readStream } from "../support/event_stream.ts";
import { type Gateway, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import { says, type Script, scripted, wires } from "../support/scripted.ts";

const body = { model: "mock/model", input: "Hi" };

const whole = async (gateway: Gateway, headers: Readonly<Record<string, string>>, more: Json = {}) =>
  await readJson(await ask(gateway, { ...body, ...more }, { headers }));

/** Header → the key under which the object is told. */
const families: Readonly<Record<string, string>> = {
  "x-service-metadata": "service_metadata",
  "x-service-experimental-metadata": "service_metadata",
  "x-openrouter-metadata": "openrouter_metadata",
  "x-openrouter-experimental-metadata": "openrouter_metadata",
};
const keys = [...new Set(Object.values(families))];

const complete = {
  attempt: 1,
  endpoints: { available: [{ model: "mock/model", provider: "Mock", selected: true }], total: 1 },
  is_byok: false,
  pipeline: [],
  region: "local",
  requested: "mock/model",
  strategy: "direct",
  summary: "available=1, selected=Mock",
};

function assertComplete(metadata: unknown): void {
  const { generation_time: took = 0, ...rest } = asObject(metadata);
  assert(Number.isInteger(took));
  assert.deepEqual(rest, complete);
}

for (const [header, key] of Object.entries(families)) {
  Deno.test(`renderRoutingMetadata answers ${header} under ${key}`, async () => {
    await using upstream = scripted(says("responses", "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
    for (const value of ["enabled", "ENABLED", " Enabled "]) {
      const result = await whole(gateway, { [header]: value });
      assertComplete(result[key]);
      assert.deepEqual(keys.filter((one) => one in result), [key]);
    }
    for (const value of ["disabled", "true", "1", ""]) {
      const result = await whole(gateway, { [header]: value });
      assert.deepEqual(keys.filter((one) => one in result), []);
    }
  });
}

Deno.test("renderRoutingMetadata stands in the terminal event of a stream, and nowhere before", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const headers = { "x-service-metadata": "enabled", "x-openrouter-metadata": "enabled" };
  const stream = await readStream(await ask(gateway, { ...body, stream: true }, { headers }));
  const result = checkStream(stream);
  assertComplete(result.service_metadata);
  assertComplete(result.openrouter_metadata);
  for (const event of stream.events.slice(0, -1)) assert(!JSON.stringify(event).includes("_metadata"));
});

Deno.test("renderRoutingMetadata stands beside the error, and nothing is selected", async () => {
  await using upstream = scripted(() => Response.json({ error: { message: "No." } }, { status: 500 }));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const headers = { "x-service-metadata": "enabled" };
  for (const stream of [false, true]) {
    const error = await readError(await ask(gateway, { ...body, stream }, { headers }));
    const metadata = asObject(error.body.service_metadata);
    assert.equal(metadata.attempt, 0);
    assert.deepEqual(metadata.endpoints, {
      available: [{ model: "mock/model", provider: "Mock", selected: false }],
      total: 1,
    });
    assert.equal(
      "service_metadata" in (await readError(await ask(gateway, { ...body, stream }))).body,
      false,
    );
  }
});

Deno.test("renderRoutingMetadata is left out where routing was never reached", async () => {
  await using gateway = await startGateway();
  const headers = { "x-service-metadata": "enabled" };
  for (const sent of ["{", JSON.stringify({ ...body, temperature: 9 })]) {
    const error = await readError(await ask(gateway, sent, { headers }));
    assert.equal("service_metadata" in error.body, false);
  }
});

Deno.test("renderRoutingMetadata tells every attempt when there was more than one", async () => {
  const fails: Script = () => Response.json({ error: { message: "No." } }, { status: 503 });
  await using bad = scripted(fails);
  await using good = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({
    providers: [providerAt(bad.baseUrl, { id: "bad", name: "Bad" }), providerAt(good.baseUrl)],
  });
  const provider = { order: ["bad", "mock"] };
  const result = await whole(gateway, { "x-service-metadata": "enabled" }, { provider });
  const metadata = asObject(result.service_metadata);
  assert.equal(metadata.attempt, 2);
  assert.deepEqual(metadata.attempts, [
    { model: "mock/model", provider: "Bad", status: 503 },
    { model: "mock/model", provider: "Mock", status: 200 },
  ]);
  assert.deepEqual(
    asObject(metadata.endpoints).available,
    [
      { model: "mock/model", provider: "Bad", selected: false },
      { model: "mock/model", provider: "Mock", selected: true },
    ],
  );
});

Deno.test("renderRoutingMetadata names what was dropped", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const input = [{ type: "item_reference", id: "rs_gone" }, { role: "user", content: "Hi" }];
  const result = await whole(gateway, { "x-service-metadata": "enabled" }, { input });
  assert.match(JSON.stringify(result.service_metadata), /item_reference rs_gone/);
});

for (const wire of wires) {
  Deno.test(`debug.echo_upstream_body shows what the provider gets, before anything else (${wire})`, async () => {
    await using upstream = scripted(says(wire, "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    const debug = { echo_upstream_body: true };
    const stream = await readStream(await ask(gateway, { ...body, debug, stream: true }));
    checkStream(stream);
    const [first] = stream.events;
    assert(first?.type === "response.debug");
    assert.equal(first.sequence_number, 0);
    assert.deepEqual(first.debug, { echo_upstream_body: upstream.requested[0]?.body });
    assert(!stream.text.includes(PROVIDER_KEY));
  });

  Deno.test(`debug.echo_upstream_body is kept from a helper that does not know it (${wire})`, async () => {
    await using upstream = scripted(says(wire, "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    const headers = { "x-stainless-helper-method": "stream" };
    const sent = { ...body, debug: { echo_upstream_body: true }, stream: true };
    const stream = await readStream(await ask(gateway, sent, { headers }));
    assert.equal(stream.events[0]?.type, "response.created");
  });

  Deno.test(`debug.echo_upstream_body shows nothing of an answer that is not streamed (${wire})`, async () => {
    await using upstream = scripted(says(wire, "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    const result = await whole(gateway, {}, { debug: { echo_upstream_body: true } });
    assert(!JSON.stringify(result).includes("upstream-model"));
  });
}

Deno.test("debug.echo_upstream_body shows the body of every provider that was tried", async () => {
  await using bad = scripted(() => Response.json({ error: { message: "No." } }, { status: 503 }));
  await using good = scripted(says("chat", "Hello"));
  await using gateway = await startGateway({
    providers: [providerAt(bad.baseUrl, { id: "bad" }), providerAt(good.baseUrl, { wire: "chat" })],
  });
  const provider = { order: ["bad", "mock"] };
  const sent = { ...body, debug: { echo_upstream_body: true }, stream: true, provider };
  const stream = await readStream(await ask(gateway, sent));
  checkStream(stream);
  const shown = stream.events.filter(({ type }) => type === "response.debug").map(({ debug }) =>
    Object.keys(asObject(asObject(debug).echo_upstream_body))
  );
  assert.equal(shown.length, 2);
  assert(shown[0]?.includes("input") && shown[1]?.includes("messages"));
});

Deno.test("renderRoutingMetadata names the plugins that were asked for and that nothing runs", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const plugins = [{ id: "switchyard-router" }, { id: "auto-router", enabled: false }];
  const response = await ask(gateway, { model: "local/echo", input: "Hi", plugins }, {
    headers: { "x-service-metadata": "enabled" },
  });
  const { service_metadata: { params } } = await response.json();
  assert.deepEqual(params.dropped, ["plugin switchyard-router"]);
});
