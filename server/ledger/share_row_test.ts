import assert from "node:assert/strict";
import { divide, type Division } from "./share_row.ts";

function divided(more: Partial<Division>) {
  const { grant, enough, row } = divide({
    row: { grants: {} },
    live: new Set(["a", "b"]),
    spent: new Map(),
    own: "a",
    used: 0,
    grant: 0,
    amount: 10,
    limit: 1_000,
    ...more,
  });
  return { grant, enough, grants: row.grants };
}

Deno.test("divide takes ahead while there is plenty, and only what is needed near the end", () => {
  assert.deepEqual(divided({}), { grant: 250, enough: true, grants: { a: 250 } });
  assert.deepEqual(divided({ limit: 12 }), { grant: 10, enough: true, grants: { a: 10 } });
  assert.deepEqual(divided({ limit: 9 }), { grant: 0, enough: false, grants: { a: 0 } });
});

Deno.test("divide leaves to others what they were granted, or have spent beyond that", () => {
  const row = { grants: { a: 0, b: 900 } };
  assert.deepEqual(divided({ row, amount: 100 }), { grant: 100, enough: true, grants: { b: 900, a: 100 } });
  assert.equal(divided({ row, amount: 101 }).enough, false);
  const spent = new Map([["b", 950]]);
  assert.deepEqual(divided({ row, spent, amount: 51 }), {
    grant: 0,
    enough: false,
    grants: { b: 950, a: 0 },
  });
});

Deno.test("divide counts what those have spent that are gone, not what they were granted", () => {
  const row = { grants: { gone: 900, a: 0 } };
  const spent = new Map([["gone", 300], ["past", 200]]);
  assert.deepEqual(divided({ row, spent, amount: 500 }), { grant: 500, enough: true, grants: { a: 500 } });
  assert.equal(divided({ row, spent, amount: 501 }).enough, false);
});

Deno.test("divide never takes back what this instance uses, whatever its own row or the limit says", () => {
  const spent = new Map([["a", 70]]);
  const row = { grants: { a: 20 } };
  assert.deepEqual(divided({ row, spent, used: 80, grant: 20, amount: 1, limit: 50 }), {
    grant: 80,
    enough: false,
    grants: { a: 80 },
  });
});
