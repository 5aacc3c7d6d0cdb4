/**
 * Provider keys that a workspace brings, as they go over the wire (specification, BYOK). The key itself never does.
 */

import * as z from "zod";
import { tryParseJson } from "./util/json.ts";
import { keyHashSchema, timestampSchema } from "./keys.ts";

const names = z.array(z.string().min(1).max(1_024)).max(100).nullable();

/** Settings that may be sent when one is made, and changed later. */
export const byokSettings = {
  name: z.string().max(255).nullable(),
  disabled: z.boolean(),
  /** Used after the gateway's own key at that provider. */
  is_fallback: z.boolean(),
  /** For its models, the gateway's own key at that provider is not used. */
  is_required: z.boolean(),
  /** For no model is it. */
  is_byok_only: z.boolean(),
  /** Null: no restriction. Names may be patterns. */
  allowed_models: names,
  allowed_user_ids: names,
  allowed_api_key_hashes: z.array(keyHashSchema).min(1).max(100).nullable(),
  /** Statement on zero data retention for the account behind it; null: that of the provider. */
  declared_zdr: z.boolean().nullable(),
} as const;

export const providerSlugSchema = z.string().min(1).max(100).regex(
  /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9._-]+)*$/,
);

/** It travels in a header, or is the JSON that a cloud gives out. The fault never quotes it. */
export const providerKeySchema = z.string().min(1).max(20_000).transform((key) => key.trim()).refine(
  (key) => /^[\x21-\x7e]+$/.test(key) || isJsonObject(key),
  { error: "is no key: printable ASCII without spaces is allowed, or a JSON object" },
);

function isJsonObject(text: string): boolean {
  return text.startsWith("{") && tryParseJson(text) !== undefined;
}

export const byokRecordSchema = z.object({
  id: z.uuid(),
  provider: providerSlugSchema,
  /** The key's beginning and its last three characters. */
  label: z.string(),
  /** Null: of every workspace. */
  workspace_id: z.uuid().nullable(),
  /** Its place among those of the same provider and workspace. */
  sort_order: z.int(),
  ...byokSettings,
  created_at: timestampSchema,
});
export type ByokRecord = z.infer<typeof byokRecordSchema>;
