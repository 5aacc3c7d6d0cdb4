/**
 * GET /metrics and the ledger tell the same after mixed requests: counts, tokens, and money to the nano-dollar. No label
 * has a value that a caller has chosen. `TOLLGATE_TEST_RUNS=50` makes 10,000 requests.
 */

import assert from "node:assert/strict";
import type { Receipt } from "../../shared/receipts.ts";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import { listReceipts } from "../../server/billing/ledger/index/receipt_list.ts";
import { startChatMock } from "../mocks/chat_upstream.ts";
import { seeded } from "../fuzz/random.ts";
import { ask } from "../support/call.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { readInPython, readMetrics, type ReadSample, sumOf } from "../support/prometheus.ts";
import { runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const REQUESTS = runs(200);
const AT_ONCE = 8;
const TOKEN = "metrics-token-0123456789-0123456789";
const OPEN = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";

const pricing = {
  prompt: "0.00000123",
  completion: "0.00000457",
  input_cache_read: "0.0000001",
  request: "0.000000001",
};
const faults = ["", "", "", "-429", "-500", "-cut", "-error-before", "-error-after", "-no-usage", "-empty"];

const providersAt = (baseUrl: string) => {
  const models = [...new Set(faults)].map((fault) => ({
    id: `mock/plain${fault}`,
    upstream_id: `mock${fault}`,
    context_length: 200_000,
    max_output_tokens: 4_000,
    pricing,
  }));
  const at = (id: string, more = {}) =>
    providerAt(baseUrl, { id, name: `At ${id}`, wire: "chat", models, ...more });
  return [at("one"), at("two", { models: models.slice(0, 1) }), at("open", { open: true, models: [] })];
};

async function scrape(gateway: Gateway, accept = "text/plain"): Promise<string> {
  const response = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}`, accept },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

/** Requests for known and invented models, with right and invented keys. */
async function askAll(gateway: Gateway): Promise<void> {
  const { next: random, pick } = seeded(seed);
  const one = async (number: number) => {
    const kind = random();
    const model = kind < 0.7
      ? `mock/plain${pick(faults)}`
      : kind < 0.85
      ? `open/invented-${number}`
      : `x/none-${number}`;
    const apiKey = random() < 0.1 ? `sk-invented-${number}` : gateway.apiKey;
    const models = random() < 0.3 ? { models: [model, "mock/plain"] } : { model };
    const response = await ask({ url: gateway.url, apiKey }, {
      ...models,
      input: "Hi",
      stream: random() < 0.5,
    });
    await response.text().catch(() => "a connection that the fault has cut");
  };
  const numbers = Array.from({ length: REQUESTS }, (_, number) => number);
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) await one(number);
  }));
}

async function allReceipts({ store, ledger }: Gateway): Promise<readonly Receipt[]> {
  await ledger.caughtUp();
  const deps = { store, batches: createReceiptReader(store) };
  return (await listReceipts(deps, { filters: {}, limit: 2 * REQUESTS })).receipts;
}

const total = (receipts: readonly Receipt[], of: (receipt: Receipt) => number) =>
  receipts.reduce((sum, receipt) => sum + of(receipt), 0);

function assertAgree(samples: readonly ReadSample[], receipts: readonly Receipt[]): void {
  const requests = (some: readonly Receipt[]) => total(some, (one) => one.stands_for ?? 1);
  for (const [status, some] of Map.groupBy(receipts, (one) => one.status)) {
    assert.equal(sumOf(samples, { name: "tollgate_requests_total", status }), requests(some), status);
  }
  assert.equal(sumOf(samples, { name: "tollgate_requests_total" }), requests(receipts));
  const nano = (name: string, labels = {}) => Math.round(sumOf(samples, { name, ...labels }) * 1e9);
  assert(total(receipts, ({ cost }) => cost) > 0);
  assert.equal(nano("tollgate_cost_usd_total"), total(receipts, ({ cost }) => cost));
  assert.equal(nano("tollgate_upstream_cost_usd_total"), total(receipts, (one) => one.upstream_cost));
  const ofModel = receipts.filter((one) => one.model === "mock/plain");
  const cost = total(ofModel, (one) => one.cost);
  assert.equal(nano("tollgate_cost_usd_total", { model: "mock/plain" }), cost);
  const tokens = (type: string) => sumOf(samples, { name: "tollgate_tokens_total", type });
  assert.equal(tokens("input"), total(receipts, ({ usage }) => usage.input_tokens ?? 0));
  assert.equal(tokens("output"), total(receipts, ({ usage }) => usage.output_tokens ?? 0));
  const attempts = total(receipts, (one) => one.attempts.length);
  assert.equal(sumOf(samples, { name: "tollgate_upstream_attempts_total" }), attempts);
  const fallbacks = total(receipts, (one) => Math.max(0, one.attempts.length - 1));
  assert(fallbacks > 0);
  assert.equal(sumOf(samples, { name: "tollgate_fallbacks_total", outcome: "tried" }), fallbacks);
}

/** Histograms are read by Python's library alone. */
function assertCalls(samples: readonly ReadSample[], receipts: readonly Receipt[]): void {
  const asked = receipts.filter(({ model, calls }) => model !== null && calls === undefined);
  assert.equal(sumOf(samples, { name: "gen_ai_client_operation_duration_seconds_count" }), asked.length);
  const counted = receipts.filter(({ usage }) => Object.keys(usage).length > 0);
  const of = { name: "gen_ai_client_token_usage_count", gen_ai_token_type: "input" };
  assert.equal(sumOf(samples, of), counted.length);
}

/** Values of the labels that the catalog bounds. */
const valuesOf = (samples: readonly ReadSample[], labels: readonly string[]) =>
  new Set(samples.flatMap((sample) => labels.flatMap((label) => sample.labels[label] ?? [])));

Deno.test("metrics agree with the receipts of mixed requests, in both forms and by two parsers", async () => {
  const mock = startChatMock();
  await using gateway = await startGateway({
    providers: providersAt(mock.url),
    env: { TOLLGATE_METRICS_TOKEN: TOKEN },
  });
  await askAll(gateway);
  const receipts = await allReceipts(gateway);
  await scrape(gateway);
  const text = await scrape(gateway);
  const samples = readMetrics(text);
  assertAgree(samples, receipts);
  for (
    const [format, form] of [["prometheus", text], ["openmetrics", await scrape(gateway, OPEN)]] as const
  ) {
    const read = await readInPython(form, format);
    if (read === undefined) continue;
    assertAgree(read, receipts);
    assertCalls(read, receipts);
  }
  const known = new Set([...faults.map((fault) => `mock/plain${fault}`), "other"]);
  const models = valuesOf(samples, ["model", "gen_ai_request_model"]);
  assert.deepEqual([...models].filter((model) => !known.has(model)), []);
  assert(models.has("other"));
  const providers = valuesOf(samples, ["provider", "gen_ai_provider_name"]);
  assert.deepEqual([...providers].filter((id) => !["one", "two", "open", "other"].includes(id)), []);
  assert.doesNotMatch(text, /invented|none-|sk-|[\da-f]{32}/);
  assert.equal(sumOf(samples, { name: "tollgate_requests_in_flight" }), 0);
  assert.equal(sumOf(samples, { name: "tollgate_store_up" }), 1);
  await mock.close();
});
