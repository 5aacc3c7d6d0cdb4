/** Guardrails and their assignments as they go over the wire (specification, Guardrails). */

import * as z from "zod";
import { countCodePoints } from "./validation/validate.ts";
import { keyHashSchema, limitResetSchema, timestampSchema } from "./keys.ts";
import { linearRegexpFault, MAX_PATTERN_CHARS } from "./util/linear_regexp.ts";

/** Model and provider names may be patterns: `*` stands for any text. */
const names = z.array(z.string().min(1).max(1_024)).min(1).max(1_024).nullable();

const patternSchema = z.string().min(1).superRefine((pattern, context) => {
  const length = countCodePoints(pattern);
  const fault = length > MAX_PATTERN_CHARS
    ? `is ${length} characters long; at most ${MAX_PATTERN_CHARS} are allowed`
    : linearRegexpFault(pattern);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

/** What is done with what a filter finds. */
export const filterActionSchema = z.enum(["redact", "block", "flag"]);

const contentFilterSchema = z.strictObject({
  pattern: patternSchema,
  action: filterActionSchema,
  label: z.string().max(100).nullable().optional(),
});

export const builtinSlugs = [
  "email",
  "phone",
  "ssn",
  "credit-card",
  "ip-address",
  "secrets",
  "person-name",
  "address",
  "regex-prompt-injection",
] as const;

const builtinFilterSchema = z.strictObject({
  slug: z.enum(builtinSlugs),
  action: filterActionSchema,
  label: z.string().max(100).optional(),
  scan_scope: z.enum(["user_only", "all_messages"]).optional(),
});

const flag = z.boolean().nullable();

/** `global` is the whole world. */
export const dataRegions = ["global", "europe", "us"] as const;
export type DataRegion = typeof dataRegions[number];

/** What a guardrail may ask for; null asks for nothing. */
export const guardrailSettings = {
  description: z.string().max(1_000).nullable(),
  reset_interval: limitResetSchema.nullable(),
  allowed_models: names,
  ignored_models: names,
  allowed_providers: names,
  ignored_providers: names,
  /** Of all models; those below say it of one author's. */
  enforce_zdr: flag,
  enforce_zdr_anthropic: flag,
  enforce_zdr_openai: flag,
  enforce_zdr_google: flag,
  enforce_zdr_xai: flag,
  enforce_zdr_other: flag,
  enable_paid_model_training: flag,
  enable_free_model_training: flag,
  enable_free_model_publication: flag,
  allowed_data_regions: z.array(z.enum(dataRegions)).min(1).max(3).nullable(),
  content_filters: z.array(contentFilterSchema).max(200).nullable(),
  content_filter_builtins: z.array(builtinFilterSchema).max(50).nullable(),
} as const;

export const guardrailNameSchema = z.string().min(1).max(200);

export const guardrailRecordSchema = z.object({
  id: z.uuid(),
  name: guardrailNameSchema,
  /** Null: not of one workspace. */
  workspace_id: z.uuid().nullable(),
  limit_usd: z.number().nullable(),
  include_byok_in_budgets: z.boolean(),
  ...guardrailSettings,
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
});
export type GuardrailRecord = z.infer<typeof guardrailRecordSchema>;

const assignment = {
  id: z.uuid(),
  guardrail_id: z.uuid(),
  assigned_by: z.string().nullable(),
  created_at: timestampSchema,
} as const;

export const keyAssignmentSchema = z.object({
  ...assignment,
  key_hash: keyHashSchema,
  key_label: z.string(),
  key_name: z.string(),
});
export type KeyAssignment = z.infer<typeof keyAssignmentSchema>;

export const memberAssignmentSchema = z.object({
  ...assignment,
  user_id: z.string(),
  /** There is one organization: this gateway's. */
  organization_id: z.string(),
});
export type MemberAssignment = z.infer<typeof memberAssignmentSchema>;
