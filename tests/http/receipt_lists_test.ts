/** `GET /receipts` over HTTP: its filters on requests that were made, and what it refuses. */

import assert from "node:assert/strict";
import { asList, asObject } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { call, pricedAt } from "../money/rig.ts";

Deno.test("GET /receipts finds a request by each of its ids, and by what it was", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  const response = await call(gateway, { key });
  const generation = response.headers.get("x-generation-id") ?? "";
  const request = response.headers.get("x-request-id") ?? "";
  await response.text();
  const found = async (query: string) => {
    const { status, body } = await managed(gateway, { call: `GET /receipts?${query}` });
    assert.equal(status, 200, JSON.stringify(body));
    return asList(body.data).map((one) => String(asObject(one).id));
  };
  const [only] = asList((await managed(gateway, { call: "GET /receipts" })).body.data);
  const upstreamId = String(asObject(only ?? {}).upstream_id);
  for (const id of [generation, request, upstreamId]) assert.deepEqual(await found(`id=${id}`), [generation]);
  assert.deepEqual(await found("id=gen-nothing"), []);
  assert.deepEqual(await found("fell_back=false&min_ms=0&q=&user="), [generation]);
  assert.deepEqual(await found("min_cost=1000"), []);
});

Deno.test("GET /receipts says which values its filters take", async () => {
  await using gateway = await startGateway();
  const cases = [
    ["status=gone", /interrupted/],
    ["error_kind=gone", /rate_limited/],
    ["since=yesterday", /moment with seconds and time zone/],
    ["until=2026-01-01", /moment with seconds and time zone/],
    ["min_cost=-1", /min_cost/],
    ["min_ms=much", /min_ms/],
    ["fell_back=maybe", /true/],
    [`q=${"x".repeat(501)}`, /500/],
    ["before=x", /the next of another page/],
    ["limit=101", /100/],
  ] as const;
  for (const [query, says] of cases) {
    const lists = query.startsWith("limit") ? ["/receipts"] : ["/receipts", "/receipts/histogram"];
    for (const path of lists) {
      const { status, body } = await managed(gateway, { call: `GET ${path}?${query}` });
      assert.equal(status, 400, `${path}?${query}`);
      assert.match(String(asObject(body.error).message), says);
    }
  }
});

Deno.test("GET /receipts/histogram has at most 120 bars of any range, and refuses an empty one", async () => {
  await using gateway = await startGateway();
  const now = gateway.clock.now();
  for (const ms of [1, 60_000, 3_600_000, 86_400_000, 40 * 86_400_000, 9_000 * 86_400_000]) {
    for (const q of ["", "x"]) {
      const query = new URLSearchParams({
        since: new Date(now - ms).toISOString(),
        until: new Date(now).toISOString(),
        q,
      });
      const { status, body } = await managed(gateway, { call: `GET /receipts/histogram?${query}` });
      assert.equal(status, 200);
      const { bars, bar_seconds } = asObject(body.data);
      const { length } = asList(bars);
      assert(length <= 120 && length * Number(bar_seconds) * 1_000 >= ms, `${ms} ms: ${length} bars`);
    }
  }
  const empty = "since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z";
  const { status, body } = await managed(gateway, { call: `GET /receipts/histogram?${empty}` });
  assert.equal(status, 400);
  assert.match(String(asObject(body.error).message), /since is not before until/);
});
