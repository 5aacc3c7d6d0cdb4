/** Text files of the workspace: listed, read, written and edited. An edit makes a new file, and the old one stays. */

import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import {
  failedCall,
  textOf,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
} from "../tool_definition.ts";
import { editText, readText, withoutMark } from "./edit_text.ts";
import type { FileOwner, WorkspaceFile, WorkspaceFiles } from "./workspace_files.ts";

const operations = ["list", "read", "write", "edit"] as const;
type Operation = typeof operations[number];

/** Operations of one response. */
const MOST_OPERATIONS = 50;
/** Bytes of a text. */
const MOST_BYTES = 1024 * 1024;
/** Files that a list tells of, and that it looks through. */
const MOST_LISTED = 100;
const MOST_SEARCHED = 1_000;

const parameters = {
  type: "object",
  properties: {
    operation: { type: "string", enum: operations },
    file_id: { type: "string", description: "read, edit: the file." },
    filename: { type: "string", description: "write: the name of the new file." },
    filename_filter: { type: "string", description: "list: only files whose names have this text in them." },
    content: { type: "string", description: "write: the text of the new file." },
    old_string: {
      type: "string",
      description: "edit: the text to replace. It must be in the file exactly once.",
    },
    new_string: { type: "string", description: "edit: the text in its place." },
    new_filename: {
      type: "string",
      description: "edit: the name of the edited copy; absent: the same name.",
    },
  },
  required: ["operation"],
  additionalProperties: false,
} as const;

export const files: ToolDefinition = {
  kind: "files",
  describe: () => ({
    description:
      "Lists, reads, writes and edits the user's text files. Files are never changed: an edit makes a new " +
      "file with an id of its own, and the old one stays.",
    parameters,
  }),
  isAvailable: ({ deps }) => deps.workspaceFiles !== undefined,
  switchOn: "It needs a place for files: the operator has to set TOLLGATE_BLOBS to an S3 bucket.",
  itemFields: ({ operation, file_id, filename }) =>
    omitUndefined({ operation: textOf(operation), file_id: textOf(file_id), filename: textOf(filename) }),
  failedStatus: "incomplete",
  outputOf: ({ result, error }) => {
    if (textOf(error) !== undefined) return JSON.stringify({ error });
    const text = textOf(result);
    return text === undefined ? undefined : `{"result":${text}}`;
  },
  check: faultOf,
  run,
};

/** Names the argument that is wrong; undefined where none is. */
function faultOf(args: JsonObject): string | undefined {
  const { operation, content, old_string, new_string } = args;
  switch (operations.find((one) => one === operation)) {
    case "list":
      return undefined;
    case "read":
      return missing(args, ["file_id"]);
    case "write":
      return missing(args, ["filename"]) ??
        (typeof content === "string" ? tooLong(content) : "content is missing.");
    case "edit":
      return missing(args, ["file_id"]) ??
        (textOf(old_string) === undefined ? "old_string is missing." : undefined) ??
        (typeof new_string === "string" ? undefined : "new_string is missing.");
    case undefined:
      return `operation is not one of ${operations.join(", ")}.`;
  }
}

function missing(args: JsonObject, names: readonly string[]): string | undefined {
  const name = names.find((one) => textOf(args[one]) === undefined);
  return name === undefined ? undefined : `${name} is missing.`;
}

/** A text as its file would have it, or why it may not be one. */
function tooLong(content: string): string | undefined {
  return content.length > MOST_BYTES || new TextEncoder().encode(content).length > MOST_BYTES
    ? "The text has more than 1 MiB."
    : undefined;
}

interface FileCall {
  readonly args: JsonObject;
  readonly owner: FileOwner;
  readonly store: WorkspaceFiles;
}

/** The result for the model, or a sentence that says why there is none. */
type FileResult = { readonly result: JsonObject } | { readonly fault: string };

const byOperation: Readonly<Record<Operation, (call: FileCall) => Promise<FileResult>>> = {
  list: listFiles,
  read: readFile,
  write: writeFile,
  edit: editFile,
};

async function run({ args, session, deps, memory }: ToolInput): Promise<ToolOutcome> {
  const { workspaceFiles } = deps;
  const operation = operations.find((one) => one === args.operation);
  if (workspaceFiles === undefined || operation === undefined) {
    return failed("There is no place for files here.");
  }
  if (!memory.takeUse("files", MOST_OPERATIONS)) {
    return failed(`There have been ${MOST_OPERATIONS} file operations, the most of one response.`);
  }
  const done = await byOperation[operation]({ args, owner: session, store: workspaceFiles });
  if ("fault" in done) return failed(done.fault);
  const result = JSON.stringify(done.result);
  return { output: `{"result":${result}}`, fields: { result } };
}

const failed = (error: string): ToolOutcome => failedCall(error, { error });

async function listFiles({ args, owner, store }: FileCall): Promise<FileResult> {
  const filter = textOf(args.filename_filter) ?? "";
  const all = await store.list(owner, MOST_SEARCHED + 1);
  const found = all.slice(0, MOST_SEARCHED).filter(({ filename }) => filename.includes(filter));
  const notes = [
    ...(found.length > MOST_LISTED ? [`Only the newest ${MOST_LISTED} of ${found.length} are listed.`] : []),
    ...(all.length > MOST_SEARCHED ? [`Only the newest ${MOST_SEARCHED} files were looked at.`] : []),
  ];
  const listed = found.slice(0, MOST_LISTED).map(describeFile);
  return { result: { files: listed, ...(notes.length === 0 ? {} : { note: notes.join(" ") }) } };
}

const describeFile = ({ id, filename, mimeType, size, createdAt }: WorkspaceFile): JsonObject => ({
  file_id: id,
  filename,
  mime_type: mimeType,
  size_bytes: size,
  created_at: createdAt,
});

async function readFile(call: FileCall): Promise<FileResult> {
  const loaded = await loadText(call);
  if ("fault" in loaded) return loaded;
  const { file: { id, filename }, text } = loaded;
  return { result: { file_id: id, filename, content: withoutMark(text) } };
}

async function writeFile({ args: { filename, content }, owner, store }: FileCall): Promise<FileResult> {
  const bytes = new TextEncoder().encode(String(content));
  return { result: describeFile(await store.write(owner, { filename: String(filename), bytes })) };
}

async function editFile(call: FileCall): Promise<FileResult> {
  const { args: { old_string, new_string, new_filename }, owner, store } = call;
  const loaded = await loadText(call);
  if ("fault" in loaded) return loaded;
  const { file, text } = loaded;
  const edited = editText(text, { from: String(old_string), to: String(new_string) });
  if ("fault" in edited) return edited;
  const fault = tooLong(edited.text);
  if (fault !== undefined) return { fault };
  const filename = textOf(new_filename) ?? file.filename;
  const made = await store.write(owner, { filename, bytes: new TextEncoder().encode(edited.text) });
  return { result: { ...describeFile(made), edited_from: file.id } };
}

type LoadedText = { readonly file: WorkspaceFile; readonly text: string } | { readonly fault: string };

async function loadText({ args, owner, store }: FileCall): Promise<LoadedText> {
  const file = await store.find(owner, String(args.file_id));
  if (file === undefined) {
    return { fault: "There is no file with this file_id; list the files for their ids." };
  }
  if (file.size > MOST_BYTES) return { fault: "The file has more than 1 MiB." };
  const text = readText(await store.read(owner, file.id));
  return text === undefined ? { fault: "The file is no text in UTF-8." } : { file, text };
}
