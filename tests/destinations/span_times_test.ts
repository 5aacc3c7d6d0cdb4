/** Times of the spans that destinations are sent: each holds its first chunk, whatever its receipt says. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { otlpBody } from "../../server/management/destinations/otlp_body.ts";
import { type Receipt, receiptStatuses } from "../../shared/receipts.ts";
import { assertProperty, runs } from "../support/property.ts";
import { receiptWith } from "../support/receipts.ts";
import { attributesOf, spansOf } from "./destination_calls.ts";

const switches = {
  privacy_mode: false,
  broadcast_generation_cost: false,
  broadcast_generation_identity: false,
  broadcast_generation_request_context: false,
};

/** Times of the span of a receipt: nanoseconds, and the ms that its attribute has. */
function timesOf(changes: Partial<Receipt>) {
  const body = otlpBody([receiptWith(changes)], switches);
  const [span = {}] = spansOf({ method: "POST", path: "/", headers: {}, body });
  const first = attributesOf(span).get("tollgate.time_to_first_chunk_ms");
  return {
    start: BigInt(String(span.startTimeUnixNano)),
    end: BigInt(String(span.endTimeUnixNano)),
    firstMs: first === undefined ? undefined : Number(first),
  };
}

/** To a hundredth, as the gateway writes them. */
const ms = fc.nat(1_000_000_000).map((hundredths) => hundredths / 100);
const moment = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("2200-01-01T00:00:00Z") })
  .map((date) => date.toISOString());

/** Also of clocks that were set, and of versions and machines that counted otherwise. */
const receipts: fc.Arbitrary<Partial<Receipt>> = fc.record({
  status: fc.constantFrom(...receiptStatuses),
  created_at: moment,
  ended_at: moment,
  latency_ms: fc.option(ms),
  total_ms: ms,
  stands_for: fc.integer({ min: 1, max: 1_000 }),
}, { requiredKeys: ["status", "created_at", "ended_at", "latency_ms", "total_ms"] });

Deno.test("no span ends before it begins or before its first chunk, whatever a receipt says", () => {
  assertProperty(
    fc.property(receipts, (changes) => {
      const { start, end, firstMs } = timesOf(changes);
      assert.ok(start <= end);
      assert.equal(firstMs, changes.latency_ms ?? undefined);
      // As a reader finds it out, who has the length of the span in milliseconds.
      assert.ok((firstMs ?? 0) <= Number(end - start) / 1_000_000);
    }),
    { numRuns: runs(1_000) },
  );
});

const CREATED = "2026-01-14T12:00:00.250Z";
const START = "1768392000250";

type Row = readonly [string, Partial<Receipt>, string];
/** Receipts, and the end of their span in nanoseconds after the beginning. */
const rows: readonly Row[] = [
  ["whole answer", { latency_ms: 120.25, total_ms: 500 }, "500000000"],
  ["within a millisecond", { latency_ms: 0.41, total_ms: 0.43 }, "430000"],
  ["first chunk and end in one", { latency_ms: 12.34, total_ms: 12.34 }, "12340000"],
  ["measured from before the beginning", { latency_ms: 9.99, total_ms: 9.98 }, "9990000"],
  ["cancelled before its first chunk", { status: "cancelled", latency_ms: null, total_ms: 3.5 }, "3500000"],
  ["interrupted", { status: "interrupted", latency_ms: null, total_ms: 0 }, "0"],
  ["clock set back", { ended_at: "2026-01-14T11:00:00.000Z", total_ms: 500 }, "500000000"],
  ["clock set forward", { ended_at: "2026-01-15T12:00:00.000Z", total_ms: 500 }, "500000000"],
  ["an hour", { total_ms: 3_600_000.01 }, "3600000010000"],
];

Deno.test("a span begins with its request and is as long as the request has taken", () => {
  for (const [name, changes, length] of rows) {
    const { start, end } = timesOf({ created_at: CREATED, ...changes });
    assert.deepEqual([String(start), String(end - start)], [`${START}000000`, length], name);
  }
});
