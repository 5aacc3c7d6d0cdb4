import assert from "node:assert/strict";
import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { billParts, formatBill } from "./bill.ts";
import { waterfall } from "./receipt.ts";
import { requestState, shownMoment, triesBefore } from "./receipt_state.ts";

type Attempt = ReceiptRecord["attempts"][number];

const attempt = (changes: Partial<Attempt>): Attempt => ({
  endpoint_id: "one",
  model: "mock/model",
  provider: "One",
  status: 200,
  latency_ms: 100,
  is_byok: false,
  ...changes,
});

/** As much of a receipt as the panel draws. */
const receipt = (changes: Partial<ReceiptRecord>) =>
  asReceipt({
    attempts: [],
    latency_ms: null,
    total_ms: 0,
    lines: [],
    status: "completed",
    error: null,
    ...changes,
  });

function asReceipt(fields: Partial<ReceiptRecord>): ReceiptRecord {
  return fields as ReceiptRecord;
}

const spansOf = (one: ReceiptRecord) =>
  waterfall(one).map(({ spans }) => spans.map(({ tone, from, to }) => `${tone} ${from} ${to}`));

Deno.test("waterfall puts attempts after each other; the answer begins with the first chunk", () => {
  const fallen = receipt({
    attempts: [attempt({ status: 429, latency_ms: 190 }), attempt({ latency_ms: 400 })],
    latency_ms: 590,
    total_ms: 900,
  });
  assert.deepEqual(spansOf(fallen), [["failed 0 190"], ["waiting 190 590", "streaming 590 900"]]);
  assert.equal(triesBefore(fallen), 1);
});

Deno.test("waterfall never leaves the time of the request", () => {
  const cases = [
    receipt({ attempts: [attempt({ status: 0, latency_ms: 5_000 })], total_ms: 1_000 }),
    receipt({ attempts: [attempt({ latency_ms: 0 })], latency_ms: 0, total_ms: 0 }),
    receipt({
      attempts: [attempt({}), attempt({ code: "cut", status: 200 })],
      latency_ms: 40,
      total_ms: 150,
    }),
  ];
  for (const one of cases) {
    for (const { spans, ms } of waterfall(one)) {
      assert(ms >= 0);
      for (const { from, to } of spans) assert(from >= 0 && from < to && to <= one.total_ms);
    }
  }
});

Deno.test("billParts keeps the calls apart, and each line to the nano-USD", () => {
  const call = {
    step: 1,
    purpose: "model",
    model: "m",
    provider: "p",
    status: "completed",
    latency_ms: 1,
    cost: 0,
  };
  const bill = billParts(receipt({
    lines: [
      { rate: "prompt", quantity: 11_456, unit_price: "0.00000015", call: 0 },
      { rate: "completion", quantity: 1, unit_price: "0.0000000001", call: 0 },
      { rate: "web_search", quantity: 2, unit_price: "broken", call: 1 },
    ],
    calls: [{ ...call, status: "completed" }, { ...call, status: "completed", purpose: "tool:web_search" }],
  }));
  assert.deepEqual(bill.map(({ call, lines }) => [call?.purpose, lines.map(({ cost }) => cost)]), [
    ["model", [0.0017184, 0.000000001]],
    ["tool:web_search", [null]],
  ]);
  assert.deepEqual([0.0017184, 0.000000001, 0.0025, 12].map(formatBill), [
    "$0.0017184",
    "$0.000000001",
    "$0.002500",
    "$12.000000",
  ]);
});

Deno.test("requestState says status, the error's number, and how many it stands for", () => {
  const error = { kind: "payment_required", status: 402, message: "" };
  assert.equal(requestState(receipt({ status: "refused", error, stands_for: 40 })).text, "Refused 402 × 40");
  assert.equal(requestState(receipt({})).text, "Completed");
});

Deno.test("shownMoment is the beginning, and the last end of several that one receipt stands for", () => {
  const moments = { created_at: "2026-01-01T00:00:00.000Z", ended_at: "2026-01-01T00:05:00.000Z" };
  const shown = [undefined, 1, 2].map((count) =>
    shownMoment(receipt(count === undefined ? moments : { ...moments, stands_for: count }))
  );
  assert.deepEqual(shown, [moments.created_at, moments.created_at, moments.ended_at]);
});
