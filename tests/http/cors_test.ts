import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { says, scripted } from "../support/scripted.ts";

const origin = "https://app.example.com";
const body = { model: "mock/model", input: "Hi" };

async function allowed(setting: string | undefined, from: string): Promise<(string | null)[]> {
  await using upstream = scripted(says("responses", "Hello"));
  const env: Record<string, string> = setting === undefined ? {} : { TOLLGATE_CORS: setting };
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)], env });
  const answers = [
    await ask(gateway, body, { headers: { origin: from } }),
    await ask(gateway, { ...body, stream: true }, { headers: { origin: from } }),
    await ask(gateway, "{", { headers: { origin: from } }),
    await fetch(`${gateway.url}/api/v1/models`, { headers: { origin: from } }),
    await fetch(`${gateway.url}/v1/key`, { headers: { origin: from } }),
    await fetch(`${gateway.url}/v1/responses`, { method: "OPTIONS", headers: { origin: from } }),
  ];
  for (const answer of answers) {
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
    await answer.body?.cancel();
  }
  return answers.map(({ headers }) => headers.get("access-control-allow-origin"));
}

const six = <T>(value: T) => Array.from({ length: 6 }, () => value);

Deno.test("applyCors lets any page read inference, models and key by default", async () => {
  assert.deepEqual(await allowed(undefined, origin), six("*"));
  assert.deepEqual(await allowed("*", "null"), six("*"));
});

Deno.test("applyCors lets only listed origins read", async () => {
  const list = `https://other.example.com,${origin}`;
  assert.deepEqual(await allowed(list, origin), six(origin));
  assert.deepEqual(await allowed(list, "https://app.example.com.evil.net"), six(null));
  assert.deepEqual(await allowed(list, "null"), six(null));
});

Deno.test("applyCors can be switched off", async () => {
  assert.deepEqual(await allowed("off", origin), six(null));
});

Deno.test("applyCors says that answers differ by origin when they do", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_CORS: origin } });
  for (const from of [origin, "https://other.example.com"]) {
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { origin: from } });
    assert.equal(response.headers.get("vary"), "Origin");
    await response.body?.cancel();
  }
});

Deno.test("applyCors opens nothing but the API", async () => {
  await using gateway = await startGateway();
  for (const path of ["/healthz", "/readyz", "/v1/keys", "/v1/workspaces/x", "/console", "/v1/nothing"]) {
    const response = await fetch(gateway.url + path, { headers: { origin } });
    assert.equal(response.headers.get("access-control-allow-origin"), null, path);
    await response.body?.cancel();
  }
});

Deno.test("preflight allows the headers that clients send, without a key", async () => {
  await using gateway = await startGateway();
  const wanted = "authorization, content-type, http-referer, x-openrouter-title, x-stainless-lang";
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": wanted,
    },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.equal(response.headers.get("access-control-allow-headers"), wanted);
  assert.match(response.headers.get("access-control-allow-methods") ?? "", /\bPOST\b/);
  assert.match(response.headers.get("access-control-max-age") ?? "", /^\d+$/);
});

Deno.test("applyCors exposes what clients read of an answer's head", async () => {
  await using gateway = await startGateway();
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { origin } });
  const exposed = response.headers.get("access-control-expose-headers")?.toLowerCase().split(/, */) ?? [];
  for (const name of ["x-generation-id", "x-request-id", "retry-after", "server-timing"]) {
    assert(exposed.includes(name), name);
  }
  await response.body?.cancel();
});
