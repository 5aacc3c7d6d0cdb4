/**
 * Tools that Anthropic defines and the client runs. Its models know their schemas; any other model is offered a function
 * of the same name and schema, whose calls the client answers just the same.
 */

import type { FunctionTool } from "../../canonical/request.ts";
import type { JsonObject } from "../../canonical/item.ts";

interface DatedTool {
  readonly type: string;
  /** The name under which the client expects its calls; absent: that of the version. */
  readonly name?: string | null;
}

/** The function that stands for a tool at other makers' models; undefined for tools of another kind. */
export function clientToolFunction({ type, name }: DatedTool): FunctionTool | undefined {
  const [, family = "", date = ""] = /^([a-z_]+)_(\d{8})$/.exec(type) ?? [];
  const found = families.get(family)?.(date);
  return found && { type: "function", ...found, name: name || found.name };
}

type ClientTool = Required<Pick<FunctionTool, "name" | "description" | "parameters">>;

const families: ReadonlyMap<string, (date: string) => ClientTool> = new Map([
  ["bash", () => bash],
  ["text_editor", textEditor],
  ["memory", () => memory],
]);

const bash: ClientTool = {
  name: "bash",
  description: "Runs commands in a bash session that lasts from call to call.",
  parameters: schema({
    command: { type: "string", description: "The command to run. Required unless restart is true." },
    restart: { type: "boolean", description: "True begins a new session." },
  }, []),
};

const path = { type: "string", description: "Absolute path of a file or a directory." };
const line = { type: "integer", description: "insert: the line behind which to insert; 0 is the beginning." };
const text = (what: string) => ({ type: "string", description: what });

const editing = {
  path,
  file_text: text("create: the content of the file."),
  old_str: text("str_replace: the text to replace. It must stand exactly once in the file."),
  insert_line: line,
  view_range: {
    type: "array",
    items: { type: "integer" },
    description: "view: the first and the last line to show, from 1; -1 is the end of the file.",
  },
};

/** Newer versions cannot undo, and have a word of their own for what is inserted. */
function textEditor(date: string): ClientTool {
  const isOld = date < "20250429";
  const commands = ["view", "create", "str_replace", "insert", ...(isOld ? ["undo_edit"] : [])];
  const inserted = isOld
    ? { new_str: text("str_replace: the text in its place. insert: the text to insert.") }
    : {
      new_str: text("str_replace: the text in its place."),
      insert_text: text("insert: the text to insert."),
    };
  return {
    name: isOld ? "str_replace_editor" : "str_replace_based_edit_tool",
    description: "Views, creates and edits text files.",
    parameters: schema(
      { command: { type: "string", enum: commands }, ...editing, ...inserted },
      ["command", "path"],
    ),
  };
}

const memory: ClientTool = {
  name: "memory",
  description: "Keeps files below /memories, which last from conversation to conversation. View it first.",
  parameters: schema({
    command: { type: "string", enum: ["view", "create", "str_replace", "insert", "delete", "rename"] },
    ...editing,
    new_str: text("str_replace: the text in its place."),
    insert_text: text("insert: the text to insert."),
    old_path: text("rename: the path that it has."),
    new_path: text("rename: the path that it gets."),
  }, ["command"]),
};

function schema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required };
}
