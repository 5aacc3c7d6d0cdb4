/** POST /mcp by the public client, over both generations of the protocol, and who may what there. */

import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { nobodies } from "../support/bad_credentials.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";

const eras = ["modern", "legacy"] as const;
type Era = typeof eras[number];

interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly call: (name: string, args?: Json) => Promise<{ readonly isError: boolean; readonly text: string }>;
}

interface ConnectOptions {
  readonly era: Era;
  readonly token: string;
}

async function connect({ url }: Gateway, { era, token }: ConnectOptions): Promise<Connected> {
  const client = new Client({ name: "test", version: "1" }, {
    versionNegotiation: era === "modern" ? { mode: "auto" } : { mode: "legacy" },
  });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return {
    client,
    call: async (name, args = {}) => {
      const { isError, content } = asObject(await client.callTool({ name, arguments: args }));
      return { isError: isError === true, text: String(asObject(asList(content)[0]).text) };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const toolNames = async ({ client }: Connected) => (await client.listTools()).tools.map(({ name }) => name);

async function withModels(test: (gateway: Gateway) => Promise<void>): Promise<void> {
  await using upstream = scripted(says("responses", "Hello"));
  const providers = [providerAt(upstream.baseUrl, { models: [mockModel] })];
  await using gateway = await startGateway({ providers });
  await test(gateway);
}

/** The id of a request that the key has made. */
async function generationOf({ url, apiKey }: Gateway): Promise<string> {
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: mockModel.id, input: "Hi" }),
  });
  await response.body?.cancel();
  return response.headers.get("x-generation-id") ?? "";
}

const READS = ["list_models", "get_model"];
const KEYS = ["explain_route", "get_key_usage", "get_receipt"];
const OPERATORS = ["get_key_usage", "list_receipts", "get_receipt", "activity"];
const WRITES = ["create_key", "update_key", "delete_workspace"];

for (const era of eras) {
  Deno.test(`an API key lists and calls each of its tools (${era})`, async () => {
    await withModels(async (gateway) => {
      const id = await generationOf(gateway);
      await using mcp = await connect(gateway, { era, token: gateway.apiKey });
      assert.equal(mcp.client.getServerVersion()?.name, "tollgate");
      assert.deepEqual(await toolNames(mcp), [...READS, ...KEYS]);
      const json = async (name: string, args?: Json) => {
        const { isError, text } = await mcp.call(name, args);
        assert.equal(isError, false, `${name}: ${text}`);
        return asObject(JSON.parse(text));
      };
      const { data } = await json("list_models", { q: "mock", limit: 5 });
      assert.deepEqual(asList(data).map((one) => asObject(one).id), [mockModel.id]);
      assert.equal(asObject((await json("get_model", { model: mockModel.id })).data).id, mockModel.id);
      const explained = JSON.stringify(
        await json("explain_route", { model: mockModel.id, input: "Hi", temperature: 1 }),
      );
      assert.ok(explained.includes(mockModel.id), explained);
      assert.ok("data" in await json("get_key_usage", { days: 3 }));
      await until(async () => !(await mcp.call("get_receipt", { id })).isError, { what: "the receipt" });
      assert.equal(asObject((await json("get_receipt", { id })).data).id, id);
    });
  });

  Deno.test(`a management key lists and calls each of its tools, and the audit log tells of it (${era})`, async () => {
    await withModels(async (gateway) => {
      const id = await generationOf(gateway);
      await using mcp = await connect(gateway, { era, token: gateway.managementKey });
      assert.deepEqual(await toolNames(mcp), [...READS, ...OPERATORS, ...WRITES]);
      const json = async (name: string, args?: Json) => {
        const { isError, text } = await mcp.call(name, args);
        assert.equal(isError, false, `${name}: ${text}`);
        return asObject(JSON.parse(text));
      };
      assert.ok("data" in await json("list_models"));
      assert.equal(asObject((await json("get_model", { model: mockModel.id })).data).id, mockModel.id);
      await until(async () => asList((await json("list_receipts")).data).length === 1, {
        what: "the receipt",
      });
      assert.equal(asObject((await json("get_receipt", { id })).data).id, id);
      assert.ok("data" in await json("activity"));
      const made = await json("create_key", { name: "By MCP", limit: 2.5 });
      const { hash, limit } = asObject(made.data);
      assert.equal(limit, 2.5);
      assert.equal(typeof made.key, "string");
      assert.ok("data" in await json("get_key_usage", { hash }));
      const updated = await json("update_key", { hash, disabled: true, abort: true });
      assert.equal(asObject(updated.data).disabled, true);
      const { body } = await managed(gateway, {
        call: "POST /workspaces",
        body: { name: "Lab", slug: "lab" },
      });
      assert.deepEqual(await json("delete_workspace", { id: "lab" }), { deleted: true });
      assert.ok("id" in asObject(body.data));
      const audit = await managed(gateway, { call: "GET /audit?limit=100" });
      const operations = asList(audit.body.data).map((one) => asObject(one).operation);
      for (const operation of ["keys.create", "keys.update", "workspaces.delete"]) {
        assert.ok(operations.includes(operation), `${operation}: ${operations}`);
      }
    });
  });
}

Deno.test("tools say whether they change anything", async () => {
  await using gateway = await startGateway();
  await using mcp = await connect(gateway, { era: "modern", token: gateway.managementKey });
  for (const { name, annotations, inputSchema, description } of (await mcp.client.listTools()).tools) {
    assert.equal(annotations?.readOnlyHint, !WRITES.includes(name), name);
    assert.equal(annotations?.destructiveHint, ["update_key", "delete_workspace"].includes(name), name);
    assert.equal(inputSchema.type, "object");
    assert.ok(description);
  }
});

Deno.test("a management key that may only look has no tool that writes", async () => {
  await using gateway = await startGateway();
  const call = { call: "POST /management-keys", body: { name: "Looks", read_only: true } };
  const { body, status } = await managed(gateway, call);
  assert.equal(status, 201, JSON.stringify(body));
  await using mcp = await connect(gateway, { era: "modern", token: String(body.key) });
  assert.deepEqual(await toolNames(mcp), [...READS, ...OPERATORS]);
  for (const name of WRITES) {
    await assert.rejects(mcp.call(name, { name: "x", hash: "x", id: "x" }), /no tool/);
  }
});

Deno.test("a key reaches nothing of others by its tools", async () => {
  await withModels(async (gateway) => {
    const id = await generationOf(gateway);
    await until(async () => (await managed(gateway, { call: `GET /generation?id=${id}` })).status === 200, {
      what: "the receipt",
    });
    const other = await createKey(gateway);
    await using mcp = await connect(gateway, { era: "modern", token: other.key });
    assert.match((await mcp.call("get_receipt", { id })).text, /no generation|not found|There is no/i);
    await assert.rejects(mcp.call("list_receipts"), /There is no tool/);
    await assert.rejects(mcp.call("create_key", { name: "x" }), /There is no tool/);
    const { isError, text } = await mcp.call("get_key_usage", { hash: other.record.hash });
    assert.deepEqual([isError, text], [true, 'There is no argument "hash".']);
  });
});

Deno.test("errors of an operation are results that say why", async () => {
  await using gateway = await startGateway();
  await using mcp = await connect(gateway, { era: "modern", token: gateway.managementKey });
  const failing: readonly (readonly [name: string, args: Json, reason: RegExp])[] = [
    ["get_model", { model: "no/such model" }, /No model named "no\/such model"/],
    ["get_model", { model: "../../keys" }, /^model has a part/],
    ["get_model", { model: "local/.." }, /^model has a part/],
    ["get_model", { model: "local//echo" }, /^model has a part/],
    ["get_model", {}, /^model is missing/],
    ["create_key", { name: "x", __proto: 1 }, /^There is no argument "__proto"/],
    ["create_key", { name: "x", limit: -1 }, /^Cannot create key: limit/],
    ["update_key", { hash: "0".repeat(64), disabled: true }, /no key|not found|There is no/i],
    ["update_key", { hash: "../workspaces", disabled: true }, /^hash has a part/],
    ["delete_workspace", { id: "nothing" }, /no workspace|There is no/i],
    ["list_receipts", { limit: 1_000 }, /^Cannot list receipts: limit/],
  ];
  for (const [name, args, reason] of failing) {
    const { isError, text } = await mcp.call(name, args);
    assert.equal(isError, true, `${name} ${text}`);
    assert.match(text, reason, name);
  }
  await assert.rejects(mcp.call("constructor", {}), /no tool/);
});

const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const post = (
  { url, apiKey }: Gateway,
  { method = "POST", body = JSON.stringify(list), headers = {} }: Sent = {},
) =>
  fetch(`${url}/mcp`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    ...(method === "POST" ? { body } : {}),
  });

async function statusOf(response: Response): Promise<number> {
  await response.body?.cancel();
  return response.status;
}

Deno.test("what is no key is 401 with WWW-Authenticate, and a client secret 403", async () => {
  await using gateway = await startGateway();
  for (const [what, headers] of Object.entries(await nobodies(gateway))) {
    if ("x-api-key" in headers) continue;
    const response = await fetch(`${gateway.url}/mcp`, {
      method: "POST",
      headers,
      body: JSON.stringify(list),
    });
    assert.equal(response.headers.get("www-authenticate"), 'Bearer realm="tollgate"', what);
    assert.equal(await statusOf(response), 401, what);
  }
  const secret = await gateway.addKey({ kind: "client" });
  assert.equal(await statusOf(await post(gateway, { headers: { authorization: `Bearer ${secret}` } })), 403);
});

Deno.test("pages of other origins are 403, unless the operator has named them", async () => {
  for (const [cors, foreign] of [["*", 403], ["off", 403], ["https://tools.example", 200]] as const) {
    await using gateway = await startGateway({ env: { TOLLGATE_CORS: cors } });
    const origins = [["https://tools.example", foreign], ["https://evil.example", 403], [
      "null",
      403,
    ]] as const;
    for (const [origin, status] of [...origins, [gateway.url, 200]] as const) {
      const response = await post(gateway, { headers: { origin } });
      const allowed = response.headers.get("access-control-allow-origin");
      assert.equal(await statusOf(response), status, `${cors} ${origin}`);
      assert.equal(
        allowed,
        origin === "https://tools.example" && status === 200 ? origin : null,
        `${cors} ${origin}`,
      );
    }
  }
});

/** Sends a request with a host of its own choice, which fetch does not let one have. */
async function statusAt(
  { url, apiKey }: Gateway,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const body = JSON.stringify(list);
  const all = {
    host: `${hostname}:${port}`,
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "content-length": String(body.length),
    connection: "close",
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await connection.write(new TextEncoder().encode(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`));
  const answer = await new Response(connection.readable).text();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

const EVIL = "evil.example.com";
const tls = { "x-forwarded-proto": "https" };

/** By what a proxy that is trusted, or none, says of a page's connection. */
const rebound:
  readonly (readonly [headers: Readonly<Record<string, string>>, direct: number, proxied: number])[] = [
    [{ host: EVIL, origin: `http://${EVIL}` }, 403, 403],
    [{ host: `${EVIL}:8787`, origin: `http://${EVIL}:8787` }, 403, 403],
    [{ host: "localhost.evil.example", origin: "http://localhost.evil.example" }, 403, 403],
    [{ host: "10.0.0.7:8787", origin: "http://10.0.0.7:8787" }, 403, 403],
    [{ host: "llm.example.com", origin: "https://llm.example.com" }, 403, 403],
    [{ host: "llm.example.com", origin: "https://llm.example.com", ...tls }, 403, 200],
    [{ host: "llm.example.com", origin: "http://llm.example.com", ...tls }, 403, 403],
    [{ host: "llm.example.com", origin: "https://other.example", ...tls }, 403, 403],
    [{ host: "localhost:8787", origin: "http://localhost:8787" }, 200, 200],
    [{ host: "[::1]:8787", origin: "http://[::1]:8787" }, 200, 200],
    [{ host: "127.0.0.1:8787", origin: "http://localhost:8787" }, 403, 403],
    [{ host: "llm.example.com" }, 200, 200],
  ];

Deno.test("a page of a name that points at the gateway is 403, and its own page is not", async () => {
  for (const [trust, at] of [["0", 1], ["1", 2]] as const) {
    await using gateway = await startGateway({ env: { TOLLGATE_TRUST_PROXY: trust } });
    for (const row of rebound) {
      assert.equal(await statusAt(gateway, row[0]), row[at], `${trust} ${JSON.stringify(row[0])}`);
    }
    const nobody = { host: EVIL, origin: `http://${EVIL}`, authorization: "Bearer nothing" };
    assert.equal(await statusAt(gateway, nobody), 403, "whoever asks");
  }
});

Deno.test("other methods are 405, other bodies errors of the protocol, and large ones 413", async () => {
  await using gateway = await startGateway({ limits: { body_bytes: 10_000 } });
  for (const method of ["GET", "DELETE"]) {
    const response = await post(gateway, { method });
    assert.equal(response.headers.get("allow"), "POST");
    assert.equal(await statusOf(response), 405);
  }
  for (const [body, status] of [["{", 400], ["[]", 400], ["{}", 400], ["x".repeat(20_000), 413]] as const) {
    assert.equal(await statusOf(await post(gateway, { body })), status, body.slice(0, 10));
  }
  const text = await post(gateway, { headers: { "content-type": "text/plain" } });
  assert.equal(await statusOf(text), 415);
  const listen = { jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params: {} };
  const refused = await (await post(gateway, { body: JSON.stringify(listen) })).json();
  assert.deepEqual([refused.id, refused.error.code], [7, -32601]);
  for (const path of ["/v1/mcp", "/api/v1/mcp"]) {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(list),
    });
    assert.equal(await statusOf(response), 200, path);
  }
});

Deno.test("a key that is disabled in between is refused at its next call", async () => {
  await using gateway = await startGateway();
  const { key, record: { hash } } = await createKey(gateway);
  await using mcp = await connect(gateway, { era: "modern", token: key });
  assert.equal((await mcp.call("list_models")).isError, false);
  await managed(gateway, { call: `PATCH /keys/${hash}`, body: { disabled: true } });
  await assert.rejects(mcp.call("list_models"));
});
