import assert from "node:assert/strict";
import { receiptWith, WORKSPACE } from "../../../tests/support/receipts.ts";
import {
  MOST_TAGS,
  type TagCondition,
  type TagRuleRecord,
  tagRuleSchema,
} from "../../../shared/observability/tag_rules.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { compileTagRules, conditionsFault } from "./compile_rules.ts";
import { receiptFacts } from "./receipt_facts.ts";

const AT = "2026-01-14T12:00:00.000Z";
let made = 0;

function rule(changes: Partial<TagRuleRecord>): TagRuleRecord {
  return tagRuleSchema.parse({
    id: `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`,
    workspace_id: WORKSPACE,
    name: "A rule",
    tag: "hit",
    enabled: true,
    conditions: [{ field: "status", operator: "exists" }],
    created_at: AT,
    updated_at: AT,
    ...changes,
  });
}

const isTagged = (receipt: Receipt, conditions: readonly TagCondition[]): boolean =>
  compileTagRules([rule({ conditions: [...conditions] })])(receipt).includes("hit");

/** Conditions of the model `acme/One-2`, of 120 tokens, without a user: whether each holds. */
const cases: readonly (readonly [TagCondition, boolean])[] = [
  [{ field: "model", operator: "equals", value: "acme/One-2" }, true],
  [{ field: "model", operator: "equals", value: "acme/one-2" }, false],
  [{ field: "model", operator: "not_equals", value: "acme/one-2" }, true],
  [{ field: "model", operator: "in", value: ["x", "acme/One-2"] }, true],
  [{ field: "model", operator: "in", value: ["acme"] }, false],
  [{ field: "model", operator: "not_in", value: ["acme"] }, true],
  [{ field: "model", operator: "contains", value: "me/O" }, true],
  [{ field: "model", operator: "contains", value: ".*" }, false],
  [{ field: "model", operator: "not_contains", value: ".*" }, true],
  [{ field: "model", operator: "starts_with", value: "acme/" }, true],
  [{ field: "model", operator: "starts_with", value: "One" }, false],
  [{ field: "model", operator: "ends_with", value: "-2" }, true],
  [{ field: "model", operator: "ends_with", value: "acme" }, false],
  [{ field: "model", operator: "exists" }, true],
  [{ field: "model", operator: "not_exists" }, false],
  [{ field: "total_tokens", operator: "gt", value: 119 }, true],
  [{ field: "total_tokens", operator: "gt", value: 120 }, false],
  [{ field: "total_tokens", operator: "gte", value: "120" }, true],
  [{ field: "total_tokens", operator: "lt", value: 120 }, false],
  [{ field: "total_tokens", operator: "lte", value: 120 }, true],
  [{ field: "total_tokens", operator: "equals", value: 120 }, true],
  [{ field: "total_tokens", operator: "equals", value: "120.0" }, true],
  [{ field: "total_tokens", operator: "in", value: [1, 120] }, true],
  [{ field: "total_tokens", operator: "in", value: ["1", "1.2e2"] }, true],
  [{ field: "user_id", operator: "equals", value: "" }, false],
  [{ field: "user_id", operator: "not_equals", value: "ada" }, true],
  [{ field: "user_id", operator: "in", value: ["null"] }, false],
  [{ field: "user_id", operator: "not_in", value: ["ada"] }, true],
  [{ field: "user_id", operator: "contains", value: "" }, false],
  [{ field: "user_id", operator: "not_contains", value: "a" }, true],
  [{ field: "user_id", operator: "starts_with", value: "" }, false],
  [{ field: "user_id", operator: "ends_with", value: "" }, false],
  [{ field: "user_id", operator: "exists" }, false],
  [{ field: "user_id", operator: "not_exists" }, true],
];

Deno.test("compileTagRules compares by every operator, also what a receipt does not have", () => {
  const receipt = receiptWith({ model: "acme/One-2" });
  for (const [condition, holds] of cases) {
    assert.equal(conditionsFault([condition]), undefined, JSON.stringify(condition));
    assert.equal(isTagged(receipt, [condition]), holds, JSON.stringify(condition));
  }
  const operators = tagRuleSchema.shape.conditions.element.shape.operator.options;
  assert.deepEqual([...new Set(cases.map(([{ operator }]) => operator))].sort(), [...operators].sort());
});

Deno.test("every field is found on a receipt that has it, and on none that has nothing", () => {
  const full = receiptWith({
    error: { kind: "upstream_failed", status: 502, message: "" },
    session_id: "s",
    user: "u",
    app_title: "t",
    http_referer: "r",
    user_agent: "a",
    service_tier: "flex",
    router: "auto",
    preset: { id: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11", slug: "p", version: 1 },
    task: "math",
  });
  const bare = receiptWith({
    model: null,
    requested_model: null,
    provider: null,
    finish_reason: null,
    latency_ms: null,
  });
  const missing: string[] = [];
  for (const field of tagRuleSchema.shape.conditions.element.shape.field.options) {
    const condition = { field, operator: "equals", value: String(receiptFacts[field](full)) } as const;
    assert.ok(isTagged(full, [condition]), field);
    if (isTagged(bare, [{ field, operator: "not_exists" }])) missing.push(field);
  }
  assert.equal(missing.length, 15, missing.join());
  assert.ok(isTagged(receiptWith({ cost: 1 }), [{ field: "total_cost", operator: "equals", value: "1e-9" }]));
  assert.ok(
    isTagged(receiptWith({ cost: 50_000_000 }), [{ field: "total_cost", operator: "gte", value: 0.05 }]),
  );
});

Deno.test("all conditions have to hold; a tag is put once, ten at most, in the order of the rules", () => {
  const receipt = receiptWith();
  const both = (value: number): TagCondition[] => [
    { field: "status", operator: "equals", value: "completed" },
    { field: "total_tokens", operator: "gt", value },
  ];
  assert.deepEqual([isTagged(receipt, both(1)), isTagged(receipt, both(1_000))], [true, false]);
  const many = Array.from({ length: 2 * MOST_TAGS }, (_, at) => rule({ tag: `t${Math.floor(at / 1.5)}` }));
  const tags = compileTagRules(many)(receipt);
  assert.deepEqual(tags, [...new Set(many.map(({ tag }) => tag))].slice(0, MOST_TAGS));
  const off = compileTagRules([rule({ enabled: false }), rule({ workspace_id: crypto.randomUUID() })]);
  assert.deepEqual(off(receipt), []);
});

const faults: readonly (readonly [TagCondition, RegExp])[] = [
  [{ field: "model", operator: "equals" }, /has no value, which equals needs; allowed: a text or a number$/],
  [{ field: "model", operator: "in" }, /has no value, which in needs; allowed: a list of texts and numbers$/],
  [{ field: "total_cost", operator: "gt" }, /has no value, which gt needs; allowed: a number$/],
  [
    { field: "attempts", operator: "not_in" },
    /has no value, which not_in needs; allowed: a list of numbers$/,
  ],
  [{ field: "model", operator: "in", value: "x" }, /needs a list for in, not "x"$/],
  [{ field: "model", operator: "equals", value: ["x"] }, /has a list, .*; allowed: a text or a number$/],
  [
    { field: "model", operator: "gt", value: 1 },
    /compares model with a number; allowed for gt are fields of numbers/,
  ],
  [{ field: "total_cost", operator: "gt", value: "much" }, /needs a number/],
  [{ field: "total_cost", operator: "lt", value: "" }, /needs a number/],
  [
    { field: "total_tokens", operator: "in", value: [1, "x"] },
    /needs a number for in of total_tokens, not "x"$/,
  ],
  ...(["equals", "not_equals", "contains", "not_contains", "starts_with", "ends_with"] as const).map(
    (operator) =>
      [
        { field: "attempts", operator, value: "abc" },
        /needs a number for \w+ of attempts, not "abc"$/,
      ] as const,
  ),
];

Deno.test("conditionsFault says which condition means nothing, and why", () => {
  for (const [condition, says] of faults) {
    const fault = conditionsFault([{ field: "model", operator: "exists" }, condition]);
    assert.equal(fault?.path, "conditions[1]", JSON.stringify(condition));
    assert.match(fault.fault, says);
  }
});
