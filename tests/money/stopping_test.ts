/**
 * Tests the cost of calls that are under way when the gateway is stopped, and the spend of a key that was there
 * before.
 */

import assert from "node:assert/strict";
import { startGateway as startServer } from "../../server/app/start.ts";
import { readConfig } from "../../server/config/config.ts";
import { gatewayUrl } from "../../server/config/startup_texts.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { createRuntime } from "../../server/runtime.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { chatChunk, says, scripted } from "../support/scripted.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";
import { call, pricedAt, receiptOf } from "./rig.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const KEYS = {
  TOLLGATE_API_KEY: "chosen-by-the-operator-0123456789-api",
  TOLLGATE_MANAGEMENT_KEY: "chosen-by-the-operator-0123456789-mgmt",
};

async function started(folder: string, baseUrl: string) {
  const all: Readonly<Record<string, string>> = {
    ...KEYS,
    TOLLGATE_DATA: folder,
    PORT: "0",
    MOCK_KEY: "k",
    TOLLGATE_CONFIG: "test.jsonc",
  };
  const file = { providers: [pricedAt(baseUrl, { wire: "chat" })], limits: { drain_seconds: 1 } };
  const readFile = () => JSON.stringify(file);
  const config = readConfig({ env: (name) => all[name], readFile, terminal: false }, providerSettings);
  const running = await startServer({
    config,
    runtime: { ...createRuntime(silent), clock: tickingClock() },
  });
  return { running, url: gatewayUrl(running) };
}

async function receiptsAt(url: string): Promise<readonly Json[]> {
  const headers = { authorization: `Bearer ${KEYS.TOLLGATE_MANAGEMENT_KEY}` };
  const response = await fetch(`${url}/v1/receipts`, { headers });
  return asList(asObject(await response.json()).data).map(asObject);
}

Deno.test("a stop charges calls under way for their input at least, as a kill does", async () => {
  const folder = await Deno.makeTempDir();
  const gate = Promise.withResolvers<void>();
  let requested = 0;
  await using upstream = scripted(({ body }) => {
    requested++;
    if (body.stream !== true) return gate.promise.then(() => new Response("{}", { status: 500 }));
    const first = new TextEncoder().encode(chatChunk({ delta: { role: "assistant", content: "" } }));
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(first);
        void gate.promise.then(() => controller.error(new Error("over")));
      },
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  });
  const first = await started(folder, upstream.baseUrl);
  const text = "so many words ".repeat(50);
  const calls = [false, true].map((stream) =>
    call({ url: first.url }, { key: KEYS.TOLLGATE_API_KEY, text, stream, cap: 300 })
      .then((response) => response.text(), () => "cut")
  );
  await until(() => requested === 2, { what: "both are called" });
  await first.running.stop();
  gate.resolve();
  await Promise.all(calls);
  assert.equal(requested, 2, "no other call is made while the gateway stops");
  const second = await started(folder, upstream.baseUrl);
  const receipts = await receiptsAt(second.url);
  assert.equal(receipts.length, 2);
  for (const { cost, estimated } of receipts) {
    assert.ok(Number(cost) >= 0.0001, `${cost} USD for some 150 tokens`);
    assert.equal(estimated, true);
  }
  await second.running.stop();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a key that is made again with an old text shows at once what was spent with it", async () => {
  await using upstream = scripted(says("chat", "one two three"));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const made = await managed(gateway, { call: "POST /connect/clients", body: { name: "App" } });
  const token = String(made.body.secret);
  const text = "chosen-by-the-operator-0123456789-abc";
  const external = { user: "ada", api_key: text };
  const create = () =>
    managed(gateway, { call: "POST /keys", body: { name: "x", external, limit: 1 }, token });
  const first = asObject((await create()).body.data);
  assert.equal(first.usage, 0);
  const answered = await call(gateway, { key: text, cap: 300 });
  await answered.text();
  assert.equal((await receiptOf(gateway, answered)).cost, 13_000);
  assert.equal((await managed(gateway, { call: `DELETE /keys/${String(first.hash)}` })).status, 200);
  const again = asObject((await create()).body.data);
  assert.deepEqual([again.usage, again.limit_remaining], [0.000013, 0.999987]);
});
