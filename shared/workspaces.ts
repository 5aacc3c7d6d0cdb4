/** Workspaces and their budgets as they go over the wire (specification, Workspaces and budgets). */

import * as z from "zod";
import { eachRateLimit } from "./rate_limits.ts";
import { timestampSchema } from "./keys.ts";
import { defaultPlugins } from "./responses/plugins.ts";

/** Lower-case words joined by single hyphens, 1 to 50 characters. */
export const workspaceSlugSchema = z.string().min(1).max(50).regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);

/** The slug of the workspace that the first start makes. */
export const DEFAULT_WORKSPACE_SLUG = "default";

/** Values of `provider.sort` of a request. */
const providerSorts = ["price", "throughput", "latency", "exacto"] as const;
export const providerSortSchema = z.enum(providerSorts);
export type ProviderSort = z.infer<typeof providerSortSchema>;

/** Settings of a workspace besides its name and dates; all may be set when it is made and changed later. */
export const workspaceSettings = {
  description: z.string().max(500).nullable(),
  default_text_model: z.string().max(256).nullable(),
  default_image_model: z.string().max(256).nullable(),
  default_provider_sort: z.string().max(50).nullable(),
  is_data_discount_logging_enabled: z.boolean(),
  is_observability_broadcast_enabled: z.boolean(),
  is_observability_io_logging_enabled: z.boolean(),
  /** Share of requests whose content is logged, where that is on. */
  io_logging_sampling_rate: z.number().min(0.0001).max(1),
  io_logging_api_key_ids: z.array(z.int()).max(500).nullable(),
  include_byok_in_budgets: z.boolean(),
  disabled_server_tools: z.array(z.string().min(1).max(64)).max(50).nullable(),
  /** Plugins of requests that do not name them. */
  default_plugins: defaultPlugins.nullable(),
} as const;

export const workspaceRecordSchema = z.object({
  id: z.uuid(),
  name: z.string().min(1).max(100),
  slug: workspaceSlugSchema,
  default_guardrail_id: z.uuid(),
  ...workspaceSettings,
  created_by: z.string().nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
});
export type WorkspaceRecord = z.infer<typeof workspaceRecordSchema>;

const most = z.int().min(1).max(1_000_000_000_000).nullable();

/** Null: no such limit. */
export const rateLimitsSchema = z.object(eachRateLimit(() => most));

/** Member of a workspace. Users are names that the operator chooses. */
export const memberSchema = z.object({
  id: z.string(),
  user_id: z.string(),
  workspace_id: z.uuid(),
  role: z.enum(["admin", "member"]),
  created_at: timestampSchema,
});
export type WorkspaceMember = z.infer<typeof memberSchema>;

export const budgetSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  limit_usd: z.number(),
  /** Null: it never resets. */
  reset_interval: z.enum(["daily", "weekly", "monthly"]).nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type BudgetRecord = z.infer<typeof budgetSchema>;
