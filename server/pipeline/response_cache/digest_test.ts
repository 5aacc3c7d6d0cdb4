import assert from "node:assert/strict";
import { runNow } from "../../../shared/util/run_work.ts";
import { digestOf } from "./digest.ts";

const digest = (value: unknown) => runNow(digestOf(value));

Deno.test("digestOf is the same whatever the order of fields, and for what is absent", () => {
  assert.equal(digest({ a: 1, b: { c: [1, 2], d: null } }), digest({ b: { d: null, c: [1, 2] }, a: 1 }));
  assert.equal(digest({ a: 1, b: undefined }), digest({ a: 1 }));
  assert.match(digest({}) ?? "", /^[0-9a-f]{64}$/);
});

Deno.test("digestOf tells all other values apart", () => {
  const long = "x".repeat(40_000);
  const values = [
    ...[null, true, false, 0, 1, "1", "", "null", [], {}, [[]], [{}], [1, 2], [2, 1], ["12"], ["1", "2"]],
    ...[{ a: 1 }, { a: "1" }, { a: null }, { b: 1 }, { a: 1, b: 1 }, [{ a: 1 }, { b: 1 }], [{ a: 1, b: 1 }]],
    ...[`${long}\ud800`, `${long}\ufffd`, JSON.stringify("\ud800"), -1, 0.5, "undefined"],
    ...["\ud800", "\udc00", "\ufffd", "a\0", "a", `"1 a`, long, `${long}x`, `x${long}`.slice(1) + "y"],
    ...[{ a: ["b"] }, { a: "[1 b" }, { ab: "" }, { a: "b" }, ["a", "b"], { "": "ab" }],
  ];
  const digests = values.map(digest);
  assert.equal(new Set(digests).size, values.length);
});

Deno.test("digestOf cuts no character in two where a text is long", () => {
  for (const shift of ["", "x"]) {
    const values = ["\u{1f600}", "\u{1f601}"].map((face) => shift + face.repeat(20_000));
    assert.equal(new Set(values.map(digest)).size, 2);
    assert.notEqual(digest(values[0]), digest(`${values[0]?.slice(0, -1)}\ufffd`));
  }
});

Deno.test("digestOf tells nothing of what is no JSON", () => {
  for (const value of [new Map(), new Set([1]), new Date(0), () => 1, { a: [new Map()] }]) {
    assert.equal(digest(value), undefined);
  }
});
