/** Files as they go over the wire, in the three shapes that clients know (specification, Files). */

import * as z from "zod";
import { timestampSchema } from "./keys.ts";

/** OpenAI's ids begin with `file-` and Anthropic's with `file_`: the gateway's own are told from both. */
export const FILE_ID_PREFIX = "tg_file_";

/** Whether an id is one that the gateway gives out, whatever else it names. */
export const isGatewayFileId = (id: string): boolean => /^tg_file_[\da-f]{32}$/.test(id);

/** Maker of a file: a client that uploaded it, a server tool, or a command in a container. */
export const fileOriginSchema = z.enum(["upload", "tool", "container"]);
export type FileOrigin = z.infer<typeof fileOriginSchema>;

const fileShapes = ["openrouter", "anthropic", "openai"] as const;
export type FileShape = typeof fileShapes[number];

/** Providers whose file APIs are reached with the workspace's own key. */
export const fileProviderSchema = z.enum(["openai", "anthropic"]);
export type FileProvider = z.infer<typeof fileProviderSchema>;

const plainFile = {
  type: z.literal("file"),
  id: z.string(),
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  created_at: timestampSchema,
  downloadable: z.boolean(),
};

const openAiFile = z.object({
  _shape: z.literal("openai"),
  id: z.string(),
  object: z.literal("file"),
  bytes: z.int(),
  /** Seconds since the epoch. */
  created_at: z.int(),
  filename: z.string(),
  purpose: z.string(),
  status: z.string(),
});

export const fileSchema = z.discriminatedUnion("_shape", [
  z.object({ _shape: z.literal("openrouter"), ...plainFile }),
  z.object({ _shape: z.literal("anthropic"), ...plainFile }),
  openAiFile,
]);
export type FileReply = z.infer<typeof fileSchema>;

const page = { first_id: z.string().nullable(), last_id: z.string().nullable(), has_more: z.boolean() };

/** A file as text, as far as it was read. */
export const fileTextSchema = z.object({
  data: z.object({
    text: z.string(),
    /** The text goes on. */
    truncated: z.boolean(),
    title: z.string().nullable(),
    /** Number of pages of a document that has any. */
    pages: z.int().nullable(),
  }),
});

export const fileListSchema = z.discriminatedUnion("_shape", [
  z.object({
    _shape: z.literal("openrouter"),
    data: z.array(fileSchema),
    ...page,
    cursor: z.string().nullable(),
  }),
  z.object({
    _shape: z.literal("anthropic"),
    data: z.array(fileSchema),
    ...page,
    /** Cursor that Anthropic's newer clients send as `page`. */
    next_page: z.string().nullable(),
  }),
  z.object({ _shape: z.literal("openai"), object: z.literal("list"), data: z.array(fileSchema), ...page }),
]);
export type FileListReply = z.infer<typeof fileListSchema>;

export const fileDeletedSchema = z.discriminatedUnion("_shape", [
  z.object({ _shape: z.literal("openrouter"), id: z.string(), type: z.literal("file_deleted") }),
  z.object({ _shape: z.literal("anthropic"), id: z.string(), type: z.literal("file_deleted") }),
  z.object({
    _shape: z.literal("openai"),
    id: z.string(),
    object: z.literal("file"),
    deleted: z.literal(true),
  }),
]);
export type FileDeletedReply = z.infer<typeof fileDeletedSchema>;
