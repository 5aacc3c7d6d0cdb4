/**
 * Operations on usage by day and model: of all, for management (specification, Credits, generations, activity,
 * analytics), and of one key, for its holder.
 */

import * as z from "zod";
import { keyHashSchema, limitResetSchema, timestampSchema } from "../keys.ts";
import { type ManagementOperation, workspaceQuery } from "./operation.ts";

const dateSchema = z.iso.date();
const tokens = z.int();

const activityItemSchema = z.object({
  date: dateSchema,
  model: z.string(),
  model_permaslug: z.string(),
  endpoint_id: z.string(),
  provider_name: z.string(),
  usage: z.number(),
  byok_usage_inference: z.number(),
  requests: z.int(),
  prompt_tokens: tokens,
  completion_tokens: tokens,
  reasoning_tokens: tokens,
  /** With `group_by=workspace`. */
  workspace_id: z.uuid().optional(),
});
export type ActivityItem = z.infer<typeof activityItemSchema>;

/** UTC days that `GET /activity` looks back, the running one not counted. */
export const ACTIVITY_DAYS = 30;
const MAX_USAGE_DAYS = 90;

const usageDaySchema = z.object({
  date: dateSchema,
  /** Null: refused before a model was asked. */
  model: z.string().nullable(),
  requests: z.int(),
  prompt_tokens: tokens,
  completion_tokens: tokens,
  reasoning_tokens: tokens,
  cached_tokens: tokens,
  usage: z.number(),
  byok_usage: z.number(),
});

const spend = z.object({ usage: z.number(), byok_usage: z.number() });

const keyUsageSchema = z.object({
  label: z.string(),
  /** Newest first; of one day the dearest model first. */
  days: z.array(usageDaySchema),
  spend: z.object({ today: spend, week: spend, month: spend, total: spend }),
  /** When the sums of the day, the week and the month begin anew. */
  resets: z.object({ daily: timestampSchema, weekly: timestampSchema, monthly: timestampSchema }),
  limit: z.number().nullable(),
  limit_remaining: z.number().nullable(),
  limit_reset: limitResetSchema.nullable(),
  limit_resets_at: timestampSchema.nullable(),
  include_byok_in_limit: z.boolean(),
  forecast: z.object({
    /** USD a day that count towards the limit, on average over the last days. */
    usd_per_day: z.number(),
    /** How many days that average is of. */
    days: z.number(),
    /** When the limit is reached at that rate; null when it is not, or not before it resets. */
    reaches_limit_at: timestampSchema.nullable(),
    explanation: z.string(),
  }),
});
export type KeyUsage = z.infer<typeof keyUsageSchema>;

const days = z.coerce.number().pipe(z.int().min(1).max(MAX_USAGE_DAYS)).optional();

export const activityApi = {
  "activity.list": {
    method: "GET",
    path: "/activity",
    who: ["management"],
    errors: "other",
    summary: "Lists usage of the last 30 full UTC days by day, model and endpoint.",
    verb: "list activity",
    query: z.object({
      date: dateSchema.optional(),
      api_key_hash: keyHashSchema.optional(),
      user_id: z.string().min(1).max(500).optional(),
      workspace_id: workspaceQuery,
      group_by: z.enum(["workspace"]).optional(),
    }),
    output: z.object({ data: z.array(activityItemSchema) }),
  },
  "key.usage": {
    method: "GET",
    path: "/key/usage",
    who: ["api", "management"],
    errors: "other",
    summary: "Shows the calling key's spend by day and model, and a limit forecast.",
    verb: "show usage",
    query: z.object({ days }),
    output: z.object({ data: keyUsageSchema }),
  },
  "keys.usage": {
    method: "GET",
    path: "/keys/:hash/usage",
    who: ["management"],
    errors: "other",
    summary: "Shows an API key's spend by day and model, and a limit forecast.",
    verb: "show usage",
    query: z.object({ days }),
    output: z.object({ data: keyUsageSchema }),
  },
} as const satisfies Record<string, ManagementOperation>;
