/** Tag rules: conditions on fields of receipts, and the tag of those that meet them (docs/tags.md). */

import * as z from "zod";
import { timestampSchema } from "../keys.ts";
import { strictObject } from "../validation/strict_object.ts";
import { tagRuleFields, tagRuleOperators } from "./tag_rule_fields.ts";

/** Rules of a workspace, conditions of a rule, and tags of a receipt, at most. */
export const MOST_RULES = 50;
const MOST_CONDITIONS = 10;
export const MOST_TAGS = 10;
const MOST_VALUES = 100;
const LONGEST_VALUE = 500;

/** Sums of receipts hold the tags of one in a text, with commas between them. */
export const tagSchema = z.string().min(1).max(50).regex(/^[a-z0-9][a-z0-9._:-]*$/, {
  error: () => "has a character that no tag has; allowed: a-z, 0-9, and behind one of these also . _ : -",
});

const oneValue = z.union([z.string().max(LONGEST_VALUE), z.number()]);

const conditionSchema = strictObject({
  field: z.enum(tagRuleFields),
  operator: z.enum(tagRuleOperators),
  /** A list for `in` and `not_in`, nothing for `exists` and `not_exists`. */
  value: z.union([oneValue, z.array(oneValue).min(1).max(MOST_VALUES)]).optional(),
});
export type TagCondition = z.infer<typeof conditionSchema>;

/** Settings that a caller chooses. */
export const tagRuleSettings = {
  name: z.string().min(1).max(200),
  tag: tagSchema,
  enabled: z.boolean(),
  /** All have to hold. */
  conditions: z.array(conditionSchema).min(1).max(MOST_CONDITIONS),
} as const;

export const tagRuleSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  ...tagRuleSettings,
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type TagRuleRecord = z.infer<typeof tagRuleSchema>;
