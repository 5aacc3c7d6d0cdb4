/** `GET /status`: what it says of endpoints, of the parts of the gateway, and of what went over limits. */

import assert from "node:assert/strict";
import { type GatewayStatus, gatewayStatusSchema } from "../../shared/management/status.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { call, pricedAt, receiptOf } from "../money/rig.ts";
import { OverrunTotal } from "../../server/management/status/overrun_total.ts";
import { bindStore } from "../../server/stores/bound_store.ts";
import type { Store } from "../../server/stores/store.ts";
import { settle } from "../support/clock.ts";

async function statusOf(gateway: Gateway): Promise<GatewayStatus> {
  const { status, body } = await managed(gateway, { call: "GET /status" });
  assert.equal(status, 200, JSON.stringify(body));
  return gatewayStatusSchema.parse(body.data);
}

async function send(gateway: Gateway, count = 1): Promise<void> {
  for (let at = 0; at < count; at++) await (await call(gateway, { key: gateway.apiKey })).text();
}

Deno.test("GET /status of a new gateway says that all parts work and that nothing was called", async () => {
  await using gateway = await startGateway();
  const status = await statusOf(gateway);
  assert.deepEqual(status.endpoints, []);
  assert.deepEqual(status.endpoint_counts, { well: 0, cooling_down: 0, misconfigured: 0 });
  assert.deepEqual([status.store.ok, status.ledger, status.sandbox.configured], [
    true,
    { ok: true, reason: null },
    false,
  ]);
  assert.ok(status.store.answer_ms !== null && status.store.answer_ms >= 0);
  assert.deepEqual([status.blobs.configured, status.blobs.files, status.blobs.bytes], [true, 0, 0]);
  assert.deepEqual(status.overrun, { usd: 0, receipts: 0, since: null });
});

const failing = [
  { status: 500, requests: 10, standing: "cooling_down" },
  { status: 401, requests: 1, standing: "misconfigured" },
] as const;

for (const { status, requests, standing } of failing) {
  Deno.test(`GET /status says that an endpoint is ${standing}, and why`, async () => {
    await using upstream = scripted(() => Response.json({ error: { message: "No." } }, { status }));
    await using gateway = await startGateway({
      providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
      limits: { attempts: 1 },
    });
    await send(gateway, requests);
    const { endpoints: [endpoint], endpoint_counts: counts } = await statusOf(gateway);
    assert.ok(endpoint);
    assert.deepEqual([endpoint.standing, endpoint.model, counts[standing]], [standing, "mock/model", 1]);
    assert.match(endpoint.reason ?? "", new RegExp(`^status ${status}: `));
    assert.ok(endpoint.rests_until !== null);
    assert.ok(endpoint.failures_5m >= 1 && endpoint.requests_5m >= endpoint.failures_5m);
  });
}

Deno.test("GET /status says that an endpoint is well, and how fast it answers", async () => {
  await using upstream = scripted(says("chat", "Hello"));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  await send(gateway);
  await (await call(gateway, { key: gateway.apiKey, stream: true })).text();
  const { endpoints: [endpoint] } = await statusOf(gateway);
  assert.ok(endpoint);
  const { standing, reason, rests_until, requests_5m, failures_5m, p50_ms } = endpoint;
  assert.deepEqual([standing, reason, rests_until, requests_5m, failures_5m], ["well", null, null, 2, 0]);
  assert.ok(p50_ms !== null && p50_ms >= 0);
});

Deno.test("GET /status tells what went over limits: the sum over all receipts", async () => {
  await using upstream = scripted(({ body }, number) => {
    // Every other answer costs far more than was reserved.
    const text = number % 2 === 0 ? "Hi" : "word ".repeat(4_000);
    return says("chat", text)({ path: "", headers: new Headers(), body }, number);
  });
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const key = await gateway.addKey({ kind: "api", limit: 100 });
  let overrun = 0;
  for (let at = 0; at < 6; at++) {
    const response = await call(gateway, { key, stream: at > 2, cap: 300 });
    await response.text();
    overrun += (await receiptOf(gateway, response)).overrun;
  }
  assert.ok(overrun > 0);
  const today = new Date(gateway.clock.now()).toISOString().slice(0, 10);
  const status = await statusOf(gateway);
  assert.deepEqual(status.overrun, { usd: overrun / 1e9, receipts: 6, since: today });
});

Deno.test("GET /status counts what went over limits once, however many ask when days have passed", async () => {
  await using upstream = scripted(says("chat", "word ".repeat(4_000)));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const key = await gateway.addKey({ kind: "api", limit: 100 });
  const response = await call(gateway, { key, cap: 300 });
  await response.text();
  const { overrun } = await receiptOf(gateway, response);
  assert.ok(overrun > 0);
  const inner = bindStore(gateway.store);
  const list: Store["list"] = async (prefix, options) => {
    await settle();
    return await inner.list(prefix, options);
  };
  const total = new OverrunTotal({ ...inner, list });
  const later = gateway.clock.now() + 10 * 86_400_000;
  const read = () => total.read(later);
  for (const { usd } of [...await Promise.all([read(), read(), read()]), await read()]) {
    assert.equal(usd, overrun / 1e9);
  }
});

Deno.test("GET /status lists the gateways that share a store", async () => {
  await using alone = await startGateway();
  assert.equal((await statusOf(alone)).instances, null);
  await using one = await startGateway({ shared: true });
  await using other = await startGateway({ beside: one });
  const { instances } = await statusOf(one);
  assert.deepEqual(instances?.map(({ is_ended }) => is_ended), [false, false]);
  assert.deepEqual((await statusOf(other)).instances, instances);
});

Deno.test("GET /status is for management keys", async () => {
  await using gateway = await startGateway();
  assert.equal((await managed(gateway, { call: "GET /status", token: gateway.apiKey })).status, 403);
});
