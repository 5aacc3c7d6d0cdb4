/** Broadcast destinations: where receipts are sent, as records (docs/destinations.md). */

import * as z from "zod";
import { keyHashSchema, timestampSchema } from "../keys.ts";
import { strictObject } from "../validation/strict_object.ts";
import { sharedOperators } from "./tag_rule_fields.ts";

export const destinationTypes = ["webhook", "otel-collector", "s3"] as const;
export type DestinationType = (typeof destinationTypes)[number];

/** Ends of attempts to send receipts; `lost`: given up. */
export const deliveryOutcomes = ["sent", "failed", "lost"] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** Destinations of one type that a workspace may have. */
export const MOST_OF_TYPE = 5;

/** Facts of a receipt that rules look at. */
export const filterFields = [
  "model",
  "provider",
  "session_id",
  "user_id",
  "api_key_name",
  "finish_reason",
  "total_cost",
  "total_tokens",
  "prompt_tokens",
  "completion_tokens",
] as const;

export const filterOperators = [
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "regex",
  ...sharedOperators,
] as const;

const ruleSchema = strictObject({
  field: z.enum(filterFields),
  operator: z.enum(filterOperators),
  value: z.union([z.string().max(500), z.number()]).optional(),
});
export type FilterRule = z.infer<typeof ruleSchema>;

const groupSchema = strictObject({
  logic: z.enum(["and", "or"]).default("and"),
  rules: z.array(ruleSchema).min(1).max(20),
});

/** A receipt is sent that passes every group. */
const filterRulesSchema = strictObject({
  enabled: z.boolean().default(true),
  groups: z.array(groupSchema).max(10),
});
export type FilterRules = z.infer<typeof filterRulesSchema>;

const dataRegions = ["global", "europe", "us"] as const;

/** Settings that a caller chooses, without those of the type. */
export const destinationSettings = {
  name: z.string().min(1).max(200),
  enabled: z.boolean(),
  /** Keys whose receipts are sent; null: all of the workspace. */
  api_key_hashes: z.array(keyHashSchema).min(1).max(100).nullable(),
  filter_rules: filterRulesSchema.nullable(),
  /** Leaves out who asked and from where, whatever the switches below say. */
  privacy_mode: z.boolean(),
  /** Part of the sessions whose receipts are sent. */
  sampling_rate: z.number().min(0.0001).max(1),
  regions: z.array(z.enum(dataRegions)).min(1),
  broadcast_generation_cost: z.boolean(),
  broadcast_generation_identity: z.boolean(),
  broadcast_generation_request_context: z.boolean(),
} as const;

/** `eu` is another name of `europe`. */
export const regionsInput = z.array(z.preprocess(
  (region) => region === "eu" ? "europe" : region,
  z.enum(dataRegions),
)).min(1).max(10);

/** How far a destination is. */
const deliverySchema = z.object({
  /** Receipts that have arrived, and those that were given up. */
  sent: z.int(),
  lost: z.int(),
  last_sent_at: timestampSchema.nullable(),
  /** Since when it fails, and why it did the last time; null while all is well. */
  failing_since: timestampSchema.nullable(),
  last_error: z.string().nullable(),
});

/** Whether an empty message has arrived. */
export const destinationTestSchema = z.object({
  reachable: z.boolean(),
  /** Null where no answer came. */
  status: z.int().nullable(),
  error: z.string().nullable(),
});
export type DestinationTest = z.infer<typeof destinationTestSchema>;

export const destinationSchema = z.object({
  id: z.uuid(),
  type: z.enum(destinationTypes),
  workspace_id: z.uuid(),
  ...destinationSettings,
  /** Secrets in it are masked. */
  config: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});

export const shownDestinationSchema = destinationSchema.extend({ delivery: deliverySchema });
export type ShownDestination = z.infer<typeof shownDestinationSchema>;
