import assert from "node:assert/strict";
import { type Receipt, receiptSchema } from "../../../shared/receipts.ts";
import { KEY_A, KEY_B, receiptWith, WORKSPACE } from "../../../tests/support/receipts.ts";
import type { CloseEntry } from "./journal_batch.ts";
import { closeDecoder, encodeClose, type EncodedClose } from "./packed_close.ts";
import { halves } from "./packed_fields.ts";

const AT = Date.UTC(2026, 0, 14, 12);

function entryOf(receipt: Receipt, changes: Partial<CloseEntry> = {}): CloseEntry {
  const scopes = [`key:${KEY_A}`, `workspace:${WORKSPACE}`, "account"];
  return { type: "close", at: AT, scopes, cost: receipt.cost, byok: 0, receipt, ...changes };
}

/** What a reader makes of what is written. */
const again = (entry: CloseEntry): unknown => unpackedClose(readAgain(encodeClose(entry)));
const unpackedClose = (packed: EncodedClose) => closeDecoder()(packed);
const readAgain = (packed: EncodedClose): EncodedClose => JSON.parse(JSON.stringify(packed));

/** The same of entries that stand in one block. */
function allAgain(entries: readonly CloseEntry[]): readonly unknown[] {
  const packed = entries.map((entry, at) => encodeClose(entry, entries[at - 1]?.receipt));
  return packed.map(readAgain).map(closeDecoder());
}

/** As the gateway itself writes it for a call that went well. */
const usual = receiptWith({
  id: "gen-01a201aba0ec7443bb29148b2fd05c79",
  request_id: "req_01a201aba0ec7443bb29148b2fd05c79",
  upstream_id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
  user_agent: "OpenAI/JS 6.48.0",
  usage: {
    input_tokens: 100,
    output_tokens: 20,
    cached_tokens: 10,
    cache_write_tokens: 0,
    reasoning_tokens: 5,
  },
});
const [attempt] = usual.attempts;
assert.ok(attempt);

Deno.test("packedClose takes no more room than stays in a page of the store", () => {
  const text = JSON.stringify(encodeClose(entryOf(usual)));
  assert.ok(text.length < 600, `${text.length} bytes: ${text}`);
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
  { usage: { ...usual.usage, web_searches: 2 } },
  { lines: [{ rate: "request", quantity: 0.5, unit_price: "0" }], price_source: null },
  { cost: 0, upstream_cost: 7, input_cost: 1, server_tool_cost: 2, output_cost: 3, overrun: 4, reserved: 0 },
  { reported_cost: 0, cache_discount: -5, output_cap: 256, service_tier: "flex", latency_ms: null },
  { latency_ms: 0.25, total_ms: 0, user: "", session_id: "s", external_user: "e", http_referer: "r" },
  { stands_for: 3 },
  { unpriced_tier: true },
  { app_title: "t", user_agent: "a", trace: { trace_id: "x", deep: [{ at: null }] } },
];

for (const [at, changes] of unlike.entries()) {
  Deno.test(`unpackedClose gives back what packedClose was given (${at})`, () => {
    // What a receipt leaves out is not in its JSON either.
    const entry: CloseEntry = JSON.parse(JSON.stringify(entryOf({ ...usual, ...changes })));
    assert.deepEqual(again(entry), entry);
  });
}

Deno.test("packedClose says little of a receipt that is like the one before", () => {
  const next = {
    ...usual,
    id: usual.id.replace("5c79", "5c80"),
    request_id: usual.request_id.replace("5c79", "5c80"),
  };
  const changed = {
    latency_ms: 7.25,
    total_ms: 8.5,
    upstream_id: usual.upstream_id?.replace("PeG", "Pe0") ?? null,
  };
  const lines = usual.lines.map((line) => ({ ...line, quantity: line.quantity + 1 }));
  const entries = [entryOf(usual), entryOf({ ...next, ...changed, lines })];
  const text = JSON.stringify(encodeClose(entryOf({ ...next, ...changed, lines }), usual));
  assert.ok(text.length < 200, `${text.length} bytes: ${text}`);
  assert.deepEqual(allAgain(entries), entries);
});

Deno.test("unpackedClose gives back receipts in one block, whatever stands before each", () => {
  // What a receipt leaves out is not in its JSON either.
  const all: readonly CloseEntry[] = unlike.map((changes) =>
    JSON.parse(JSON.stringify(entryOf({ ...usual, ...changes })))
  );
  for (const first of all) {
    const entries = all.flatMap((entry) => [first, entry, entry, entry]);
    assert.deepEqual(allAgain(entries), entries);
  }
});

Deno.test("unpackedClose reads what earlier builds have written", () => {
  const next = {
    ...usual,
    id: "gen-next",
    request_id: "req_next",
    attempts: [{ ...attempt, latency_ms: 9 }],
  };
  const entries = [usual, next, { ...next, id: "gen-last", request_id: "req_last" }].map((one) =>
    entryOf(one)
  );
  // They told the marks with every receipt, and always had a list of attempts.
  let marks: unknown;
  const packed = entries.map((entry, at) => {
    const [moment, scopes, cost, byok, told, ...values] = encodeClose(entry, entries[at - 1]?.receipt);
    marks = told === 0 ? marks : told;
    return [moment, scopes, cost, byok, marks, ...values.map((value) => value === 9 ? [9] : value)];
  });
  assert.deepEqual(packed.map(readAgain).map(closeDecoder()), entries);
});

Deno.test("halves tell of each field apart whether two receipts differ in it", () => {
  const names = halves.flatMap(({ fields }) => fields.map(({ name }) => name));
  assert.deepEqual(new Set(names), new Set(Object.keys(receiptSchema.shape)));
  for (const name of names) {
    const other = { ...usual, [name]: { odd: name } } as unknown as Receipt;
    const apart = halves.flatMap(({ fields, apart }) =>
      fields.filter((_field, at) => (apart(usual, other) & 1 << at) !== 0)
    );
    assert.deepEqual(apart.map((field) => field.name), [name]);
  }
});

Deno.test("unpackedClose reads what stands behind a receipt that is broken as broken, or rightly", () => {
  const next = { ...usual, id: "gen-next", request_id: "req_next" };
  const packed = readAgain(encodeClose(entryOf(next), usual));
  const read = closeDecoder();
  read([AT, 0, 0, 0, 0]);
  const { receipt } = Object(read(packed));
  assert.equal(receiptSchema.safeParse(receipt).success, false);
  assert.equal(receipt.id, "gen-next");
  assert.deepEqual(Object(read(readAgain(encodeClose(entryOf(usual))))).receipt, usual);
});

Deno.test("unpackedClose gives back scopes and amounts that differ from the receipt's", () => {
  const scopes = ["key:other", `workspace:${WORKSPACE}`, "guardrail:x:y", "account"];
  for (const changes of [{ scopes }, { scopes: [] }, { cost: 1 }, { byok: 5 }, { at: AT + 1 }]) {
    const entry = entryOf(usual, changes);
    assert.deepEqual(again(entry), entry);
  }
});

Deno.test("packedClose gives each field of a receipt a place", () => {
  const odd = Object.fromEntries(Object.keys(usual).map((name) => [name, `odd ${name}`]));
  const receipt = { ...usual, ...odd, self_test: true, attempts: [], lines: [], usage: { odd: 1 } };
  const entry = { ...entryOf(usual), receipt } as unknown as CloseEntry;
  assert.deepEqual(again(entry), entry);
});

Deno.test("unpackedClose gives what can be read of an entry that is broken", () => {
  const packed = encodeClose(entryOf(usual));
  const broken = [
    packed.map((value) => Array.isArray(value) ? 0 : value),
    packed.map((value) => typeof value === "string" ? 0 : value),
    packed.map((value) => value === AT ? NaN : value),
    packed.slice(0, 4),
    packed.slice(0, -4),
    [],
  ];
  for (const one of broken) {
    const entry = Object(unpackedClose(one));
    assert.deepEqual([entry.type, entry.cost], ["close", one[2]]);
    assert.equal(receiptSchema.safeParse(entry.receipt).success, false);
  }
  const [cut] = broken;
  assert.equal(Object(unpackedClose(cut ?? [])).receipt.id, usual.id);
});
