/** Presets: settings of requests that are kept under a slug, in versions (docs/presets.md). */

import * as z from "zod";
import { timestampSchema } from "../keys.ts";

export const presetSlugSchema = z.string().min(1).max(64).regex(/^[a-z0-9][a-z0-9_-]*$/);

export const presetStatuses = ["active", "disabled", "archived"] as const;

/** One version: settings as POST /chat/completions spells them, and the text that instructs the model. */
export const presetVersionSchema = z.object({
  id: z.uuid(),
  preset_id: z.uuid(),
  /** From 1; the newest one is used. */
  version: z.int().positive(),
  config: z.record(z.string(), z.unknown()),
  system_prompt: z.string().nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
  /** Hash of the management key that saved it. */
  creator_id: z.string(),
});
export type PresetVersion = z.infer<typeof presetVersionSchema>;

export const presetSchema = z.object({
  id: z.uuid(),
  slug: presetSlugSchema,
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(presetStatuses),
  status_updated_at: timestampSchema.nullable(),
  workspace_id: z.uuid(),
  /** Id of the newest version. */
  designated_version_id: z.uuid(),
  /** Number of the newest version. */
  version: z.int().positive(),
  /** Always null: management keys save presets, whose hash each version has. */
  creator_user_id: z.null(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type PresetRecord = z.infer<typeof presetSchema>;

/** The version of a preset that a request used, for its receipt. */
export const usedPresetSchema = z.object({
  id: z.uuid(),
  slug: presetSlugSchema,
  version: z.int().positive(),
});
export type UsedPreset = z.infer<typeof usedPresetSchema>;
