/** A tag rule as it is typed: its conditions are rows of texts. */

import {
  numberFields,
  type TagRuleField,
  tagRuleFields,
  type TagRuleOperator,
  tagRuleOperators,
} from "../../../shared/observability/tag_rule_fields.ts";
import { type TagCondition, type TagRuleRecord, tagSchema } from "../../../shared/observability/tag_rules.ts";
import { tagRuleFieldsText } from "../../text/gateway/tags.ts";

export interface ConditionDraft {
  readonly field: TagRuleField;
  readonly operator: TagRuleOperator;
  /** The values of a list have commas between them. */
  readonly value: string;
}

export interface TagDraft {
  readonly name: string;
  readonly tag: string;
  readonly enabled: boolean;
  readonly conditions: readonly ConditionDraft[];
}

export const newCondition: ConditionDraft = { field: "model", operator: "equals", value: "" };
export const emptyTagDraft: TagDraft = { name: "", tag: "", enabled: true, conditions: [newCondition] };

export const toField = (text: string): TagRuleField => tagRuleFields.find((one) => one === text) ?? "model";
export const toOperator = (text: string): TagRuleOperator =>
  tagRuleOperators.find((one) => one === text) ?? "equals";

const lists: ReadonlySet<TagRuleOperator> = new Set<TagRuleOperator>(["in", "not_in"]);
const withoutValue: ReadonlySet<TagRuleOperator> = new Set<TagRuleOperator>(["exists", "not_exists"]);
const numbers: ReadonlySet<string> = new Set(numberFields);

export const takesList = ({ operator }: Pick<ConditionDraft, "operator">): boolean => lists.has(operator);
export const takesValue = ({ operator }: Pick<ConditionDraft, "operator">): boolean =>
  !withoutValue.has(operator);

/** A number where the field is one, so that 0.50 equals 0.5. */
function valueOf(field: TagRuleField, text: string): string | number {
  const number = Number(text);
  return numbers.has(field) && text.trim() !== "" && Number.isFinite(number) ? number : text;
}

function conditionOf(draft: ConditionDraft): TagCondition {
  const { field, operator, value } = draft;
  if (!takesValue(draft)) return { field, operator };
  if (!takesList(draft)) return { field, operator, value: valueOf(field, value) };
  const values = value.split(",").map((one) => one.trim()).filter((one) => one !== "");
  return { field, operator, value: values.map((one) => valueOf(field, one)) };
}

function conditionDraft({ field, operator, value = "" }: TagCondition): ConditionDraft {
  return { field, operator, value: Array.isArray(value) ? value.join(", ") : String(value) };
}

export const tagDraftOf = ({ name, tag, enabled, conditions }: TagRuleRecord): TagDraft => ({
  name,
  tag,
  enabled,
  conditions: conditions.map(conditionDraft),
});

/** Fields as the operations take them. */
export const tagFieldsOf = ({ name, tag, enabled, conditions }: TagDraft) => ({
  name: name.trim(),
  tag: tag.trim(),
  enabled,
  conditions: conditions.map(conditionOf),
});

/** Says a condition in words: model is acme/one. */
function conditionText({ field, operator, value }: ConditionDraft): string {
  const words = [field.replaceAll("_", " "), tagRuleFieldsText.operators[operator]];
  return [...words, ...(takesValue({ operator }) ? [value] : [])].join(" ");
}

export const conditionsText = (conditions: readonly ConditionDraft[]): string =>
  conditions.map(conditionText).join("; ");

export function tagProblems({ name, tag }: Pick<TagDraft, "name" | "tag">) {
  const { nameMissing, tagMissing } = tagRuleFieldsText;
  return {
    name: name.trim() === "" ? nameMissing : undefined,
    tag: tagSchema.safeParse(tag.trim()).success ? undefined : tagMissing,
  };
}
