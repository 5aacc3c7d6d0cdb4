/** Random receipts: a journal batch gives back what was encoded into it. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { appendChecksum } from "../../server/billing/ledger/journal/batch_checksum.ts";
import {
  batchKey,
  type CloseEntry,
  decodeBatch,
  encodeEntry,
} from "../../server/billing/ledger/journal/journal_batch.ts";
import { type Receipt, receiptStatuses } from "../../shared/receipts.ts";
import { taskTypes } from "../../shared/task_types.ts";
import { KEY_A, KEY_B } from "../support/receipts.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const text = fc.oneof(fc.constantFrom("", "acme", "acme/one", "0"), fc.string({ unit: "binary" }));
const name = fc.option(text);
const amount = fc.maxSafeInteger();
const amountOrNull = fc.option(amount);
const quantity = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
/** As the gateway writes it, and in the other forms that the schema allows. */
const moment = fc.oneof(
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z") })
    .map((date) => date.toISOString()),
  fc.constantFrom("2026-01-14T12:00:00Z", "2026-01-14T12:00:00.5Z"),
);

const attempt: fc.Arbitrary<Receipt["attempts"][number]> = fc.record({
  endpoint_id: text,
  model: text,
  provider: text,
  status: fc.nat(599),
  code: text,
  latency_ms: quantity,
  is_byok: fc.boolean(),
  why: text,
}, { requiredKeys: ["endpoint_id", "model", "provider", "status", "latency_ms", "is_byok"] });

const tokens = fc.nat();
const usage: fc.Arbitrary<Receipt["usage"]> = fc.oneof(
  fc.record({
    input_tokens: tokens,
    output_tokens: tokens,
    cached_tokens: tokens,
    cache_write_tokens: tokens,
    reasoning_tokens: tokens,
  }),
  fc.dictionary(fc.constantFrom("input_tokens", "output_tokens", "web_searches", "x"), quantity),
);

/** A generation's id and its request's, which are alike, or are not. */
const ids = fc.oneof(
  text.map((id) => ({ id: `gen-${id}`, request_id: `req_${id}` })),
  fc.record({ id: text, request_id: text }),
);

const call: fc.Arbitrary<NonNullable<Receipt["calls"]>[number]> = fc.record({
  step: fc.integer({ min: 1 }),
  purpose: text,
  model: name,
  provider: name,
  status: fc.constantFrom("completed", "incomplete", "failed", "cancelled"),
  latency_ms: quantity,
  cost: amount,
  count: fc.integer({ min: 1 }),
}, { requiredKeys: ["step", "purpose", "model", "provider", "status", "latency_ms", "cost"] });

const routeInput: fc.Arbitrary<NonNullable<Receipt["route_input"]>> = fc.record({
  tokens: fc.nat(),
  max_tokens: fc.integer({ min: 1 }),
  sticky: fc.constantFrom("session_id", "prompt_cache_key", "prefix"),
  models: fc.array(text),
  requires: fc.array(text),
  preferences: fc.dictionary(fc.constantFrom("order", "only"), fc.array(text)),
  cut: fc.array(text),
}, { requiredKeys: ["tokens"] });

/** Fields that a receipt may lack. */
const optionalFields = fc.record({
  self_test: fc.constant(true as const),
  stands_for: fc.integer({ min: 1 }),
  unpriced_tier: fc.constant(true as const),
  calls: fc.array(call, { maxLength: 3 }),
  route_input: routeInput,
  router: text,
  task: fc.constantFrom(...taskTypes),
  preset: fc.record({
    id: fc.uuid(),
    slug: fc.constantFrom("a", "support_2"),
    version: fc.integer({ min: 1 }),
  }),
}, { requiredKeys: [] });

const otherFields = fc.record({
  api: text,
  key_hash: fc.constantFrom(KEY_A, KEY_B),
  workspace_id: fc.uuid(),
  status: fc.constantFrom(...receiptStatuses),
  created_at: moment,
  ended_at: moment,
  streamed: fc.boolean(),
  requested_model: name,
  model: name,
  provider: name,
  endpoint_id: name,
  upstream_id: name,
  finish_reason: name,
  error: fc.option(fc.record({ kind: text, status: fc.nat(599), message: text })),
  attempts: fc.array(attempt, { maxLength: 3 }),
  usage,
  estimated: fc.boolean(),
  lines: fc.array(
    fc.record({ rate: text, quantity, unit_price: text, call: fc.nat() }, {
      requiredKeys: ["rate", "quantity", "unit_price"],
    }),
    { maxLength: 3 },
  ),
  price_source: fc.option(fc.record({ name: text, date: text })),
  unpriced: fc.boolean(),
  reserved: amount,
  cost: amount,
  upstream_cost: amount,
  input_cost: amount,
  output_cost: amount,
  server_tool_cost: amount,
  reported_cost: amountOrNull,
  cache_discount: amountOrNull,
  overrun: amount,
  is_byok: fc.boolean(),
  output_cap: amountOrNull,
  service_tier: name,
  latency_ms: fc.option(quantity),
  total_ms: quantity,
  user: name,
  session_id: name,
  external_user: name,
  http_referer: name,
  app_title: name,
  user_agent: name,
  trace: fc.option(fc.dictionary(fc.constantFrom("trace_id", "deep"), fc.jsonValue(), { maxKeys: 2 })),
});

const receipt: fc.Arbitrary<Receipt> = fc.tuple(ids, otherFields, optionalFields)
  .map(([names, others, optional]) => ({ ...names, ...others, ...optional }));

const close: fc.Arbitrary<CloseEntry> = fc.record({
  receipt,
  at: fc.nat(),
  scopes: fc.option(fc.array(text, { maxLength: 4 })),
  cost: amount,
  byok: amount,
}).map(({ receipt, scopes, ...rest }) => {
  const { key_hash, workspace_id } = receipt;
  const fallback = [`key:${key_hash}`, `workspace:${workspace_id}`, "account"];
  return { type: "close", ...rest, scopes: scopes ?? fallback, receipt };
});

Deno.test(`a journal batch gives back the receipts that were encoded into it (seed ${seed})`, () => {
  assertProperty(
    fc.property(fc.array(close, { minLength: 1, maxLength: 4 }), (entries) => {
      const batch = `{"entries":[${entries.map(encodeEntry).join(",")}],"group":"g","low":1,"at":1}`;
      const stored = { key: batchKey("one", 1), value: appendChecksum(batch), version: "" };
      assert.deepEqual(decodeBatch(stored).entries, JSON.parse(JSON.stringify(entries)));
    }),
    { numRuns: runs(300), seed },
  );
});
