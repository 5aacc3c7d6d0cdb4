import assert from "node:assert/strict";
import { createBudget } from "./work_budget.ts";
import { generateMatching, matchesPattern } from "./generate_matching_string.ts";

const anyLength = { min: 0, max: 10_000 };

const patterns = [
  "^[A-Z]{3}-\\d{4}$",
  "^\\p{L}{2,5}$",
  "^(?=.*\\d)[a-z0-9]{4,8}$",
  "^(?!abc)[a-c]{3}$",
  "^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$",
  "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-([\\dA-Za-z-]+))?$",
  "^(?<quote>['\"])x+\\k<quote>$",
  "^(a|b)x\\1$",
  "^\\+?[1-9]\\d{1,14}$",
  "\\bfoo\\b",
  "^[^a-z\\s]+$",
  "^\\x41\\u0042\\u{43}$",
  "colou?r|gr[ae]y",
  "^$",
  "^a{0,3}b*c+?$",
];

Deno.test("generateMatching makes strings that the engine's own matcher accepts", () => {
  for (const pattern of patterns) {
    const [made] = generateMatching(pattern, anyLength);
    assert.ok(made !== undefined, pattern);
    assert.match(made, new RegExp(pattern, "u"), pattern);
  }
});

Deno.test("generateMatching keeps to the lengths asked for", () => {
  const [made = ""] = generateMatching("^[a-z]+$", { min: 20, max: 22 });
  assert.match(made, /^[a-z]{20,22}$/);
  assert.deepEqual([...generateMatching("^a{5}$", { min: 6, max: 9 })], []);
});

Deno.test("fits says what the engine's own matcher says", () => {
  const texts = [
    "",
    "a",
    "abc",
    "foo bar",
    "AB-12",
    "ABC-1234",
    "axa",
    "axb",
    "1.20-x",
    "grey",
    "ab",
    "00:1f:aa:bb:cc:dd",
  ];
  for (const pattern of [...patterns, "(?<=a)b$", "(?<!a)b$"]) {
    for (const text of texts) {
      const expected = new RegExp(pattern, "u").test(text);
      assert.equal(
        matchesPattern(pattern, text, { budget: createBudget(100_000) }),
        expected,
        `${pattern} on ${text}`,
      );
    }
  }
});

Deno.test("fits gives up on hostile patterns instead of hanging", () => {
  for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(.*a){20}$", "^((a*)*)*$"]) {
    const found = matchesPattern(pattern, "a".repeat(40) + "!", { budget: createBudget(100_000) });
    assert.ok(found !== true, pattern);
  }
});

Deno.test("fits has no opinion on what is no pattern, and none without budget", () => {
  for (
    const pattern of [
      "((((",
      "[a",
      "a{1",
      "*",
      "(?<x",
      "\\",
      "a".repeat(3_000),
      "(".repeat(60) + ")".repeat(60),
    ]
  ) {
    const found = matchesPattern(pattern, "a", { budget: createBudget(100_000) });
    assert.ok(found === undefined || pattern === "a{1", pattern);
  }
  assert.equal(matchesPattern("^a$", "a", { budget: createBudget(0) }), undefined);
});
