import assert from "node:assert/strict";
import { runNow } from "../../shared/util/run_work.ts";
import { MetricRegistry } from "./registry.ts";
import type { SeriesId } from "./series.ts";
import type { Series } from "./series_row.ts";
import { writeMetrics } from "./write_metrics.ts";

const help = "Of a\\b.";
const table = new Map<SeriesId, Series>([
  ["requests", { name: "requests", type: "counter", help, labels: { api: "model", status: "provider" } }],
  ["cost", { name: "cost_usd", type: "counter", help, labels: {}, unit: "usd", isMoney: true }],
  ["heap", { name: "heap_bytes", type: "gauge", help, labels: {}, unit: "bytes" }],
  ["callDuration", {
    name: "call_seconds",
    type: "histogram",
    help,
    labels: { model: "model" },
    unit: "seconds",
    buckets: [0.5, 2, 4_194_304],
  }],
  ["ledgerBatch", { name: "batch", type: "histogram", help, labels: {}, buckets: [1] }],
]);

const lines = `requests_total{api="a \\"b\\" \\\\ c",status="x"} 2
requests_total{status="y"} 1
cost_usd_total 0.0000015
heap_bytes 12.5
call_seconds_bucket{model="m",le="0.5"} 1
call_seconds_bucket{model="m",le="2.0"} 2
call_seconds_bucket{model="m",le="4.194304e+06"} 2
call_seconds_bucket{model="m",le="+Inf"} 3
call_seconds_sum{model="m"} 5000001.75
call_seconds_count{model="m"} 3
batch_bucket{le="1.0"} 0
batch_bucket{le="+Inf"} 1
batch_sum 7
batch_count 1`;

Deno.test("writeMetrics writes each line of a sample, with what was counted since the last time", () => {
  const registry = new MetricRegistry(table);
  const values = () =>
    runNow(writeMetrics(registry, "prometheus")).split("\n").filter((line) => !line.startsWith("#")).join(
      "\n",
    );
  registry.at("requests", { api: 'a "b" \\ c', status: "x" }).add();
  registry.at("requests", { status: "y" }).add();
  registry.at("cost").add(1_500);
  registry.at("heap").set(12.5);
  registry.at("ledgerBatch").observe(7);
  for (const value of [0.25, 1.5]) registry.at("callDuration", { model: "m" }).observe(value);
  assert.notEqual(values(), `${lines}\n`);
  registry.at("requests", { api: 'a "b" \\ c', status: "x" }).add();
  registry.at("callDuration", { model: "m" }).observe(5_000_000);
  assert.equal(values(), `${lines}\n`);
  assert.equal(values(), `${lines}\n`);
  const open = runNow(writeMetrics(registry, "openmetrics"));
  assert.equal(open.split("\n").filter((line) => !line.startsWith("#")).join("\n"), `${lines}\n`);
  assert.match(
    open,
    /^# HELP call_seconds Of a\\\\b\.\n# TYPE call_seconds histogram\n# UNIT call_seconds seconds$/m,
  );
  assert(open.endsWith("\n# EOF\n"));
});
