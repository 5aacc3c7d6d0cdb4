/** The file operations (specification, Download file content; specification, Files). */

import * as z from "zod";
import {
  fileDeletedSchema,
  fileListSchema,
  fileProviderSchema,
  fileSchema,
  fileTextSchema,
} from "../files.ts";
import { timestampSchema } from "../keys.ts";
import { type ManagementOperation, pageQuery, workspaceQuery } from "./operation.ts";

/** A file with the workspace that it belongs to. */
const foundFileSchema = z.object({
  id: z.string(),
  workspace_id: z.uuid(),
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  created_at: timestampSchema,
  downloadable: z.boolean(),
});
export type FoundFile = z.infer<typeof foundFileSchema>;

export const DEFAULT_FILE_PAGE_SIZE = 100;

/** Empty texts count as absent. */
const optional = <S extends z.ZodType>(schema: S) =>
  z.union([z.literal("").transform(() => undefined), schema]).optional();

const scope = {
  /** A UUID or a slug. */
  workspace_id: optional(z.string().max(100)),
  provider: optional(fileProviderSchema),
};

const fileId = optional(z.string().max(200));
const noBefore = optional(
  z.string().refine(() => false, {
    error: "is not supported: files are listed forwards only, with after_id",
  }),
);

const both = { who: ["api", "management"] } as const;

export const fileApi = {
  "files.upload": {
    ...both,
    errors: "upload_file",
    method: "POST",
    path: "/files",
    summary: "Uploads a file: a multipart form with one part named file.",
    verb: "upload file",
    query: z.object(scope),
    body: "multipart",
    output: fileSchema,
  },
  "files.list": {
    ...both,
    errors: "files",
    method: "GET",
    path: "/files",
    summary: "Lists files; an API key sees those that it has made.",
    verb: "list files",
    query: z.object({
      ...scope,
      limit: optional(z.coerce.number().pipe(z.int().min(1).max(1_000))),
      cursor: fileId,
      after: fileId,
      after_id: fileId,
      page: fileId,
      before_id: noBefore,
      /** By the time at which they were made. Absent: the client's own default. */
      order: optional(z.enum(["asc", "desc"])),
      purpose: optional(z.string().max(64)),
    }),
    output: fileListSchema,
  },
  "files.search": {
    who: ["management"],
    errors: "other",
    method: "GET",
    path: "/files/search",
    summary: "Finds files of one or of all workspaces by their names, newest first.",
    verb: "search files",
    query: z.object({
      workspace_id: workspaceQuery,
      /** Words of the name, in any case; each has to be found. */
      q: optional(z.string().max(255)),
      /** The `next` of the page before. */
      cursor: fileId,
      limit: pageQuery.limit,
    }),
    output: z.object({
      data: z.array(foundFileSchema),
      /** Null at the end. A page may be short, even empty, and still have one: few files pass. */
      next: z.string().nullable(),
      /** Files that were made before this were not looked at; null at the end. */
      scanned_until: timestampSchema.nullable(),
    }),
  },
  "files.get": {
    ...both,
    errors: "files",
    method: "GET",
    path: "/files/:file_id",
    summary: "Shows one file.",
    verb: "show file",
    query: z.object(scope),
    output: fileSchema,
  },
  "files.delete": {
    ...both,
    errors: "files",
    method: "DELETE",
    path: "/files/:file_id",
    summary: "Deletes a file and its bytes.",
    verb: "delete file",
    query: z.object(scope),
    output: fileDeletedSchema,
  },
  "files.content": {
    who: ["management"],
    errors: "download_file",
    method: "GET",
    path: "/files/:file_id/content",
    summary: "Downloads a file that the server made.",
    verb: "download file",
    query: z.object(scope),
    output: "bytes",
  },
  "files.text": {
    who: ["management"],
    errors: "download_file",
    method: "GET",
    path: "/files/:file_id/text",
    summary: "Shows the text of a PDF or text that the server made.",
    verb: "read file",
    query: z.object({ workspace_id: scope.workspace_id }),
    output: fileTextSchema,
  },
} as const satisfies Record<string, ManagementOperation>;
