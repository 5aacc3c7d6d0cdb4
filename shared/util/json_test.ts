import assert from "node:assert/strict";
import { isRecord, omitUndefined, tryParseJson, writeJson } from "./json.ts";

Deno.test("tryParseJson gives the value of JSON, and undefined for any other text", () => {
  for (const value of [null, false, 0, "", [], { a: [null] }]) {
    assert.deepEqual(tryParseJson(JSON.stringify(value)), value);
  }
  for (const text of ["", "undefined", "{", "{}}", "NaN", "'a'"]) assert.equal(tryParseJson(text), undefined);
});

Deno.test("isRecord tells objects with names from lists, null and plain values", () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) assert.equal(isRecord(value), true);
  for (const value of [null, undefined, [], "{}", 1, () => ({})]) assert.equal(isRecord(value), false);
});

Deno.test("omitUndefined keeps every value but undefined, in its order", () => {
  const fields = { b: null, a: undefined, d: 0, c: "" };
  const kept = omitUndefined(fields);
  assert.deepEqual(Object.entries(kept), [["b", null], ["d", 0], ["c", ""]]);
  assert.equal(fields.a, undefined);
});

Deno.test("writeJson writes half a surrogate pair as U+FFFD, in values and names, and all else as it is", () => {
  const cases = ["\ud83d", "\ude00", "a\udbffz", "\\\ud83d", "\\\\\udfff\\", '"\ud83d"', "\n\ud800\ud800"];
  for (const half of cases) {
    const json = writeJson({ value: [half], [half]: 1 });
    const whole = half.toWellFormed();
    assert.equal(json, JSON.stringify({ value: [whole], [whole]: 1 }));
    assert(!/[^\\](\\\\)*\\ud/.test(json), json);
  }
  for (const whole of ["\ud83d\ude00", "\\ud83d", "\\\\ude00", "\ufffd", "ud800"]) {
    assert.equal(writeJson({ whole }), JSON.stringify({ whole }));
  }
});
