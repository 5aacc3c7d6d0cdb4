/** A file as text, for people who look at it. */

import type { fileApi } from "../../../shared/management/files.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { FileRow } from "../../storage/files/file_rows.ts";
import type { ReadResult } from "../../web/reader/reader.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationOutput } from "../../../shared/management/operation.ts";
import type { OperationInput } from "../core/operation.ts";
import { fileScope, requireFile } from "./file_scope.ts";

type Row = (typeof fileApi)["files.text"];

/** Most characters of the text that is shown. */
const MAX_CHARACTERS = 100_000;
const MAX_BYTES = 10 * 1024 * 1024;

export async function fileText(
  { store, files, readDocument }: Pick<ManagementDeps, "store" | "files" | "readDocument">,
  input: OperationInput<Row>,
): Promise<OperationOutput<Row>> {
  const scope = await fileScope(store, { ...input, verb: "read file" });
  const row = await requireFile(files, { scope, input });
  assertReadable(row);
  const body = await new Response(await files.open(row)).bytes();
  const { signal } = new AbortController();
  const contentType = row.mime_type;
  return serializeText(
    await readDocument({ body, contentType, url: "", maxCharacters: MAX_CHARACTERS, signal }),
  );
}

/** As its bytes: what a client has uploaded is not handed out. */
function assertReadable({ origin, size }: FileRow): void {
  if (origin === "upload") {
    throw cannotRead("it was uploaded; only files that the server made can be read");
  }
  if (size > MAX_BYTES) throw cannotRead(`it is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
}

const cannotRead = (why: string) =>
  new ApiError("invalid_request", `Cannot read file: ${why}`, { metadata: { path: "file_id" } });

function serializeText(result: ReadResult): OperationOutput<Row> {
  if (result.type === "failed") {
    const { isPassing, message } = result;
    throw isPassing ? new ApiError("unavailable", message) : cannotRead(lowerFirst(message));
  }
  const { text, truncated, title = null, pages = null } = result;
  return { data: { text, truncated, title, pages } };
}

/** A sentence behind a colon, without its full stop. */
const lowerFirst = (sentence: string) =>
  sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
