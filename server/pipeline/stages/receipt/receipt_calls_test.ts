import assert from "node:assert/strict";
import { testEndpoint } from "../../../../tests/support/endpoint.ts";
import { toNanoUsd, ZERO } from "../../../../shared/money.ts";
import type { CallCost } from "../../request_record.ts";
import { RequestRecord } from "../../request_record.ts";
import { chargeLines, madeCalls, receiptCalls } from "./receipt_calls.ts";

const endpoint = testEndpoint();

function costOf(nano: number): CallCost {
  const usage = {
    inputTokens: nano,
    outputTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: false,
  };
  const charge = {
    total: toNanoUsd(nano),
    input: toNanoUsd(nano),
    output: ZERO,
    tools: ZERO,
    cacheDiscount: ZERO,
    by: "list" as const,
    estimated: false,
    lines: [{ rate: "prompt" as const, side: "input" as const, quantity: nano, unitPrice: "0.000000001" }],
  };
  return { endpoint, usage, charge };
}

function recordOf(calls: number): RequestRecord {
  const record = new RequestRecord();
  record.first.callCosts.push(costOf(1));
  record.first.finish({ status: "completed", at: 10 });
  for (let step = 2; step <= calls; step++) {
    const call = record.openCall({ step, purpose: "model", startedAt: step });
    call.callCosts.push(costOf(step));
    call.finish({ status: "completed", at: step + 5 });
  }
  return record;
}

const timing = { startedAt: 0, now: 1_000, status: "completed" } as const;

Deno.test("a request that was one call has no list of calls, and its lines name none", () => {
  const record = recordOf(1);
  assert.equal(receiptCalls(record, timing), undefined);
  assert.deepEqual(chargeLines(record), [{ rate: "prompt", quantity: 1, unit_price: "0.000000001" }]);
});

Deno.test("each call is named with its cost, and each line names its call", () => {
  const record = recordOf(2);
  record.openCall({ step: 2, purpose: "tool:datetime", startedAt: 990 });
  const { id } = endpoint.model;
  const { name } = endpoint.provider;
  assert.deepEqual(receiptCalls(record, timing), [
    { step: 1, purpose: "model", model: id, provider: name, status: "completed", latency_ms: 10, cost: 1 },
    { step: 2, purpose: "model", model: id, provider: name, status: "completed", latency_ms: 5, cost: 2 },
    {
      step: 2,
      purpose: "tool:datetime",
      model: null,
      provider: null,
      status: "cancelled",
      latency_ms: 10,
      cost: 0,
    },
  ]);
  assert.deepEqual(chargeLines(record).map(({ call }) => call), [0, 1]);
});

Deno.test("calls beyond a hundred are summed up, and so are their lines", () => {
  const record = recordOf(150);
  const calls = receiptCalls(record, timing) ?? [];
  const lines = chargeLines(record);
  const all = 150 * 151 / 2;
  assert.equal(calls.length, 100);
  assert.equal(calls.at(-1)?.purpose, "other");
  assert.equal(calls.at(-1)?.count, 51);
  assert.equal(calls.reduce((sum, { cost }) => sum + cost, 0), all);
  assert.equal(lines.length, 100);
  assert.equal(lines.reduce((sum, { quantity }) => sum + quantity, 0), all);
  for (const [index, line] of lines.entries()) {
    assert.equal(line.call, index);
    assert.equal(line.quantity, calls[index]?.cost, "a line's call has its cost");
  }
});

Deno.test("a turn that is open ends as its request does, and one that was not asked is left out", () => {
  for (const status of ["completed", "incomplete", "failed", "cancelled"] as const) {
    const record = new RequestRecord();
    record.first.callCosts.push(costOf(1));
    record.openCall({ step: 1, purpose: "plugin:web", startedAt: 0 }).finish({ status: "failed", at: 1 });
    const calls = receiptCalls(madeCalls(record), { ...timing, status });
    assert.deepEqual(calls?.map((call) => call.status), [status, "failed"]);
  }
  const refused = new RequestRecord();
  const judged = refused.openCall({ step: 1, purpose: "plugin:moderation", startedAt: 0 });
  judged.callCosts.push(costOf(3));
  judged.finish({ status: "completed", at: 1 });
  const made = madeCalls(refused);
  const calls = receiptCalls(made, { ...timing, status: "refused" });
  assert.deepEqual(calls?.map(({ purpose, cost }) => [purpose, cost]), [["plugin:moderation", 3]]);
  assert.deepEqual(chargeLines(made).map(({ call }) => call), [0]);
});
