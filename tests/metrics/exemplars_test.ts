/** Exemplars: in OpenMetrics, buckets of durations name the trace of their newest request, as Python's library reads it. */

import assert from "node:assert/strict";
import type { Receipt } from "../../shared/receipts.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { GatewayMetrics } from "../../server/metrics/gateway_metrics.ts";
import type { GenAiNames } from "../../server/metrics/series_row.ts";
import { writeMetrics } from "../../server/metrics/write_metrics.ts";
import { exemplarsInPython } from "../support/prometheus.ts";
import { receiptWith } from "../support/receipts.ts";

/** Metrics that count receipts of a catalog with one model. */
function rig(spelling: GenAiNames) {
  const metrics = new GatewayMetrics(spelling);
  const listeners: ((receipt: Receipt) => void)[] = [];
  const endpoints = [{ model: { id: "mock/model" }, provider: { id: "mock", name: "mock" } }];
  metrics.follow({
    ledger: {
      follow: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    },
    catalog: () => ({ endpoints }),
    overload: { onLook: () => {} },
  });
  const count = (receipt: Receipt) => listeners.forEach((listener) => listener(receipt));
  return { metrics, count };
}

const traceId = (name: string): string => name.repeat(32).slice(0, 32);

/** Requests in their order: trace, whole time and time until the first chunk in ms. */
const requests = [
  ["a", 300, 120],
  ["b", 310, 130],
  [undefined, 305, 125],
  ["c", 90_000, 40],
] as const;

Deno.test("buckets of durations name the trace of their newest request in OpenMetrics, in both spellings", async () => {
  for (const spelling of ["v1.41", "latest"] as const) {
    const { metrics, count } = rig(spelling);
    for (const [trace, total_ms, latency_ms] of requests) {
      const receipt = receiptWith({ total_ms, latency_ms, streamed: true });
      if (trace !== undefined) metrics.traces.note(receipt.id, traceId(trace));
      count(receipt);
    }
    const text = (format: "prometheus" | "openmetrics") => runNow(writeMetrics(metrics.registry, format));
    assert.doesNotMatch(text("prometheus"), /trace_id/);
    const open = text("openmetrics");
    assert.equal(open.match(/ # \{trace_id=/g)?.length, 6);
    assert.doesNotMatch(text("prometheus"), /trace_id/);
    const read = await exemplarsInPython(open);
    if (read === undefined) continue;
    const call = spelling === "latest" ? "gen_ai_client_inference" : "gen_ai_client_operation";
    assert.deepEqual(
      read.map(({ name, exemplar, value }) => [name, exemplar, value]),
      [
        [`${call}_duration_seconds_bucket`, { trace_id: traceId("b") }, 0.31],
        [`${call}_duration_seconds_bucket`, { trace_id: traceId("c") }, 90],
        [`${call}_time_to_first_chunk_seconds_bucket`, { trace_id: traceId("c") }, 0.04],
        [`${call}_time_to_first_chunk_seconds_bucket`, { trace_id: traceId("b") }, 0.13],
        ["tollgate_request_duration_seconds_bucket", { trace_id: traceId("b") }, 0.31],
        ["tollgate_request_duration_seconds_bucket", { trace_id: traceId("c") }, 90],
      ],
    );
    for (const { labels, value, at } of read) {
      assert.ok(value <= (labels.le === "+Inf" ? Infinity : Number(labels.le)));
      assert.equal(at, Date.UTC(2026, 0, 14, 12, 0, 0, 500) / 1_000);
    }
  }
});

Deno.test("traces of receipts that are never counted are forgotten", () => {
  const { metrics, count } = rig("v1.41");
  const first = receiptWith({ streamed: false });
  metrics.traces.note(first.id, traceId("a"));
  for (let at = 0; at < 10_000; at++) metrics.traces.note(`gen-lost-${at}`, traceId("b"));
  count(first);
  assert.doesNotMatch(runNow(writeMetrics(metrics.registry, "openmetrics")), /trace_id/);
  assert.equal(metrics.traces.take("gen-lost-9999"), traceId("b"));
  assert.equal(metrics.traces.take("gen-lost-9999"), undefined);
});
