/** File operations (specification, Download file content; specification, Files). */

import type { fileApi } from "../../../shared/management/files.ts";
import { DEFAULT_FILE_PAGE_SIZE } from "../../../shared/management/files.ts";
import { ApiError } from "../../../shared/errors.ts";
import { FILE_ID_PREFIX, isGatewayFileId } from "../../../shared/files.ts";
import type { FileDownload } from "../../../shared/management/operation.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { type FileRow, publicFileId } from "../../storage/files/file_rows.ts";
import type { WrittenContent } from "../../storage/files/file_store.ts";
import type { StorePut } from "../../storage/stores/store.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import { auditCaller } from "../core/write.ts";
import { fileScope, requireFile, workspaceCheck } from "./file_scope.ts";
import { fileText } from "./file_text.ts";
import { findFiles } from "./search_operation.ts";
import { ProviderFiles } from "./provider_files.ts";
import {
  defaultOrder,
  fileShapeOf,
  serializeDeletedFile,
  serializeFile,
  serializeFiles,
} from "./serialize_file.ts";

type Api = typeof fileApi;
type Of<K extends keyof Api> = OperationInput<Api[K]>;

type FileOperationDeps = Pick<
  ManagementDeps,
  "store" | "runtime" | "audit" | "files" | "vault" | "fileApis" | "readDocument" | "pause"
>;

/** Each of them at the provider that is named, else on the gateway's own files. */
export function fileOperations(deps: FileOperationDeps): OperationHandlers<Api> {
  const elsewhere = new ProviderFiles(deps);
  return {
    "files.upload": (input) => {
      const { provider } = input.query;
      return provider === undefined ? upload(deps, input) : elsewhere.upload(provider, input);
    },
    "files.list": (input) => {
      const { provider } = input.query;
      return provider === undefined ? list(deps, input) : elsewhere.list(provider, input);
    },
    "files.search": (input) => findFiles(deps, input),
    "files.get": (input) => {
      const { provider } = input.query;
      return provider === undefined ? show(deps, input) : elsewhere.get(provider, input);
    },
    "files.delete": (input) => {
      const { provider } = input.query;
      return provider === undefined ? remove(deps, input) : elsewhere.delete(provider, input);
    },
    "files.content": (input) => {
      const { provider } = input.query;
      return provider === undefined ? download(deps, input) : elsewhere.download(provider, input);
    },
    "files.text": (input) => fileText(deps, input),
  };
}

async function show(deps: FileOperationDeps, input: Of<"files.get">) {
  const scope = await fileScope(deps.store, { ...input, verb: "show file" });
  return serializeFile(await requireFile(deps.files, { scope, input }), fileShapeOf(input));
}

async function upload(deps: FileOperationDeps, input: Of<"files.upload">) {
  const { store, files } = deps;
  const scope = await fileScope(store, { ...input, verb: "upload file" });
  const check = () => workspaceCheck(store, scope.workspaceId);
  await files.prepare(scope.workspaceId, check);
  let filename = "";
  let written: WrittenContent | undefined;
  const received = input.body.receive(async (file) => {
    filename = file.filename;
    written = await files.writeContent(scope.workspaceId, file.content);
  });
  const fields = await received.catch(async (error: unknown) => {
    if (written !== undefined) await files.discardContent(written);
    throw error;
  });
  if (written === undefined) throw new Error("Cannot upload file: a form without a file was taken for one");
  const row = await files.commit(written, {
    keyId: scope.keyId ?? null,
    filename,
    origin: "upload",
    purpose: parsePurpose(fields.get("purpose")),
    workspaceCheck: check,
    puts: (made) => auditPuts(deps, { input, operation: "files.upload", after: made }),
  });
  return serializeFile(row, fileShapeOf(input));
}

/** A word of OpenAI's; anything that looks like one is given back as it came. */
function parsePurpose(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w-]{1,64}$/.test(text) ? text : undefined;
}

interface AuditedChange {
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  readonly operation: string;
  readonly before?: FileRow;
  readonly after?: FileRow;
}

/** The audit log tells what management keys do; what API keys upload is no change of the installation. */
function auditPuts(
  { audit }: FileOperationDeps,
  { input, operation, before, after }: AuditedChange,
): readonly StorePut[] {
  const row = after ?? before;
  if (input.caller.kind !== "management" || row === undefined) return [];
  const describe = (one: FileRow | undefined) => one === undefined ? null : serializeFile(one, "openrouter");
  return [audit.put({
    ...auditCaller(input),
    operation,
    subject: { type: "file", id: publicFileId(row) },
    before: describe(before),
    after: describe(after),
  })];
}

async function list(deps: FileOperationDeps, input: Of<"files.list">) {
  const { store, files } = deps;
  const { query } = input;
  const scope = await fileScope(store, { ...input, verb: "list files" });
  const { limit = DEFAULT_FILE_PAGE_SIZE, purpose } = query;
  const after = pageStart(query);
  const shape = fileShapeOf(input);
  const order = query.order ?? defaultOrder(shape);
  const rows = await files.list({ ...scope, limit, purpose, after, newestFirst: order === "desc" });
  return serializeFiles({ rows: rows.slice(0, limit), hasMore: rows.length > limit, shape });
}

/** The id behind which a page begins, in whichever words it is asked for. Throws an ApiError (400) for what is none. */
function pageStart({ cursor, after, after_id, page }: Of<"files.list">["query"]): string | undefined {
  const [name, id] =
    Object.entries({ cursor, after, after_id, page }).find(([, value]) => value !== undefined) ??
      [];
  if (id === undefined) return undefined;
  if (isGatewayFileId(id)) return id.slice(FILE_ID_PREFIX.length);
  throw new ApiError(
    "invalid_request",
    `Cannot list files: ${name} is ${formatValue(id)}; the id of the last file of a page is needed`,
    { metadata: { path: name } },
  );
}

async function remove(deps: FileOperationDeps, input: Of<"files.delete">) {
  const scope = await fileScope(deps.store, { ...input, verb: "delete file" });
  const row = await requireFile(deps.files, { scope, input });
  const puts = auditPuts(deps, { input, operation: "files.delete", before: row });
  if (!await deps.files.delete(row, puts)) {
    throw new ApiError("not_found", "There is no file with this id.");
  }
  return serializeDeletedFile(publicFileId(row), fileShapeOf(input));
}

async function download(deps: FileOperationDeps, input: Of<"files.content">): Promise<FileDownload> {
  const { store, files } = deps;
  const scope = await fileScope(store, { ...input, verb: "download file" });
  const row = await requireFile(files, { scope, input });
  if (row.origin === "upload") {
    throw new ApiError(
      "invalid_request",
      "Cannot download file: it was uploaded; only files that the server made can be downloaded",
      { metadata: { path: "file_id" } },
    );
  }
  const { filename, size, sha256 } = row;
  return { filename, size, sha256, open: (range) => files.open(row, range) };
}
