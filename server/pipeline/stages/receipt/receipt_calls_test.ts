import assert from "node:assert/strict";
import { testEndpoint } from "../../../../tests/support/endpoint.ts";
import { toNanoUsd, ZERO } from "../../../../shared/money.ts";
import type { CallCost } from "../../request_record.ts";
import { RequestRecord } from "../../request_record.ts";
import { chargeLines, receiptCalls } from "./receipt_calls.ts";

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

const timing = { startedAt: 0, now: 1_000 };

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
