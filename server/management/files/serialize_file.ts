/** File records in the three shapes that clients know, and which one a client gets (specification, Files). */

import type { FileDeletedReply, FileListReply, FileReply, FileShape } from "../../../shared/files.ts";
import { type FileRow, publicFileId } from "../../storage/files/file_rows.ts";
import type { OperationInput } from "../core/operation.ts";

/** Purpose that OpenAI's clients give to a file that is an input of a model. */
const DEFAULT_PURPOSE = "user_data";
const PURPOSE_OF_OUTPUT = "assistants_output";

interface ShapeInput extends Pick<OperationInput, "header"> {
  readonly query: { readonly provider?: "openai" | "anthropic" };
}

/** The provider that is named decides, else the client: by what its libraries send. */
export function fileShapeOf({ query: { provider }, header }: ShapeInput): FileShape {
  if (provider !== undefined) return provider;
  if (header("user-agent")?.includes("OpenAI/")) return "openai";
  return header("anthropic-version") === null ? "openrouter" : "anthropic";
}

/** In which order a list is that does not say: the newest file first, as OpenAI's clients expect it. */
export const defaultOrder = (shape: FileShape): "asc" | "desc" => shape === "openai" ? "desc" : "asc";

export function serializeFile(row: FileRow, shape: FileShape): FileReply {
  const { filename, mime_type, size, created_at, origin } = row;
  const id = publicFileId(row);
  if (shape === "openai") {
    return {
      _shape: shape,
      id,
      object: "file",
      bytes: size,
      created_at: Math.floor(Date.parse(created_at) / 1_000),
      filename,
      purpose: row.purpose ?? (origin === "upload" ? DEFAULT_PURPOSE : PURPOSE_OF_OUTPUT),
      status: "processed",
    };
  }
  return {
    _shape: shape,
    type: "file",
    id,
    filename,
    mime_type,
    size_bytes: size,
    created_at,
    downloadable: origin !== "upload",
  };
}

interface FilePageInput {
  readonly rows: readonly FileRow[];
  readonly hasMore: boolean;
  readonly shape: FileShape;
}

export function serializeFiles({ rows, hasMore, shape }: FilePageInput): FileListReply {
  return filePage({ data: rows.map((row) => serializeFile(row, shape)), hasMore, shape });
}

/** A page of files that are in their shape already. */
export function filePage({ data, hasMore, shape, next }: {
  readonly data: FileReply[];
  readonly hasMore: boolean;
  readonly shape: FileShape;
  /** How a provider names the page behind this one. */
  readonly next?: string;
}): FileListReply {
  const last = data.at(-1)?.id ?? null;
  const page = { data, first_id: data.at(0)?.id ?? null, last_id: last, has_more: hasMore };
  if (shape === "openai") return { _shape: shape, object: "list", ...page };
  return shape === "anthropic"
    ? { _shape: shape, ...page, next_page: next ?? (hasMore ? last : null) }
    : { _shape: shape, ...page, cursor: hasMore ? last : null };
}

export function serializeDeletedFile(id: string, shape: FileShape): FileDeletedReply {
  return shape === "openai"
    ? { _shape: shape, id, object: "file", deleted: true }
    : { _shape: shape, id, type: "file_deleted" };
}
