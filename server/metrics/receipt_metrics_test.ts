import assert from "node:assert/strict";
import { receiptWith } from "../../tests/support/receipts.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { CatalogLabels, MOST_VALUES } from "./catalog_labels.ts";
import { receiptCounter } from "./receipt_metrics.ts";
import { MetricRegistry } from "./registry.ts";
import { seriesTable } from "./series.ts";
import type { GenAiNames } from "./series_row.ts";
import { writeMetrics } from "./write_metrics.ts";

/** A registry that counts receipts of a catalog with so many models. */
function rig(models: number, spelling: GenAiNames = "v1.41") {
  const endpoints = Array.from({ length: models }, (_, at) => ({
    model: { id: `mock/model-${at}` },
    provider: { id: "mock", name: "mock" },
  }));
  const registry = new MetricRegistry(seriesTable(spelling));
  const labels = new CatalogLabels(() => catalog);
  const catalog = { endpoints };
  const count = receiptCounter({ registry, labels });
  const text = () => runNow(writeMetrics(registry, "prometheus"));
  return { count, text };
}

const numberOf = (text: string, pattern: RegExp) => text.match(new RegExp(pattern, "gm"))?.length ?? 0;

Deno.test("receiptCounter gives 100,000 invented models, providers and keys one value of each label", () => {
  const { count, text } = rig(1);
  const receipt = receiptWith();
  for (let at = 0; at < 100_000; at++) {
    const [model, provider] = [`x/invented-${at}`, `invented-${at}`];
    count({ ...receipt, model, provider, key_hash: `invented-${at}`, requested_model: model });
  }
  assert.doesNotMatch(text(), /invented/);
  assert.match(text(), /^tollgate_cost_usd_total\{provider="other",model="other"\} 0\.25$/m);
  assert(text().split("\n").length < 400);
});

Deno.test("receiptCounter names the first models of a large catalog that are used", () => {
  const { count, text } = rig(2 * MOST_VALUES);
  const use = (at: number) => count(receiptWith({ model: `mock/model-${at}` }));
  for (let at = 0; at < 2 * MOST_VALUES; at++) use(at);
  use(0);
  assert.equal(numberOf(text(), /^tollgate_cost_usd_total/), MOST_VALUES + 1);
  assert.match(text(), /model="mock\/model-0"\} 0\.000005$/m);
});

Deno.test("receiptCounter counts each call's cost at its model, and the rest at the one that answered", () => {
  const { count, text } = rig(3);
  const call = { step: 1, purpose: "model", provider: "mock", status: "completed", latency_ms: 100 } as const;
  count(receiptWith({
    model: "mock/model-0",
    cost: 1_000,
    calls: [
      { ...call, model: "mock/model-1", cost: 300 },
      { ...call, model: "mock/model-2", cost: 600, purpose: "tool:advisor" },
      { ...call, model: null, cost: 0, purpose: "tool:datetime", status: "failed" },
    ],
  }));
  const costs = [...text().matchAll(/^tollgate_cost_usd_total.*model="(.*)"\} (.*)$/gm)].map(([, ...of]) =>
    of
  );
  assert.deepEqual(costs, [
    ["mock/model-1", "0.0000003"],
    ["mock/model-2", "0.0000006"],
    ["mock/model-0", "0.0000001"],
  ]);
  assert.match(text(), /^tollgate_tool_calls_total\{tool="advisor",status="completed"\} 1$/m);
  assert.match(text(), /^tollgate_tool_calls_total\{tool="datetime",status="failed"\} 1$/m);
});

Deno.test("receiptCounter names each API, and its calls by the conventions' operations", () => {
  const { count, text } = rig(1);
  const operations = {
    responses: "chat",
    messages: "chat",
    speech: "generate_content",
    embeddings: "embeddings",
  };
  for (const api of Object.keys(operations)) count(receiptWith({ api, model: "mock/model-0" }));
  assert.doesNotMatch(text(), /api="other"/);
  for (const operation of Object.values(operations)) {
    assert.match(
      text(),
      new RegExp(`^gen_ai_client_token_usage_count.gen_ai_operation_name="${operation}"`, "m"),
    );
  }
});

Deno.test("receiptCounter counts refusals that share a receipt, and tokens under the newest names", () => {
  const { count, text } = rig(1, "latest");
  const error = { kind: "payment_required", status: 402, message: "none left" };
  count(
    receiptWith({ status: "refused", stands_for: 7, error, model: null, attempts: [], usage: {}, cost: 0 }),
  );
  count(receiptWith({ model: "mock/model-0" }));
  assert.match(text(), /^tollgate_requests_total\{api="responses",status="refused"\} 7$/m);
  assert.match(text(), /^tollgate_request_failures_total\{kind="payment_required"\} 7$/m);
  assert.match(text(), /^gen_ai_client_inference_usage_cache_read_input_tokens_total\{.*\} 10$/m);
  assert.doesNotMatch(text(), /gen_ai_client_operation|gen_ai_client_token_usage/);
});
