import assert from "node:assert/strict";
import { managementApi } from "../../shared/management/api.ts";
import { ask, readError } from "../support/call.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { rawExchange } from "../support/raw.ts";
import { says, scripted } from "../support/scripted.ts";

interface Row {
  readonly what: string;
  readonly status: number;
  readonly send: (gateway: Gateway) => Promise<Response>;
  /** Belongs to an inference call. */
  readonly generation: boolean;
}

const body = { model: "mock/model", input: "Hi" };
const get = (path: string) => ({ url, apiKey }: Gateway) =>
  fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } });

const rows: readonly Row[] = [
  { what: "a whole answer", status: 200, generation: true, send: (gateway) => ask(gateway, body) },
  {
    what: "a streamed answer",
    status: 200,
    generation: true,
    send: (gateway) => ask(gateway, { ...body, stream: true }),
  },
  { what: "malformed JSON", status: 400, generation: true, send: (gateway) => ask(gateway, "{") },
  {
    what: "an unknown key",
    status: 401,
    generation: true,
    send: ({ url }) => ask({ url, apiKey: "nobody" }, body),
  },
  {
    what: "a management key",
    status: 403,
    generation: true,
    send: ({ url, managementKey }) => ask({ url, apiKey: managementKey }, body),
  },
  {
    what: "an unknown model",
    status: 404,
    generation: true,
    send: (gateway) => ask(gateway, { ...body, model: "no/such" }),
  },
  {
    what: "a fault of meaning",
    status: 422,
    generation: true,
    send: (gateway) => ask(gateway, { ...body, tool_choice: { type: "function", name: "no_such" } }),
  },
  { what: "the models", status: 200, generation: false, send: get("/v1/models") },
  { what: "the key", status: 200, generation: false, send: get("/v1/key") },
  { what: "health", status: 200, generation: false, send: get("/healthz") },
  { what: "readiness", status: 200, generation: false, send: get("/readyz") },
  { what: "an unknown route", status: 404, generation: false, send: get("/v1/nothing") },
  { what: "an odd path", status: 400, generation: false, send: get("//v1/models") },
  {
    what: "a preflight",
    status: 204,
    generation: false,
    send: ({ url }) => fetch(`${url}/v1/responses`, { method: "OPTIONS" }),
  },
];

for (const { what, status, send, generation } of rows) {
  Deno.test(`createApp puts its headers on ${what}`, async () => {
    await using upstream = scripted(says("responses", "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
    const response = await send(gateway);
    assert.equal(response.status, status);
    const { headers } = response;
    const id = /^req_([0-9a-f]{32})$/.exec(headers.get("x-request-id") ?? "")?.[1];
    assert(id !== undefined, `X-Request-Id is ${headers.get("x-request-id")}`);
    assert.match(headers.get("server-timing") ?? "", /^gateway;dur=\d+\.\d\d, upstream;dur=\d+\.\d\d$/);
    const isJson = headers.get("content-type")?.startsWith("application/json") === true;
    if (isJson) assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-generation-id"), generation ? `gen-${id}` : null);
    if (status >= 400) await readError(response);
    else await response.body?.cancel();
  });
}

Deno.test("createApp copies no header of the provider", async () => {
  await using upstream = scripted((requested, number) => {
    const answer = says("responses", "Hello")(requested, number);
    assert(answer instanceof Response);
    for (const name of ["set-cookie", "x-secret", "server", "openai-organization", "location"]) {
      answer.headers.set(name, "of-the-provider");
    }
    return answer;
  });
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const response = await ask(gateway, body);
  assert.deepEqual(
    [...response.headers.keys()].toSorted(),
    [
      "cache-control",
      "content-length",
      "content-type",
      "date",
      "server-timing",
      "x-generation-id",
      "x-request-id",
    ],
  );
  await response.body?.cancel();
});

Deno.test("POST /responses sends a stream that no proxy holds back", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const response = await ask(gateway, { ...body, stream: true });
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.equal(response.headers.get("cache-control"), "no-cache");
  assert.equal(response.headers.get("x-accel-buffering"), "no");
  assert.equal(response.headers.get("content-encoding"), null);
  await response.body?.cancel();
});

Deno.test("no cache keeps what a GET below /v1 answers as JSON, as events or as a file, nor an error", async () => {
  await using gateway = await startGateway();
  const paths = Object.values(managementApi).filter(({ method }) => method === "GET").map(({ path }) => path);
  for (
    const path of [...paths, "/models", "/models/count", "/key", "/nothing", "/models/none/such/endpoints"]
  ) {
    for (const token of [gateway.managementKey, gateway.apiKey, "nobody"]) {
      const url = `${gateway.url}/v1${path.replaceAll(/:\w+/g, "x")}`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      await response.body?.cancel();
      const type = response.headers.get("content-type") ?? "";
      const isFile = type === "application/octet-stream";
      if (!isFile) assert.match(type, /^(?:application\/json|text\/event-stream)/);
      const kept = response.headers.get("cache-control");
      assert.equal(kept, isFile ? "private, no-store" : "no-store", `${response.status} ${path}`);
    }
  }
  const refused = await rawExchange(gateway.port, "GET /v1/models HTTP/1.1\r\nnonsense\r\n\r\n");
  assert.deepEqual([refused.status, refused.headers.get("cache-control")], [400, "no-store"]);
});
