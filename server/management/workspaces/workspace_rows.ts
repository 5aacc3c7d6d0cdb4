/** Workspaces as they are stored, the index that finds them by slug, and what is left of a deletion under way. */

import { hash } from "node:crypto";
import * as z from "zod";
import { timestampSchema } from "../../../shared/keys.ts";
import { eachRateLimit } from "../../../shared/rate_limits.ts";
import {
  memberSchema,
  rateLimitsSchema,
  type WorkspaceRecord,
  workspaceSettings,
  workspaceSlugSchema,
} from "../../../shared/workspaces.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";

const { shape } = z.object({
  description: workspaceSettings.description.default(null),
  default_text_model: workspaceSettings.default_text_model.default(null),
  default_image_model: workspaceSettings.default_image_model.default(null),
  default_provider_sort: workspaceSettings.default_provider_sort.default(null),
  is_data_discount_logging_enabled: workspaceSettings.is_data_discount_logging_enabled.default(false),
  is_observability_broadcast_enabled: workspaceSettings.is_observability_broadcast_enabled.default(false),
  is_observability_io_logging_enabled: workspaceSettings.is_observability_io_logging_enabled.default(false),
  io_logging_sampling_rate: workspaceSettings.io_logging_sampling_rate.default(1),
  io_logging_api_key_ids: workspaceSettings.io_logging_api_key_ids.default(null),
  include_byok_in_budgets: workspaceSettings.include_byok_in_budgets.default(false),
  disabled_server_tools: workspaceSettings.disabled_server_tools.default(null),
  default_plugins: workspaceSettings.default_plugins.default(null),
});

const workspaceRowSchema = z.object({
  id: z.uuid(),
  name: z.string().min(1).max(100),
  slug: workspaceSlugSchema,
  ...shape,
  created_by: z.string().nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
  /** One that was not there when the row was written is none. */
  rate_limits: z.object(eachRateLimit((name) => rateLimitsSchema.shape[name].default(null)))
    .nullable().default(null),
  /**
   * `closing`: nothing new may come into it while a deletion looks for active keys. `deleting`: it is gone for
   * everybody, and what belongs to it is being removed. Whatever is made in a workspace checks the version of
   * this row in its own commit, so nothing slips in.
   */
  state: z.enum(["active", "closing", "deleting"]).default("active"),
});
export type WorkspaceRow = z.infer<typeof workspaceRowSchema>;

/** Workspaces by id. */
export function workspaceCollection(store: Store): Collection<typeof workspaceRowSchema> {
  return new Collection({ store, name: "workspaces", schema: workspaceRowSchema });
}

const slugSchema = z.object({ id: z.uuid() });

/** Workspace ids by slug; written in the commits that write the workspaces. */
export function workspaceSlugs(store: Store): Collection<typeof slugSchema> {
  return new Collection({ store, name: "workspace_slugs", schema: slugSchema });
}

const deletionSchema = z.object({ id: z.uuid(), at: timestampSchema });

/** Deletions that have begun and not ended, by the workspace's id: any instance may finish them. */
export function workspaceDeletions(store: Store): Collection<typeof deletionSchema> {
  return new Collection({ store, name: "workspace_deletions", schema: deletionSchema });
}

/** Members by workspace and user. */
export function memberCollection(store: Store): Collection<typeof memberSchema> {
  return new Collection({ store, name: "workspace_members", schema: memberSchema });
}

/** 32 hex digits with the hyphens of a UUID. */
export function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A name-based UUID (RFC 9562, version 5) within the workspace's own, so that it is the same everywhere. */
export function defaultGuardrailId(workspaceId: string): string {
  const space = Uint8Array.fromHex(workspaceId.replaceAll("-", ""));
  const name = new TextEncoder().encode("default-guardrail");
  const digest = hash("sha1", new Uint8Array([...space, ...name]), "hex").slice(0, 32);
  const variant = (8 + (parseInt(digest.charAt(16), 16) & 3)).toString(16);
  return toUuid(`${digest.slice(0, 12)}5${digest.slice(13, 16)}${variant}${digest.slice(17)}`);
}

/** A workspace as the operations show it. */
export function serializeWorkspace({ state: _, rate_limits: __, ...row }: WorkspaceRow): WorkspaceRecord {
  return { ...row, default_guardrail_id: defaultGuardrailId(row.id) };
}
