/** Damaged questions about receipts, sums and credits: each is answered or refused by name, none is our fault. */

import assert from "node:assert/strict";
import { UsageCounters } from "../../server/billing/ledger/usage/usage_counters.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { receiptWith, rowsOf } from "../support/receipts.ts";
import { says, scripted } from "../support/scripted.ts";
import { type Random, seeded } from "./random.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(1_000);

const now = () => new Date().toISOString();

/** Good ones, to be damaged. */
const queries = (): readonly Json[] => [
  { metrics: ["request_count"] },
  {
    metrics: ["total_usage", "latency_p95", "cache_hit_rate"],
    dimensions: ["model", "status"],
    filters: [
      { field: "model", operator: "in", value: ["mock/model"] },
      { field: "total_usage", operator: "gte", value: 0 },
      { field: "api_key_id", operator: "neq", value: "0".repeat(64) },
    ],
    granularity: "day",
    time_range: { start: "2026-01-01T00:00:00Z", end: now() },
    order_by: { field: "total_usage", direction: "desc" },
    limit: 10,
    group_limit: 2,
  },
  { metrics: ["tokens_total"], granularity: "minute", time_range: { start: now(), end: "2030-01-01" } },
];

const bodies = (id: string): Readonly<Record<string, readonly Json[]>> => ({
  "/analytics/query": queries(),
  "/credits": [{ amount_usd: 1.5, reason: "A gift" }, { amount_usd: -0.25, reason: "Back" }],
  "/generation/feedback": [{ generation_id: id, category: "billing", comment: "No" }],
});

const addresses = (id: string): readonly string[] => [
  `/generation?id=${id}`,
  `/generation/content?id=${id}`,
  "/receipts?limit=5&status=completed&model=mock%2Fmodel&provider=Mock",
  `/receipts?api_key_hash=${"0".repeat(64)}&workspace_id=0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11`,
  "/receipts?before=W1sxLCJhIiwxXSwyXQ",
  "/activity?date=2026-01-01&group_by=workspace&user_id=u",
  "/activity?workspace_id=0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
  "/key/usage?days=7",
  "/credits/history?offset=1&limit=2",
];

const odd: readonly unknown[] = [
  null,
  true,
  "",
  " ",
  -1,
  0,
  1e300,
  0.1,
  1e-12,
  9_007_199_254_740_993,
  "9".repeat(400),
  "\ud800",
  "\0",
  "💥".repeat(200),
  "__proto__",
  "constructor",
  "9999-12-31T23:59:59Z",
  "0000-01-01T00:00:00Z",
  "2026-02-30",
  "1969-12-31T23:59:59-12:00",
  [],
  [[]],
  {},
  { a: 1 },
  ["x", 1],
];

/** One place, somewhere in it, is something else, is gone, or is there twice. */
function damaged(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random.below(4) > 0) {
    const at = random.below(value.length);
    const changed = value.map((one, place) => place === at ? damaged(one, random) : one);
    return random.below(5) === 0 ? [...changed, ...changed] : changed;
  }
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0 && random.below(6) > 0) {
    const entries = Object.entries(value);
    const name = random.pick(entries)[0];
    if (random.below(6) === 0) return Object.fromEntries(entries.filter(([key]) => key !== name));
    if (random.below(8) === 0) {
      return { ...value, [random.pick(["x", "classifier_filters", "__proto__x"])]: 1 };
    }
    return Object.fromEntries(entries.map(([key, one]) => [key, key === name ? damaged(one, random) : one]));
  }
  return random.pick(odd);
}

function damagedAddress(address: string, random: Random): string {
  const [path = "", query = ""] = address.split("?");
  const pairs = [...new URLSearchParams(query)];
  const at = random.below(pairs.length);
  const value = String(random.pick(odd)).toWellFormed();
  const changed = pairs.map(([key, one], place) => [key, place === at ? value : one]);
  if (random.below(5) === 0) changed.push(["limit", value]);
  if (random.below(5) === 0) changed.splice(at, 1);
  const text = changed.map(([key = "", one = ""]) => `${key}=${encodeURIComponent(one)}`).join("&");
  return random.below(10) === 0 ? `${path}?${text}&%` : `${path}?${text}`;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

function* sendings(id: string): Generator<Sent> {
  const random = seeded(seed);
  const posts = Object.entries(bodies(id));
  for (let at = 0; at < count; at++) {
    if (at % 3 === 0) {
      yield { method: "GET", path: damagedAddress(random.pick(addresses(id)), random) };
      continue;
    }
    const [path, all] = random.pick(posts);
    const text = JSON.stringify(damaged(random.pick(all), random)) ?? "null";
    const body = random.below(20) === 0 ? text.slice(0, random.below(text.length) + 1) : text;
    yield { method: "POST", path, body };
  }
}

function send({ app, managementKey }: Gateway, { method, path, body }: Sent): Promise<Response> {
  const headers = {
    host: "localhost",
    authorization: `Bearer ${managementKey}`,
    "content-type": "application/json",
  };
  return app.fetch(new Request(`http://localhost/v1${path}`, { method, headers, body }), "127.0.0.1");
}

Deno.test(`${count} damaged questions get no 5xx, and every refusal says what is wrong (SEED=${seed})`, async () => {
  await using upstream = scripted(says("responses", "Hello"));
  const models = [{ ...mockModel, pricing: { prompt: "0.000001", completion: "0.000002" } }];
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { models })] });
  const requested = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Hi" }),
  });
  await requested.text();
  const part = new UsageCounters({ start: "more" });
  const receipts = Array.from({ length: 30 }, (_, at) => receiptWith({ at: Date.now() - at * 3_600_000 }));
  await gateway.store.commit({ puts: rowsOf(part, receipts), small: true });
  const seen = new Map<number, number>();
  for (const sent of sendings(requested.headers.get("x-generation-id") ?? "")) {
    const response = await send(gateway, sent);
    const text = await response.text();
    const what = `${JSON.stringify(sent).slice(0, 600)}: ${response.status} ${text.slice(0, 400)}`;
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
    assert([200, 400, 404].includes(response.status), what);
    const body = asObject(JSON.parse(text));
    if (response.status === 200) {
      assert("data" in body, what);
      continue;
    }
    const { message, code } = asObject(body.error);
    assert(
      typeof message === "string" && message.length > 10 && message.length < 5_000 && message.isWellFormed(),
      what,
    );
    assert.equal(code, response.status);
  }
  const [good = 0, bad = 0] = [seen.get(200), seen.get(400)];
  assert(good > count / 20 && bad > count / 3, JSON.stringify([...seen]));
});
