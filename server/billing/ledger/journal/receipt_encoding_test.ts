import assert from "node:assert/strict";
import { type Receipt, receiptSchema } from "../../../../shared/receipts.ts";
import { KEY_A, KEY_B, receiptWith, WORKSPACE } from "../../../../tests/support/receipts.ts";
import { StoreError } from "../../../storage/stores/store.ts";
import { appendChecksum } from "./batch_checksum.ts";
import { batchKey, type CloseEntry, decodeBatch, encodeEntry, parseBatch } from "./journal_batch.ts";
import { decodeReceipt, encodeReceipt } from "./receipt_encoding.ts";

const AT = Date.UTC(2026, 0, 14, 12);
const KEY = batchKey("01a201aba0ec7443bb29148b2fd05c7a", 123_456);

function entryOf(receipt: Receipt, changes: Partial<CloseEntry> = {}): CloseEntry {
  const scopes = [`key:${KEY_A}`, `workspace:${WORKSPACE}`, "account"];
  return { type: "close", at: AT, scopes, cost: receipt.cost, byok: 0, receipt, ...changes };
}

const readAgain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The row of a batch with these entries, each as JSON. */
function storedBatch(entries: readonly string[]) {
  const rest = `"group":"01a201aba0ec7443bb29148b2fd05c7b","low":123456,"at":${AT},"behind":true`;
  return { key: KEY, value: appendChecksum(`{"entries":[${entries.join(",")}],${rest}}`), version: "" };
}

/** Encodes entries, and decodes them as a reader does. */
const again = (...entries: readonly CloseEntry[]): readonly unknown[] =>
  decodeBatch(storedBatch(entries.map(encodeEntry))).entries;

/** As the gateway itself writes it for a call that went well. */
const fallback = receiptWith({
  id: "gen-01a201aba0ec7443bb29148b2fd05c79",
  request_id: "req_01a201aba0ec7443bb29148b2fd05c79",
  requested_model: "anthropic/claude-sonnet-4.5",
  model: "anthropic/claude-sonnet-4.5",
  provider: "anthropic",
  endpoint_id: "anthropic|anthropic/claude-sonnet-4.5|claude-sonnet-4-5-20250929",
  upstream_id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
  user_agent: "OpenAI/JS 6.48.0",
  attempts: [{
    endpoint_id: "anthropic|anthropic/claude-sonnet-4.5|claude-sonnet-4-5-20250929",
    model: "anthropic/claude-sonnet-4.5",
    provider: "anthropic",
    status: 200,
    latency_ms: 120.25,
    is_byok: false,
    why: "1 of 3 that may serve",
  }],
  usage: {
    input_tokens: 100,
    output_tokens: 20,
    cached_tokens: 10,
    cache_write_tokens: 0,
    reasoning_tokens: 5,
  },
  route_input: { tokens: 110, max_tokens: 1_024 },
  task: "code:general_impl",
});
const [attempt] = fallback.attempts;
assert.ok(attempt);

/** A row of more bytes is continued in pages of its own. */
const ROW_BYTES = 1_000;

Deno.test("the row of a lone receipt stays in a page of the store", () => {
  const { key, value } = storedBatch([encodeEntry(entryOf(fallback))]);
  const bytes = JSON.stringify(key).length + value.length;
  assert.ok(bytes < ROW_BYTES, `${bytes} bytes`);
});

const unlike: readonly Partial<Receipt>[] = [
  {},
  { id: "odd", request_id: "req_other", api: "chat", key_hash: KEY_B, self_test: true },
  {
    status: "failed",
    finish_reason: null,
    error: { kind: "internal", status: 500, message: "\u{1f600} „x“" },
  },
  { created_at: "2026-01-14T12:00:00.001Z", ended_at: "2026-01-14T11:59:59.000Z" },
  { created_at: "2026-01-14T12:00:00Z", ended_at: "2026-01-14T12:00:00.5Z" },
  { requested_model: null, model: null, provider: null, endpoint_id: null, upstream_id: null, attempts: [] },
  { requested_model: "auto", streamed: true, estimated: true, unpriced: true, is_byok: true },
  { attempts: [attempt, { ...attempt, why: undefined }, { ...attempt, status: 500, code: "cut" }] },
  { attempts: [{ ...attempt, is_byok: true }, { ...attempt, provider: "other" }] },
  { usage: {}, lines: [] },
  { usage: { input_tokens: 1, output_tokens: 2 } },
  {
    usage: {
      reasoning_tokens: 1,
      cached_tokens: 2,
      cache_write_tokens: 3,
      output_tokens: 4,
      input_tokens: 5,
    },
  },
  { usage: { ...fallback.usage, web_searches: 2 } },
  { lines: [{ rate: "request", quantity: 0.5, unit_price: "0" }], price_source: null },
  { cost: 0, upstream_cost: 7, input_cost: 1, server_tool_cost: 2, output_cost: 3, overrun: 4, reserved: 0 },
  { reported_cost: 0, cache_discount: -5, output_cap: 256, service_tier: "flex", latency_ms: null },
  { latency_ms: 0.25, total_ms: 0, user: "", session_id: "s", external_user: "e", http_referer: "r" },
  { stands_for: 3 },
  { unpriced_tier: true },
  { router: "service/auto", task: "code:debugging" },
  { preset: { id: "0199f5a2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", slug: "support", version: 3 } },
  {
    calls: [
      { step: 1, purpose: "model", model: "m", provider: "p", status: "completed", latency_ms: 1, cost: 5 },
      {
        step: 1,
        purpose: "tool:datetime",
        model: null,
        provider: null,
        status: "failed",
        latency_ms: 0,
        cost: 0,
      },
      {
        step: 2,
        purpose: "other",
        model: null,
        provider: null,
        status: "cancelled",
        latency_ms: 2,
        cost: 0,
        count: 7,
      },
    ],
    lines: [{ rate: "prompt", quantity: 1, unit_price: "0.1", call: 0 }],
    route_input: { tokens: 3 },
  },
  {
    route_input: {
      tokens: 3,
      max_tokens: 5,
      sticky: "prefix",
      requires: ["image"],
      models: ["a", "b"],
      preferences: { sort: null },
      cut: ["x"],
    },
  },
  {
    guardrails: [
      {
        id: "11111111-1111-4111-8111-111111111111",
        action: "redacted",
        slug: "email",
        side: "input",
        count: 2,
      },
      { id: "11111111-1111-4111-8111-111111111111", action: "blocked", label: "x", side: "output", count: 1 },
    ],
  },
  { app_title: "t", user_agent: "a", trace: { trace_id: "x", deep: [{ at: null }] } },
];

for (const [at, changes] of unlike.entries()) {
  Deno.test(`a batch gives back the receipt that was encoded into it (${at})`, () => {
    // What a receipt leaves out is not in its JSON either.
    const entry: CloseEntry = JSON.parse(JSON.stringify(entryOf({ ...fallback, ...changes })));
    assert.deepEqual(again(entry), [entry]);
  });
}

Deno.test("a batch gives back several receipts in their order", () => {
  const entries: readonly CloseEntry[] = unlike.map((changes) =>
    JSON.parse(JSON.stringify(entryOf({ ...fallback, ...changes })))
  );
  assert.deepEqual(again(...entries), entries);
});

Deno.test("a batch gives back scopes and amounts that differ from the receipt's", () => {
  const scopes = ["key:other", `workspace:${WORKSPACE}`, "guardrail:x:y", "account"];
  for (const changes of [{ scopes }, { scopes: [] }, { cost: 1 }, { byok: 5 }, { at: AT + 1 }]) {
    const entry = entryOf(fallback, changes);
    assert.deepEqual(again(entry), [entry]);
  }
});

/** Fields with a form of their own. */
const coded: readonly string[] = ["attempts", "lines", "usage", "calls", "route_input", "guardrails", "task"];

Deno.test("encodeReceipt gives each field of a receipt a place", () => {
  for (const name of Object.keys(receiptSchema.shape)) {
    const receipt = { ...fallback, [name]: `odd ${name}` } as unknown as Receipt;
    if (coded.includes(name)) continue;
    assert.equal(decodeReceipt(readAgain(encodeReceipt(receipt)))[name], `odd ${name}`);
  }
});

Deno.test("decodeReceipt reads a field that an earlier build did not have as absent", () => {
  const shorter = encodeReceipt({ ...fallback, stands_for: 3 }).slice(0, -1);
  const { task: _, ...without } = fallback;
  assert.deepEqual(decodeReceipt(readAgain(shorter)), { ...without, stands_for: 3 });
});

const encoded = encodeReceipt(fallback);
const broken: readonly unknown[] = [
  null,
  "text",
  {},
  [],
  encoded.map((value) => Array.isArray(value) ? 0 : value),
  encoded.map((value) => Array.isArray(value) ? [0, null] : value),
  encoded.map((value) => typeof value === "string" ? 0 : value),
  encoded.map((value) => typeof value === "number" ? null : value),
  encoded.slice(1),
  encoded.slice(0, 20),
];

for (const [at, receipt] of broken.entries()) {
  Deno.test(`a receipt that is broken is refused, and its entry still counts (${at})`, () => {
    const { receipt: _, ...close } = entryOf(fallback);
    const stored = storedBatch([JSON.stringify({ ...close, receipt })]);
    assert.throws(
      () => decodeBatch(stored),
      (error) =>
        error instanceof StoreError && error.kind === "corrupt" && / does not fit$/.test(error.message),
    );
    const [entry] = Object(parseBatch(stored)).entries;
    assert.deepEqual({ ...entry, receipt }, { ...close, receipt });
    assert.equal(receiptSchema.safeParse(entry.receipt).success, false);
  });
}
