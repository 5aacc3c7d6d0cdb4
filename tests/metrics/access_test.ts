/** GET /metrics is for few, has two forms, and says where the gateway is overloaded. */

import assert from "node:assert/strict";
import { seriesTable } from "../../server/metrics/series.ts";
import { LATE_MS, LOOK_MS } from "../../server/overload/overload_guard.ts";
import { bearer, nobodies } from "../support/bad_credentials.ts";
import { startChatMock } from "../mocks/chat_upstream.ts";
import { ask } from "../support/call.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { readMetrics, sumOf } from "../support/prometheus.ts";
import { until } from "../support/until.ts";
import { type CountedClock, tickingClock } from "../support/ticking_clock.ts";

const TOKEN = "metrics-token-0123456789-0123456789";

const get = (gateway: Gateway, headers: Readonly<Record<string, string>>) =>
  fetch(`${gateway.url}/metrics`, { headers });

async function read(gateway: Gateway, token = TOKEN): Promise<string> {
  const response = await get(gateway, bearer(token));
  assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(response.headers.get("cache-control"), "no-store");
  return await response.text();
}

Deno.test("metrics are for managers and the token of the settings, which opens nothing else", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_METRICS_TOKEN: TOKEN } });
  for (const [name, headers] of Object.entries(await nobodies(gateway))) {
    if ("x-api-key" in headers) continue;
    const response = await get(gateway, headers);
    await response.body?.cancel();
    assert.equal(response.status, 401, name);
  }
  for (const token of [gateway.apiKey, await gateway.addKey({ kind: "client" })]) {
    const response = await get(gateway, bearer(token));
    await response.body?.cancel();
    assert.equal(response.status, 403);
  }
  for (const token of [TOKEN, gateway.managementKey]) {
    assert.match(await read(gateway, token), /^# HELP tollgate_requests_in_flight /m);
  }
  const other = await fetch(`${gateway.url}/v1/status`, { headers: bearer(TOKEN) });
  await other.body?.cancel();
  assert.equal(other.status, 401);
  const open = await get(gateway, {
    ...bearer(TOKEN),
    accept: "application/openmetrics-text; version=1.0.0",
  });
  assert.match(open.headers.get("content-type") ?? "", /^application\/openmetrics-text; version=1\.0\.0/);
  assert((await open.text()).endsWith("\n# EOF\n"));
  assert.doesNotMatch(gateway.logged.join("\n"), new RegExp(TOKEN));
});

Deno.test("metrics name keys by their hashes only, and only as many limits as the settings say", async () => {
  const ids = async (env: Readonly<Record<string, string>>) => {
    await using gateway = await startGateway({ env: { TOLLGATE_METRICS_TOKEN: TOKEN, ...env } });
    for (const limit of [1, 2, 3]) await gateway.addKey({ kind: "api", limit, limitReset: "daily" });
    let samples = readMetrics(await read(gateway));
    await until(async () => {
      samples = readMetrics(await read(gateway));
      return samples.some(({ name }) => name === "tollgate_limits");
    }, { what: "that limits were compared" });
    return samples.filter(({ name }) => name === "tollgate_limit_remaining_usd");
  };
  assert.deepEqual(await ids({}), []);
  const named = await ids({ TOLLGATE_METRICS_LIMITS: "2" });
  assert.equal(named.length, 2);
  assert(named.every(({ labels }) => labels.subject === "key" && /^[\da-f]{64}$/.test(labels.id ?? "")));
});

Deno.test("metrics that are switched off are not there", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_METRICS: "off" } });
  const response = await get(gateway, bearer(gateway.managementKey));
  await response.body?.cancel();
  assert.equal(response.status, 404);
});

Deno.test("metrics name calls of models by one spelling of the conventions at a time", () => {
  const names = (spelling: "v1.41" | "latest") =>
    [...seriesTable(spelling).values()].map(({ name }) => name).filter((name) => name.startsWith("gen_ai"));
  const [old, newest] = [names("v1.41"), names("latest")];
  assert(old.includes("gen_ai_client_token_usage"));
  assert(newest.includes("gen_ai_client_inference_duration_seconds"));
  assert.deepEqual(old.filter((name) => newest.includes(name)), []);
});

const calls = [
  ["/v1/responses", { model: "local/echo", input: "Hi" }],
  ["/v1/chat/completions", { model: "local/echo", messages: [{ role: "user", content: "Hi" }] }],
  ["/v1/messages", { model: "local/echo", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }],
  ["/v1/messages/count_tokens", { model: "local/echo", messages: [{ role: "user", content: "Hi" }] }],
  ["/v1/embeddings", { model: "local/embed", input: "Hi" }],
  ["/v1/audio/speech", { model: "local/voice", input: "Hi", voice: "ada" }],
] as const;

/** The real time, ahead by as much as a test says. */
function aheadClock(): CountedClock & { ahead: number } {
  const inner = tickingClock();
  return {
    ahead: 0,
    now: () => inner.now(),
    monotonic() {
      return inner.monotonic() + this.ahead;
    },
    after: (ms, run) => inner.after(ms, run),
    get open() {
      return inner.open;
    },
  };
}

Deno.test("an overloaded gateway refuses every kind of new work with Retry-After, and streams go on", async () => {
  const clock = aheadClock();
  const mock = startChatMock();
  const models = [{ id: "mock/drip", upstream_id: "mock-drip-100" }];
  await using gateway = await startGateway({
    clock,
    providers: [providerAt(mock.url, { wire: "chat", models })],
    env: { TOLLGATE_METRICS_TOKEN: TOKEN, TOLLGATE_LOCAL: "on" },
  });
  const stream = await ask(gateway, { model: "mock/drip", input: "Hi", stream: true });
  const looks = (count: number, lagMs: number) => {
    for (let look = 0; look < count; look++, clock.ahead += LOOK_MS + lagMs) gateway.overload.look();
  };
  looks(2 + LATE_MS / 1_000, 1_000);
  for (const [path, body] of calls) {
    const headers = { ...bearer(gateway.apiKey), "content-type": "application/json" };
    const response = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(response.status, 503, `${path}: ${await response.text()}`);
    assert.equal(response.headers.get("retry-after"), "5");
  }
  const samples = readMetrics(await read(gateway));
  assert.equal(sumOf(samples, { name: "tollgate_overloaded", reason: "loop_lag" }), 1);
  const refused = { name: "tollgate_overload_refusals_total", reason: "loop_lag" };
  assert.equal(sumOf(samples, refused), calls.length);
  const { status, details } = asObject(await (await fetch(`${gateway.url}/readyz`)).json());
  assert.deepEqual([status, details], ["ready", { overload: "New requests are refused: loop_lag." }]);
  assert.match(await stream.text(), /response\.completed/);
  looks(20, 0);
  const taken = await ask(gateway, { model: "local/echo", input: "Hi" });
  assert.equal(taken.status, 200, await taken.text());
  assert.match(gateway.logged.join("\n"), /Overloaded: new requests are refused.*loop_lag/);
  await mock.close();
});
