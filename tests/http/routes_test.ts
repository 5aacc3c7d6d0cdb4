import assert from "node:assert/strict";
import { keyDetailsSchema } from "../../shared/keys.ts";
import { ask, readError, readJson } from "../support/call.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { says, scripted } from "../support/scripted.ts";

const authorized = ({ apiKey }: Gateway) => ({ authorization: `Bearer ${apiKey}` });
const get = (gateway: Gateway, path: string) => fetch(gateway.url + path, { headers: authorized(gateway) });

const priced = {
  id: "acme/llama",
  upstream_id: "llama-3",
  name: "Llama",
  context_length: 8_192,
  max_output_tokens: 2_048,
  input_modalities: ["text", "image"],
  output_modalities: ["text"],
  supported_parameters: ["tools", "temperature"],
  pricing: { prompt: "0.0000002", completion: "0.0000006" },
};
const models = [priced, { id: "acme/hidden", hidden: true }];

Deno.test("GET /models lists each model that is not hidden once, as the wire reference has it", async () => {
  const rows = ["one", "two"].map((id) => providerAt("http://127.0.0.1:1/v1", { id, models }));
  await using gateway = await startGateway({ providers: rows });
  for (const base of ["/v1", "/api/v1"]) {
    const list = await readJson(await get(gateway, `${base}/models`));
    assert.equal(list.total_count, 1);
    assert.deepEqual(list.links, { next: null });
    const [model, ...rest] = asList(list.data).map(asObject);
    assert.equal(rest.length, 0);
    assert(model);
    assert.equal(model.id, "acme/llama");
    assert.equal(model.object, "model");
    assert.equal(model.context_length, 8_192);
    assert.deepEqual(asObject(model.pricing), { prompt: "0.0000002", completion: "0.0000006" });
    assert.equal(asObject(model.architecture).modality, "text+image->text");
    assert.equal(asObject(model.top_provider).max_completion_tokens, 2_048);
    assert.deepEqual(model.supported_parameters, ["tools", "temperature"]);
  }
});

Deno.test("GET /key shows what a key may know of itself", async () => {
  await using gateway = await startGateway();
  const own = asObject((await readJson(await get(gateway, "/v1/key"))).data);
  assert.deepEqual(keyDetailsSchema.parse(own), own);
  assert.equal(own.is_management_key, false);
  assert.equal(own.usage, 0);
  assert.match(String(own.label), new RegExp(`^tg-api-\\.\\.\\.${gateway.apiKey.slice(-3)}$`));
  const response = await fetch(`${gateway.url}/v1/key`, {
    headers: { authorization: `Bearer ${gateway.managementKey}` },
  });
  const managing = asObject((await readJson(response)).data);
  assert.equal(managing.is_management_key, true);
  assert.equal(managing.is_provisioning_key, true);
});

Deno.test("GET /healthz and /readyz need no key", async () => {
  await using gateway = await startGateway();
  assert.deepEqual(await readJson(await fetch(`${gateway.url}/healthz`)), { status: "ok" });
  assert.equal((await readJson(await fetch(`${gateway.url}/readyz`))).status, "ready");
});

const unknown: readonly (readonly [string, string])[] = [
  ["GET", "/"],
  ["GET", "/v1"],
  ["GET", "/v1/"],
  ["GET", "/v1/responses"],
  ["PUT", "/v1/responses"],
  ["DELETE", "/v1/responses"],
  ["POST", "/v1/responses/"],
  ["POST", "/v1/Responses"],
  ["POST", "/v2/responses"],
  ["POST", "/responses"],
  ["POST", "/api/responses"],
  ["POST", "/v1/models"],
  ["GET", "/v1/responses/resp_1"],
  ["POST", "/v1/responses/resp_1/cancel"],
  ["GET", "/v1/constructor"],
  ["GET", "/.env"],
  ["GET", "/v1/key%2F"],
];

for (const [method, path] of unknown) {
  Deno.test(`createApp answers 404 to ${method} ${path}, with or without a key`, async () => {
    await using gateway = await startGateway();
    for (const headers of [{}, authorized(gateway)]) {
      const body = method === "GET" ? undefined : "{}";
      const { status, message } = await readError(await fetch(gateway.url + path, { method, body, headers }));
      assert.equal(status, 404);
      if (path === "/v1/responses") assert.match(message, /takes POST/);
    }
  });
}

Deno.test("createApp does not repeat a long path", async () => {
  await using gateway = await startGateway();
  const { status, message } = await readError(await get(gateway, `/v1/${"x".repeat(4_000)}`));
  assert.equal(status, 404);
  assert(message.length < 400);
});

Deno.test("createApp answers HEAD as it answers GET, without a body", async () => {
  await using gateway = await startGateway();
  const response = await fetch(`${gateway.url}/healthz`, { method: "HEAD" });
  assert.equal(response.status, 200);
  assert.equal(await response.text(), "");
});

const names: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
  [{ model: "acme/llama" }, "acme/llama"],
  [{ models: ["acme/llama"] }, "acme/llama"],
  [{ model: "no/such", models: ["acme/llama"] }, "acme/llama"],
  [{ model: "short" }, "acme/llama"],
  [{}, "acme/llama"],
];

for (const [named, served] of names) {
  Deno.test(`route serves ${JSON.stringify(named)} with ${served}`, async () => {
    await using upstream = scripted(says("responses", "Hello"));
    await using gateway = await startGateway({
      providers: [providerAt(upstream.baseUrl, { models })],
      file: { default_model: "acme/llama", aliases: { short: "acme/llama" } },
    });
    const result = await readJson(await ask(gateway, { ...named, input: "Hi" }));
    assert.equal(result.model, served);
    assert.equal(upstream.requested[0]?.body.model, "llama-3");
  });
}

Deno.test("route answers 404 to a model that is not there, and 400 where none is named", async () => {
  await using gateway = await startGateway();
  const absent = await readError(await ask(gateway, { model: "no/such", input: "Hi" }));
  assert.equal(absent.status, 404);
  assert.equal(asObject(absent.error.availability).code, "model_not_found");
  assert.match(absent.message, /"no\/such"/);
  const none = await readError(await ask(gateway, { input: "Hi" }));
  assert.equal(none.status, 400);
  assert.equal(asObject(none.error.metadata).path, "model");
});

Deno.test("the address alone leads a browser to the console, and tells a client that it is none of the API's", async () => {
  await using gateway = await startGateway();
  const get = (accept: string, method = "GET") =>
    fetch(`${gateway.url}/`, { method, headers: { accept }, redirect: "manual" });
  for (const method of ["GET", "HEAD"]) {
    const page = await get("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", method);
    await page.body?.cancel();
    assert.deepEqual([page.status, page.headers.get("location")], [302, "/console"], method);
  }
  for (const accept of ["*/*", "application/json", "text/event-stream"]) {
    const other = await get(accept);
    assert.equal(other.status, 404);
    assert.match(await other.text(), /There is no GET \/ here\./);
  }
  const posted = await get("text/html", "POST");
  await posted.body?.cancel();
  assert.equal(posted.status, 404);
});
