/** Where a limit comes from decides how it refuses, on every API, and what passes beside it. */

import assert from "node:assert/strict";
import { asList, asObject } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { apiNames, call, pricedAt, receiptOf, spentBy } from "./rig.ts";

const answer = says("chat", "one two three");
const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() };

for (const api of apiNames) {
  Deno.test(`a guardrail's limit is 403 with its stage in the metadata (${api})`, async () => {
    await using upstream = scripted(answer);
    await using gateway = await startGateway({
      env,
      providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
    });
    const { key, record } = await createKey(gateway);
    const made = await managed(gateway, {
      call: "POST /guardrails",
      body: { name: "Frugal", limit_usd: 0.000001, reset_interval: "daily" },
    });
    const id = String(asObject(made.body.data).id);
    const assigned = await managed(gateway, {
      call: `POST /guardrails/${id}/assignments/keys`,
      body: { key_hashes: [record.hash] },
    });
    assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
    const headers = { "x-service-metadata": "enabled" };
    for (const stream of [false, true]) {
      const refused = await call(gateway, { api, key, stream, headers });
      const body = asObject(await refused.json());
      assert.equal(refused.status, 403, JSON.stringify(body));
      const error = asObject(body.error);
      const metadata = asObject(error.details ?? error.metadata);
      assert.deepEqual([metadata.limit_source, metadata.patterns], ["guardrail", []]);
      const [stage, ...others] = asList(asObject(body.service_metadata).pipeline);
      assert.deepEqual(others, []);
      const { type, guardrail_id, guardrail_scope, data } = asObject(stage);
      assert.deepEqual([type, guardrail_id, guardrail_scope], ["guardrail", id, "api-key"]);
      assert.deepEqual(data, { action: "blocked", detected: true, engines: [], patterns: [] });
      const receipt = await receiptOf(gateway, refused);
      assert.deepEqual([receipt.status, receipt.error?.status], ["refused", 403]);
    }
  });
}

Deno.test("a spent limit that does not count provider keys of one's own lets their calls pass", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const { key } = await createKey(gateway, { limit: 0 });
  const counting = await createKey(gateway, { limit: 0, include_byok_in_limit: true });
  for (const api of apiNames) {
    const refused = await call(gateway, { api, key });
    assert.equal(refused.status, 402, await refused.text());
  }
  const brought = await managed(gateway, {
    call: "POST /byok",
    body: { provider: "mock", key: "sk-own-0123456789" },
  });
  assert.equal(brought.status, 201, JSON.stringify(brought.body));
  for (const api of apiNames) {
    const passed = await call(gateway, { api, key });
    assert.equal(passed.status, 200, await passed.text());
    const receipt = await receiptOf(gateway, passed);
    assert.deepEqual([receipt.cost, receipt.upstream_cost, receipt.is_byok], [0, 13_000, true]);
    const refused = await call(gateway, { api, key: counting.key });
    assert.equal(refused.status, 402, await refused.text());
  }
  assert.equal(await spentBy(gateway, key), 0);
  const own = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(asObject(asObject(await own.json()).data).byok_usage, 0.000039);
});
