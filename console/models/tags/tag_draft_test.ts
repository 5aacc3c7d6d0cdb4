import assert from "node:assert/strict";
import {
  numberFields,
  tagRuleFields,
  tagRuleOperators,
} from "../../../shared/observability/tag_rule_fields.ts";
import { type TagRuleRecord, tagRuleSchema } from "../../../shared/observability/tag_rules.ts";
import { conditionsText, tagDraftOf, tagFieldsOf, tagProblems } from "./tag_draft.ts";

const numbers: ReadonlySet<string> = new Set(numberFields);

function ruleWith(conditions: TagRuleRecord["conditions"]): TagRuleRecord {
  return tagRuleSchema.parse({
    id: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
    workspace_id: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b12",
    name: "A rule",
    tag: "star",
    enabled: true,
    conditions,
    created_at: "2026-01-14T12:00:00.000Z",
    updated_at: "2026-01-14T12:00:00.000Z",
  });
}

Deno.test("a rule of any field and comparison is the same once it was a draft", () => {
  for (const field of tagRuleFields) {
    for (const operator of tagRuleOperators) {
      const one = numbers.has(field) ? 0.5 : "acme/one";
      const isList = operator === "in" || operator === "not_in";
      const value = operator === "exists" || operator === "not_exists"
        ? {}
        : { value: isList ? [one, one] : one };
      const { conditions } = ruleWith([{ field, operator, ...value }]);
      assert.deepEqual(tagFieldsOf(tagDraftOf(ruleWith(conditions))).conditions, conditions);
    }
  }
});

Deno.test("numbers and lists are read as they are typed", () => {
  const draft = tagDraftOf(ruleWith([{ field: "model", operator: "exists" }]));
  const typed = tagFieldsOf({
    ...draft,
    name: " Dear ",
    conditions: [
      { field: "total_cost", operator: "equals", value: "0.50" },
      { field: "total_cost", operator: "gt", value: "much" },
      { field: "model", operator: "in", value: " a, b,, " },
      { field: "model", operator: "equals", value: "1" },
      { field: "task", operator: "exists", value: "left over" },
    ],
  });
  assert.equal(typed.name, "Dear");
  assert.deepEqual(typed.conditions, [
    { field: "total_cost", operator: "equals", value: 0.5 },
    { field: "total_cost", operator: "gt", value: "much" },
    { field: "model", operator: "in", value: ["a", "b"] },
    { field: "model", operator: "equals", value: "1" },
    { field: "task", operator: "exists" },
  ]);
  assert.equal(
    conditionsText([{ field: "total_cost", operator: "gte", value: "1" }, {
      field: "user_id",
      operator: "not_exists",
      value: "",
    }]),
    "total cost is at least 1; user id is missing",
  );
  assert.deepEqual(tagProblems(draft), { name: undefined, tag: undefined });
  assert.match(tagProblems({ name: " ", tag: "x" }).name ?? "", /needs a name/);
});
