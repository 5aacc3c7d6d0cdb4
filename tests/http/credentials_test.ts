import assert from "node:assert/strict";
import { readError } from "../support/call.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { bearer, nobodies, type Nobody } from "../support/bad_credentials.ts";
import { says, type Script, scripted } from "../support/scripted.ts";

/** SECURITY.md, Authorization, for the routes that there are. */
type Verdict = 400 | 200 | 401 | 403;

interface Route {
  readonly method: string;
  readonly path: string;
  readonly api: Verdict;
  readonly management: Verdict;
  readonly client: Verdict;
  /** Body that is sent; a request for a short answer where it is absent. */
  readonly body?: object;
}

const messages = [{ role: "user", content: "Hi" }];

const routes: readonly Route[] = [
  { method: "POST", path: "/responses", api: 200, management: 403, client: 403 },
  {
    method: "POST",
    path: "/chat/completions",
    api: 200,
    management: 403,
    client: 403,
    body: { model: "mock/model", messages },
  },
  {
    method: "POST",
    path: "/messages",
    api: 200,
    management: 403,
    client: 403,
    body: { model: "mock/model", messages, max_tokens: 10 },
  },
  {
    method: "POST",
    path: "/messages/count_tokens",
    api: 200,
    management: 403,
    client: 403,
    body: { model: "mock/model", messages },
  },
  {
    method: "POST",
    path: "/audio/speech",
    api: 200,
    management: 403,
    client: 403,
    body: { model: "mock/voice", input: "Hi", voice: "alloy" },
  },
  // Let in, and asked for which key.
  { method: "POST", path: "/route/explain", api: 200, management: 400, client: 403 },
  {
    method: "POST",
    path: "/mcp",
    api: 200,
    management: 200,
    client: 403,
    body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
  },
  { method: "GET", path: "/models", api: 200, management: 200, client: 403 },
  { method: "GET", path: "/key", api: 200, management: 200, client: 403 },
];

const models = [mockModel, { id: "mock/voice", output_modalities: ["speech"] }];

/** In words, or with a little silence. */
const answers: Script = (requested, number) =>
  requested.path.endsWith("/audio/speech")
    ? new Response(new Uint8Array(480), { headers: { "content-type": "audio/pcm" } })
    : says("responses", "Hello")(requested, number);

type Headers = Nobody;

const short = { model: "mock/model", input: "Hi" };

function send({ url }: Gateway, route: Route, headers: Headers): Promise<Response> {
  const { method, path } = route;
  const body = method === "POST" ? JSON.stringify(route.body ?? short) : undefined;
  return fetch(`${url}${path}`, {
    method,
    body,
    headers: { "content-type": "application/json", ...headers },
  });
}

const isOfAnthropic = (path: string) => /\/messages(\/|$)/.test(path);
const takesKeyHeader = (path: string) => isOfAnthropic(path) || path.endsWith("/models");

/** The body of a refusal, without what differs from one to the next. */
async function refusal({ path }: Route, response: Response): Promise<object> {
  if (!isOfAnthropic(path)) return (await readError(response)).body;
  const { request_id, ...body } = await response.json();
  assert.match(request_id, /^req_[0-9a-f]{32}$/);
  return body;
}

for (const base of ["/v1", "/api/v1"]) {
  for (const route of routes) {
    const { method, path } = route;
    const below = { ...route, path: base + path };

    Deno.test(`${method} ${base}${path} answers each kind of credential as the matrix says`, async () => {
      await using upstream = scripted(answers);
      await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { models })] });
      const client = await gateway.addKey({ kind: "client" });
      const kinds = { api: gateway.apiKey, management: gateway.managementKey, client } as const;
      for (const kind of ["api", "management", "client"] as const) {
        const response = await send(gateway, below, bearer(kinds[kind]));
        assert.equal(response.status, route[kind], kind);
        if (response.status === 200) await response.body?.cancel();
        else assert.equal(JSON.stringify(await refusal(below, response)).includes(kinds[kind]), false);
      }
    });

    Deno.test(`${method} ${base}${path} answers 401 with one body to everything that is no key`, async () => {
      await using upstream = scripted(answers);
      await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { models })] });
      const bodies = new Set<string>();
      for (const [what, headers] of Object.entries(await nobodies(gateway))) {
        if (takesKeyHeader(path) && "x-api-key" in headers) continue;
        const response = await send(gateway, below, headers);
        assert.equal(response.status, 401, what);
        bodies.add(JSON.stringify(await refusal(below, response)));
      }
      assert.equal(bodies.size, 1);
      assert.equal(upstream.requested.length, 0);
    });
  }
}

Deno.test("authenticate comes before the body is read", async () => {
  await using gateway = await startGateway();
  const response = await fetch(`${gateway.url}/v1/responses`, { method: "POST", body: "not JSON" });
  assert.equal((await readError(response)).status, 401);
});

Deno.test("authenticate takes the key header of Anthropic's clients on their operations, and two credentials nowhere", async () => {
  await using upstream = scripted(answers);
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { models })] });
  const { apiKey, managementKey } = gateway;
  const cases: readonly (readonly [Headers, number | "management"])[] = [
    [{ "x-api-key": apiKey }, 200],
    [{ "x-api-key": apiKey, ...bearer(apiKey) }, 200],
    [{ "x-api-key": managementKey }, "management"],
    [{ "x-api-key": apiKey, ...bearer(managementKey) }, 401],
    [{ "x-api-key": apiKey, authorization: "Basic x" }, 401],
    [{ "x-api-key": "wrong" }, 401],
    [{ "x-api-key": "" }, 401],
    [{ "x-api-key": `${apiKey}, ${managementKey}` }, 401],
  ];
  for (const route of routes.filter(({ path }) => takesKeyHeader(path))) {
    for (const [headers, expected] of cases) {
      const response = await send(gateway, { ...route, path: `/v1${route.path}` }, headers);
      await response.body?.cancel();
      const status = expected === "management" ? route.management : expected;
      assert.equal(response.status, status, Object.keys(headers).join(" and "));
    }
  }
});

Deno.test("authenticate takes no key from the address", async () => {
  await using gateway = await startGateway();
  const { url, apiKey } = gateway;
  for (const name of ["key", "api_key", "access_token", "token"]) {
    const response = await fetch(`${url}/v1/models?${name}=${apiKey}`);
    assert.equal((await readError(response)).status, 401);
  }
});

Deno.test("authenticate tells keys apart that share their first forty characters", async () => {
  const shared = "tg-api-0123456789012345678901234567890123";
  const env = { TOLLGATE_API_KEY: `${shared}AAAA`, TOLLGATE_MANAGEMENT_KEY: `${shared}BBBB` };
  await using gateway = await startGateway({ env });
  const kindOf = async (token: string) => {
    const response = await fetch(`${gateway.url}/v1/key`, { headers: bearer(token) });
    return response.status === 200
      ? (await response.json()).data.is_management_key
      : (await response.body?.cancel(), response.status);
  };
  assert.equal(await kindOf(`${shared}AAAA`), false);
  assert.equal(await kindOf(`${shared}BBBB`), true);
  assert.equal(await kindOf(`${shared}CCCC`), 401);
});

Deno.test("authenticate makes an address wait that fails too often, and no valid key with it", async () => {
  await using gateway = await startGateway({
    env: { TOLLGATE_TRUST_PROXY: "1" },
    limits: { failed_keys_per_minute: 3 },
  });
  const from = { "x-forwarded-for": "203.0.113.9" };
  const status = async (token: string, headers: Headers = from) => {
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { ...bearer(token), ...headers } });
    await response.body?.cancel();
    return [response.status, response.headers.get("retry-after") !== null];
  };
  for (let at = 0; at < 3; at++) assert.deepEqual(await status("wrong"), [401, false]);
  assert.deepEqual(await status("wrong"), [429, true]);
  assert.deepEqual(await status(gateway.apiKey), [200, false]);
  assert.deepEqual(await status("wrong", { "x-forwarded-for": "203.0.113.10" }), [401, false]);
});

Deno.test("authenticate counts failures per forwarded address, whatever its port, loopback included", async () => {
  await using gateway = await startGateway({
    env: { TOLLGATE_TRUST_PROXY: "1" },
    limits: { failed_keys_per_minute: 3 },
  });
  const status = async (forwarded: string) => {
    const headers = { ...bearer("wrong"), "x-forwarded-for": forwarded };
    const response = await fetch(`${gateway.url}/v1/models`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  for (
    const address of ["203.0.113.9:PORT", "[2001:db8::1]:PORT", "127.0.0.1", "[::1]:PORT"]
  ) {
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++) statuses.push(await status(address.replace("PORT", String(4_000 + at))));
    assert.deepEqual(statuses, [401, 401, 401, 429, 429], address);
  }
});

Deno.test("authenticate does not believe an address that no trusted proxy vouches for", async () => {
  await using gateway = await startGateway({ limits: { failed_keys_per_minute: 1 } });
  for (let at = 0; at < 5; at++) {
    const headers = { ...bearer("wrong"), "x-forwarded-for": `203.0.113.${at}` };
    const response = await fetch(`${gateway.url}/v1/models`, { headers });
    assert.equal((await readError(response)).status, 401, "loopback is exempt");
  }
});

Deno.test("createApp writes no key to its log", async () => {
  await using gateway = await startGateway();
  for (const token of [gateway.apiKey, gateway.managementKey, "tg-api-unknown-0123456789"]) {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { ...bearer(token), "content-type": "application/json" },
      body: JSON.stringify({ model: token, input: token }),
    });
    await response.body?.cancel();
    assert(!gateway.logged.some((line) => line.includes(token)));
  }
});
