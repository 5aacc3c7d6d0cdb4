/** Workspaces as they go over the wire (wire-reference §9.2). */

import * as z from "zod";
import { timestampSchema } from "./keys.ts";

/** Lower-case words joined by single hyphens, 1 to 50 characters. */
export const workspaceSlugSchema = z.string().min(1).max(50).regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);

/** The slug of the workspace that the first start makes. */
export const DEFAULT_WORKSPACE_SLUG = "default";

export const workspaceRecordSchema = z.object({
  id: z.uuid(),
  name: z.string().min(1).max(100),
  slug: workspaceSlugSchema,
  description: z.string().max(500).nullable(),
  default_guardrail_id: z.uuid(),
  default_text_model: z.string().nullable(),
  default_image_model: z.string().nullable(),
  default_provider_sort: z.string().nullable(),
  is_data_discount_logging_enabled: z.boolean(),
  is_observability_broadcast_enabled: z.boolean(),
  is_observability_io_logging_enabled: z.boolean(),
  /** Share of requests whose content is logged, where that is on. */
  io_logging_sampling_rate: z.number().min(0.0001).max(1),
  io_logging_api_key_ids: z.array(z.int()).nullable(),
  include_byok_in_budgets: z.boolean(),
  disabled_server_tools: z.array(z.string()).nullable(),
  created_by: z.string().nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
});
export type WorkspaceRecord = z.infer<typeof workspaceRecordSchema>;
