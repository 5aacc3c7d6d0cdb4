import assert from "node:assert/strict";
import * as z from "zod";
import { truncate } from "../util/text.ts";
import { strictObject } from "./strict_object.ts";
import { countCodePoints, formatPath, validate } from "./validate.ts";
import { threadMs } from "../../tests/support/thread_time.ts";

const schema = z.looseObject({
  name: z.string().max(3),
  size: z.int().min(1).max(9),
  list: z.array(z.discriminatedUnion("type", [z.object({ type: z.literal("a") })])).max(2),
  either: z.union([z.string(), z.object({ deep: z.number() })]),
  word: z.enum(["yes", "no"]),
  rows: z.array(z.object({ a: z.string() })),
  page: z.union([z.literal(""), z.coerce.number().pipe(z.int().min(1).max(9))]),
  flag: z.enum(["true", ""]),
  reason: z.string().trim().min(1),
  id: z.uuid(),
  when: z.union([z.iso.datetime(), z.iso.date()]),
  nested: z.union([
    z.union([z.string().max(3), z.number()]),
    z.array(z.union([z.string(), z.number()])).min(1),
  ]),
  strict: strictObject({ a: z.string().optional(), b: z.string().optional() }),
  twice: z.string().min(2).regex(/^[a-z]+$/, { error: () => "has something else than letters" }),
}).partial();

function complain(value: unknown): readonly string[] {
  const checked = validate(schema, value);
  return checked.ok ? [] : checked.faults.map(({ message }) => message);
}

Deno.test("check says path, value and what is allowed", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [null, "body is null; an object is expected"],
    [[], "body is an array; an object is expected"],
    [{ name: "abcd" }, "name is 4 characters long; at most 3 are allowed"],
    [{ name: 5 }, "name is 5; a string is expected"],
    [{ size: 10 }, "size is 10; at most 9 is allowed"],
    [{ size: 0 }, "size is 0; at least 1 is needed"],
    [{ size: 1.5 }, "size is 1.5; a whole number is expected"],
    [{ list: [{ type: "a" }, { type: "b" }] }, 'list[1].type is "b"; allowed: a'],
    [{ list: [{}] }, "list[0].type is missing; allowed: a"],
    [{ list: [5] }, "list[0] is 5; an object is expected"],
    [{ list: Array(3).fill({ type: "a" }) }, "list has 3 entries; at most 2 are allowed"],
    [{ either: 5 }, "either is 5; allowed: a string or an object"],
    [{ either: { deep: "x" } }, 'either.deep is "x"; a number is expected'],
    [{ either: {} }, "either.deep is missing; a number is expected"],
    [{ word: "maybe" }, 'word is "maybe"; allowed: yes, no'],
    [{ page: "0" }, 'page is "0"; at least 1 is needed'],
    [{ page: "10" }, 'page is "10"; at most 9 is allowed'],
    [{ page: "x" }, 'page is "x"; allowed: a number'],
    [{ page: "1.5" }, 'page is "1.5"; allowed: a whole number'],
    [{ flag: "yes" }, 'flag is "yes"; allowed: true'],
    [{ reason: "  " }, "reason is empty"],
    [{ id: "x" }, 'id is "x"; a UUID is expected'],
    [
      { when: "x" },
      'when is "x"; allowed: a moment such as 2030-12-31T23:59:59Z or a day such as 2030-12-31',
    ],
    [{ nested: true }, "nested is true; allowed: a string or a number or an array"],
    [{ nested: {} }, "nested is an object; allowed: a string or a number or an array"],
    [{ nested: [true] }, "nested[0] is true; allowed: a string or a number"],
    [{ nested: "abcd" }, "nested is 4 characters long; at most 3 are allowed"],
    [{ nested: [] }, "nested is empty"],
    [{ strict: { c: 1 } }, "strict.c is not a known key; allowed: a, b"],
    [{ strict: { a: 1 } }, "strict.a is 1; a string is expected"],
    [{ twice: "" }, "twice is empty"],
    [{ twice: "ab1" }, "twice has something else than letters"],
  ];
  for (const [value, message] of cases) assert.deepEqual(complain(value), [message]);
});

Deno.test("check names at most three faults", () => {
  assert.equal(complain({ name: 1, size: "x", list: 5, either: 5, word: 5 }).length, 3);
});

Deno.test("check stops at the first fault of a large body", async () => {
  const hostile = { rows: Array(2_000_000).fill(1) };
  const took = await threadMs(() => {
    assert.deepEqual(complain(hostile), ["rows[0] is 1; an object is expected"]);
  });
  assert(took < 1_000, "a hostile array costs no more than a good one");
});

Deno.test("check never repeats long texts", () => {
  const [message = ""] = complain({ word: "x".repeat(500) });
  assert(message.includes(`${"x".repeat(60)}…`));
  assert(!message.includes("x".repeat(61)));
  assert(complain({ word: `${"y".repeat(59)}\ud83d\ude00` }).every((one) => one.isWellFormed()));
});

Deno.test("check lists a kind with two spellings once", () => {
  const kinds = z.object({ type: z.enum(["plain", "service:a", "openrouter:a", "service:experimental__a"]) });
  const checked = validate(kinds, { type: "b" });
  assert(!checked.ok);
  assert.equal(
    checked.faults[0]?.message,
    'type is "b"; allowed: plain, service:a (service: may be written openrouter:)',
  );
});

Deno.test("formatPath quotes what is no word", () => {
  assert.equal(formatPath([]), "body");
  assert.equal(formatPath(["input", 3, "content", 0]), "input[3].content[0]");
  assert.equal(formatPath(["metadata", "a b"]), 'metadata["a b"]');
  assert.equal(formatPath(["x".repeat(100)]), `["${"x".repeat(60)}…"]`);
});

Deno.test("countCodePoints counts code points", () => {
  assert.equal(countCodePoints("a😀b"), 3);
  assert.equal(countCodePoints("\ud83d"), 1);
  assert.equal(truncate("abc"), "abc");
});
