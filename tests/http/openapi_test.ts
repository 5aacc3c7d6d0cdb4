/** The API document: it has every route and nothing else, its references lead somewhere, and its examples run. */

import assert from "node:assert/strict";
import { type Schema, Validator } from "@cfworker/json-schema";
import { addressOf, type ApiOperation, apiOperations } from "../../server/api/openapi/api_operations.ts";
import { exampleIds, exampleOf } from "../../server/api/openapi/examples.ts";
import { readJson } from "../support/call.ts";
import { asObject, isObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";

/** With what the examples need: built-in models, a provider that is tested, a key for the provider keys of workspaces. */
const env = {
  TOLLGATE_LOCAL: "on",
  OPENAI_API_KEY: "sk-test",
  OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
  TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64(),
};
const start = () => startGateway({ env });
const documentOf = async ({ url }: Gateway) => await readJson(await fetch(`${url}/openapi.json`));

/**
 * Routes that no client of the API calls: the console's, the way to it, those of other gateways, and methods that MCP's
 * clients only try.
 */
const left = (route: string): boolean =>
  /^\S+ \/(?:(?:console|internal)\/.*)?$/.test(route) || /^(?:GET|DELETE) \S*\/mcp$/.test(route);

Deno.test("GET /openapi.json has every route of the app, and no other", async () => {
  await using gateway = await start();
  const { paths } = await documentOf(gateway);
  const documented = Object.entries(asObject(paths)).flatMap(([path, methods]) =>
    Object.keys(asObject(methods)).map((method) =>
      `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`
    )
  );
  const spelledOut = new Map<string, string>(
    apiOperations.flatMap(({ method, path, route }) =>
      route === undefined ? [] : [[`${method} /v1${path}`, `${method} /v1${route}`] as const]
    ),
  );
  const routes = gateway.app.routes.map(({ method, path }) => `${method} ${path}`)
    // Each is there below /api/v1 too, and MCP below none.
    .map((route) => route.replace(" /api/v1/", " /v1/").replace(" /v1/mcp", " /mcp"))
    .filter((route) => !left(route));
  assert.deepEqual(
    [...new Set(documented.map((route) => spelledOut.get(route) ?? route))].toSorted(),
    [...new Set(routes)].toSorted(),
  );
});

/** Every value of a key `$ref`, at any depth. */
function references(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

Deno.test("GET /openapi.json refers to components that it has, and has none to which nothing refers", async () => {
  await using gateway = await start();
  const document = await documentOf(gateway);
  const { securitySchemes: _schemes, ...kinds } = asObject(document.components);
  const there = Object.entries(kinds).flatMap(([kind, named]) =>
    Object.keys(asObject(named)).map((name) => `#/components/${kind}/${name}`)
  );
  assert.deepEqual([...new Set(references(document))].toSorted(), there.toSorted());
  const ids = apiOperations.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, "each operation has an id of its own");
});

Deno.test("GET /openapi.json and /llms.txt need no key, and are sent once to those who name their tag", async () => {
  await using gateway = await start();
  for (
    const [path, type] of [["/openapi.json", "application/json"], ["/llms.txt", "text/plain; charset=utf-8"]]
  ) {
    const first = await fetch(gateway.url + path);
    assert.equal(first.headers.get("content-type"), type);
    assert((await first.text()).includes("/v1/chat/completions"));
    const etag = first.headers.get("etag") ?? "";
    const second = await fetch(gateway.url + path, { headers: { "if-none-match": etag } });
    assert.deepEqual([second.status, await second.text()], [304, ""]);
  }
});

/** Checks values by the schemas of the document. */
class DocumentCheck {
  readonly #document: Json;

  constructor(document: Json) {
    this.#document = document;
  }

  #operation({ method, ...operation }: ApiOperation): Json {
    const methods = asObject(asObject(this.#document.paths)[addressOf({ method, ...operation })]);
    return asObject(methods[method.toLowerCase()]);
  }

  #content(operation: ApiOperation, status: number): Json {
    const responses = asObject(this.#operation(operation).responses);
    const found = asObject(responses[status] ?? assert.fail(`${operation.id} has no ${status}`));
    const name = typeof found.$ref === "string" ? found.$ref.split("/").at(-1) ?? "" : undefined;
    const shared = asObject(asObject(this.#document.components).responses);
    return asObject((name === undefined ? found : asObject(shared[name])).content ?? {});
  }

  /** Fails where the document has not such an answer of the operation. */
  async reply(operation: ApiOperation, response: Response): Promise<void> {
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const media = this.#content(operation, response.status)[type];
    assert(media !== undefined, `${operation.id} answers ${response.status} with ${type}`);
    const text = await response.text();
    if (type === "application/json") {
      this.#value(JSON.parse(text), { schema: asObject(media).schema, what: operation.id });
    }
    if (type !== "text/event-stream" || operation.events === undefined) return;
    const events = text.split("\n").filter((line) => line.startsWith("data: {")).map((line) => line.slice(6));
    assert(events.length > 0, `${operation.id} has events`);
    const described = { schema: asObject(media)["x-event-schema"], what: operation.id };
    for (const event of events) this.#value(JSON.parse(event), described);
  }

  #value(value: unknown, { schema, what }: { readonly schema: unknown; readonly what: string }): void {
    const whole: Schema = { ...asObject(schema), components: asObject(this.#document.components) };
    const { valid, errors } = new Validator(whole, "2020-12").validate(value);
    const last = errors.at(-1);
    assert(
      valid,
      `${what}: ${last?.instanceLocation} ${last?.error} in ${JSON.stringify(value).slice(0, 500)}`,
    );
  }
}

/** Ids of records that examples and paths name, by what stands for them. */
async function recordsOf(gateway: Gateway) {
  const made = async (call: string, body: unknown) => (await managed(gateway, { call, body })).body;
  const idOf = async (call: string, body: unknown) => String(asObject((await made(call, body)).data).id);
  const { record } = await createKey(gateway);
  const manager = asObject((await made("POST /management-keys", { name: "Another" })).data);
  const called = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(exampleOf("responses.create")),
  });
  await called.body?.cancel();
  const form = new FormData();
  form.append("file", new Blob(["Hello"]), "hello.txt");
  const uploaded = await fetch(`${gateway.url}/v1/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}` },
    body: form,
  });
  const ids: Readonly<Record<string, string>> = {
    keys: record.hash,
    management_keys: String(manager.hash),
    clients: await idOf("POST /connect/clients", { name: "Portal" }),
    workspaces: "default",
    budgets: "default",
    guardrails: await idOf("POST /guardrails", { name: "Filters" }),
    byok: await idOf("POST /byok", { provider: "openai", key: "sk-another-key" }),
    files: String((await readJson(uploaded)).id),
  };
  return { ids, hash: record.hash, generation: called.headers.get("x-generation-id") ?? "" };
}

type Records = Awaited<ReturnType<typeof recordsOf>>;

/** The path with the ids of records in it; undefined where there is no such record. */
function pathOf(operation: ApiOperation, { ids }: Records): string | undefined {
  const family = operation.id.split(".", 1)[0] ?? "";
  const values: Readonly<Record<string, string | undefined>> = {
    interval: "monthly",
    slug: family === "providers" ? "openai" : "echo",
    author: "local",
    version: "1",
    hash: ids[family],
    id: ids[family],
    file_id: ids[family],
  };
  const names = [...addressOf(operation).matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.some((name) => values[name] === undefined)) return undefined;
  return addressOf(operation).replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

const bodyOf = (operation: ApiOperation, { hash, generation }: Records): string | undefined =>
  operation.body === undefined ? undefined : JSON.stringify(exampleOf(operation.id))
    .replaceAll(exampleIds.hash, hash).replaceAll(exampleIds.generation, generation);

interface SendOptions {
  readonly operation: ApiOperation;
  readonly address: string;
  readonly key?: string;
  readonly body?: string;
}

const send = ({ app }: Gateway, { operation, address, key, body }: SendOptions) =>
  app.fetch(
    new Request(`http://localhost${address}`, {
      method: operation.method,
      headers: {
        host: "localhost",
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body,
    }),
    "127.0.0.1",
  );

/** Queries without which an operation finds nothing. */
const queryOf = ({ id }: ApiOperation, { generation }: Records): string =>
  id.startsWith("generations.") ? `?id=${generation}` : "";

/** Answers to what the test has no content for. */
const others: ReadonlyMap<string, number> = new Map([
  ["generations.content", 404],
  // They are for files that the server made.
  ["files.content", 400],
  ["files.text", 400],
  // It wants the name of the key that asks.
  ["backup.get", 400],
]);

/** Operations that make and change, in the order of the table, then what reads it. */
const runnable = [
  ...apiOperations.filter(({ body }) => body !== undefined),
  ...apiOperations.filter(({ method }) => method === "GET"),
].filter(({ id }) => id !== "receipts.tail" && id !== "audio.speech.create");

Deno.test("every example of the API document runs, and every answer is as the document has it", async () => {
  await using gateway = await start();
  const check = new DocumentCheck(await documentOf(gateway));
  const records = await recordsOf(gateway);
  const faults: string[] = [];
  for (const operation of runnable) {
    const path = pathOf(operation, records);
    if (path === undefined) continue;
    const address = path + queryOf(operation, records);
    const key = operation.who.includes("api") ? gateway.apiKey : gateway.managementKey;
    const body = bodyOf(operation, records);
    const response = await send(gateway, { operation, address, key, body });
    const expected = others.get(operation.id) ?? operation.status ?? 200;
    const found = `${operation.id}: ${response.status} ${await response.clone().text()}`;
    if (response.status !== expected) faults.push(found.slice(0, 500));
    await check.reply(operation, response).catch((error) => faults.push(String(error)));
  }
  assert.deepEqual(faults, []);
});

Deno.test("every operation refuses who has no key as the document has it", async () => {
  await using gateway = await start();
  const check = new DocumentCheck(await documentOf(gateway));
  for (const operation of apiOperations.filter(({ who }) => who.length > 0)) {
    const address = addressOf(operation).replace(/\{\w+\}/g, "x");
    const response = await send(gateway, { operation, address });
    assert.equal(response.status, 401, operation.id);
    await check.reply(operation, response);
  }
});

Deno.test("every event of a stream is as the document has it", async () => {
  await using gateway = await start();
  const check = new DocumentCheck(await documentOf(gateway));
  for (const id of ["responses.create", "chat.completions.create", "messages.create"]) {
    const operation = apiOperations.find((one) => one.id === id) ?? assert.fail(id);
    const body = JSON.stringify({ ...asObject(exampleOf(id)), stream: true });
    const address = addressOf(operation);
    await check.reply(operation, await send(gateway, { operation, address, key: gateway.apiKey, body }));
  }
});
