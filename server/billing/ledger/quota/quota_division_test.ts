import assert from "node:assert/strict";
import { divideQuota, type QuotaDivisionInput } from "./quota_division.ts";

const rowOf = (grants: Record<string, number>) => ({ grants, gone: 0 });

const base: QuotaDivisionInput = {
  row: rowOf({}),
  live: new Set(["a", "b"]),
  spent: new Map(),
  own: "a",
  settled: 0,
  used: 0,
  grant: 0,
  amount: 10,
  kept: 0,
  limit: 1_000,
};

function divided(more: Partial<QuotaDivisionInput>) {
  const { grant, isSufficient, row } = divideQuota({ ...base, ...more });
  return { grant, enough: isSufficient, grants: row.grants };
}

Deno.test("divide takes ahead while there is plenty, and only what is needed near the end", () => {
  assert.deepEqual(divided({}), { grant: 500, enough: true, grants: { a: 500 } });
  assert.deepEqual(divided({ limit: 12 }), { grant: 10, enough: true, grants: { a: 10 } });
  assert.deepEqual(divided({ limit: 9 }), { grant: 0, enough: false, grants: { a: 0 } });
});

Deno.test("divide deals out equal parts of what is left to be spent, and beyond them only what is needed", () => {
  const live = new Set(["a", "b", "c"]);
  assert.equal(divided({ live, limit: 900 }).grant, 300);
  const row = rowOf({ a: 300, b: 300 });
  assert.equal(divided({ live, limit: 900, row, own: "c" }).grant, 300);
  // 60 of its 300 are settled, and a third of what is left to all is 280.
  const mine = { settled: 60, used: 295, grant: 300 };
  assert.equal(divided({ live, limit: 900, row, ...mine }).grant, 340);
  const spent = new Map([["b", 240]]);
  assert.equal(divided({ live, limit: 900, row, spent, ...mine }).grant, 305);
});

Deno.test("divide gives up what is not enough, unless an ending of its own could make it enough", () => {
  const row = rowOf({ a: 100, b: 900 });
  const kept = { grant: 100, enough: false, grants: { b: 900, a: 100 } };
  assert.deepEqual(divided({ row, settled: 70, used: 95, grant: 100 }), kept);
  assert.deepEqual(divided({ row, settled: 95, used: 95, grant: 100 }), {
    grant: 95,
    enough: false,
    grants: { b: 900, a: 95 },
  });
  // Somebody else here needs a part of it.
  assert.equal(divided({ row, settled: 95, used: 95, grant: 100, kept: 3 }).grant, 98);
  assert.equal(divided({ row, settled: 95, used: 95, grant: 100, kept: 30 }).grant, 100);
});

Deno.test("divide counts the grants that it drops, so that others read anew what was spent", () => {
  const row = { grants: { past: 10, b: 20, other: 5 }, gone: 3 };
  const { row: after } = divideQuota({ ...base, row });
  assert.deepEqual([after.gone, Object.keys(after.grants)], [5, ["b", "a"]]);
  assert.equal(divideQuota({ ...base, row: after }).row.gone, 5);
});

Deno.test("divide leaves to others what they were granted, or have spent beyond that", () => {
  const row = rowOf({ a: 0, b: 900 });
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
  const row = rowOf({ gone: 900, a: 0 });
  const spent = new Map([["gone", 300], ["past", 200]]);
  assert.deepEqual(divided({ row, spent, amount: 500 }), { grant: 500, enough: true, grants: { a: 500 } });
  assert.equal(divided({ row, spent, amount: 501 }).enough, false);
});

Deno.test("divide never takes back what this instance uses, whatever its own row or the limit says", () => {
  const spent = new Map([["a", 70]]);
  const row = rowOf({ a: 20 });
  assert.deepEqual(divided({ row, spent, used: 80, grant: 20, amount: 1, limit: 50 }), {
    grant: 80,
    enough: false,
    grants: { a: 80 },
  });
});
