/** Containers and their files as they go over the wire (specification, Download container file content). */

import * as z from "zod";
import { timestampSchema } from "./keys.ts";

const lastCommandSchema = z.object({
  language: z.enum(["bash", "python"]),
  /** At most 1,000 characters: those in the middle of a longer one are left out. */
  command: z.string(),
  status: z.enum(["exit", "timeout", "failed"]),
  /** Null where it was ended from outside. */
  exit_code: z.int().nullable(),
  started_at: timestampSchema,
  seconds: z.number().nonnegative(),
});

const containerSchema = z.object({
  id: z.string(),
  object: z.literal("container"),
  workspace_id: z.uuid(),
  /** `sleeping` where it has no process, and its network policy may change. */
  status: z.enum(["running", "sleeping"]),
  files: z.int().nonnegative(),
  /** Bytes of all files. */
  bytes: z.int().nonnegative(),
  network_policy: z.discriminatedUnion("type", [
    z.object({ type: z.literal("disabled") }),
    z.object({ type: z.literal("allowlist"), allowed_domains: z.array(z.string()) }),
  ]),
  created_at: timestampSchema,
  last_used_at: timestampSchema,
  /** The command that ran last in it, without its output; null before the first. */
  last_command: lastCommandSchema.nullable(),
  /** When it is deleted, unless it is used before. */
  expires_at: timestampSchema,
});
export type ContainerReply = z.infer<typeof containerSchema>;

const page = { first_id: z.string().nullable(), last_id: z.string().nullable(), has_more: z.boolean() };

export const containerListSchema = z.object({
  object: z.literal("list"),
  data: z.array(containerSchema),
  ...page,
});

export const containerFileSchema = z.object({
  id: z.string(),
  object: z.literal("container.file"),
  container_id: z.string(),
  path: z.string(),
  bytes: z.int().nonnegative(),
  /** Seconds since the epoch. */
  created_at: z.int(),
  source: z.literal("assistant"),
});
export type ContainerFileReply = z.infer<typeof containerFileSchema>;

export const containerFileListSchema = z.object({
  object: z.literal("list"),
  data: z.array(containerFileSchema),
  ...page,
});

export const containerDeletedSchema = z.object({
  id: z.string(),
  object: z.enum(["container.deleted", "container.file.deleted"]),
  deleted: z.literal(true),
});
