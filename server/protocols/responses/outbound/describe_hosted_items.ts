/** Hosted tools' items in words, for the wires that cannot carry them (protocols/canonical/item.ts, `told`). */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** Describes an item for a later turn; undefined when there is nothing worth saying. */
export function describeHostedCall(kind: string, value: JsonObject): string | undefined {
  const words = ownValue(tellers, kind)?.(value)?.trim();
  return words === undefined || words === "" ? undefined : words.slice(0, longest);
}

/** Characters; more would crowd out the conversation. */
const longest = 8_192;

type Describe = (value: JsonObject) => string | undefined;

const tellers: Readonly<Partial<Record<string, Describe>>> = {
  web_search_call: describeSearch,
  file_search_call: ({ queries, results }) =>
    `[Searched files for ${quoted(queries)}]${lines(results, fileLine)}`,
  code_interpreter_call: ({ code, outputs }) => `[Ran code]\n${text(code)}${lines(outputs, logLine)}`,
  image_generation_call: ({ revised_prompt: prompt }) =>
    `[Generated an image${prompt ? `: ${text(prompt)}` : ""}]`,
  computer_call: ({ action, actions }) => `[Used the computer: ${JSON.stringify(action ?? actions ?? {})}]`,
  mcp_call: ({ server_label: server, name, arguments: args, output }) =>
    `[Called ${text(server)}.${text(name)} with ${text(args)}]${output ? `\n${text(output)}` : ""}`,
  local_shell_call: ({ action }) => `[Ran a command: ${list(record(action).command).join(" ")}]`,
  local_shell_call_output: ({ output }) => `[Output]\n${text(output)}`,
  shell_call: ({ action }) => `[Ran commands]\n${list(record(action).commands).join("\n")}`,
  shell_call_output: ({ output }) => `[Output]${lines(output, shellLine)}`,
  apply_patch_call: ({ operation }) => {
    const { type, path, diff } = record(operation);
    return `[Patched a file: ${text(type)} ${text(path)}]\n${text(diff)}`;
  },
  apply_patch_call_output: ({ status, output }) => `[Patch ${text(status)}] ${text(output)}`,
};

function describeSearch({ action }: JsonObject): string {
  const { type, query, queries, url, pattern, sources } = record(action);
  if (type === "open_page") return `[Opened ${text(url)}]`;
  if (type === "find_in_page") return `[Looked for "${text(pattern)}" in ${text(url)}]`;
  const words = quoted(queries ?? [query]);
  return `[Searched the web${words && ` for ${words}`}]${lines(sources, (one) => text(one.url))}`;
}

const fileLine = (found: JsonObject) => `${text(found.filename)}: ${text(found.text)}`;
const logLine = (output: JsonObject) => text(output.logs ?? output.url);
const shellLine = (output: JsonObject) =>
  [text(output.stdout), text(output.stderr)].filter(Boolean).join("\n");

function quoted(value: unknown): string {
  return list(value).filter((one) => typeof one === "string").map((one) => `"${one}"`).join(", ");
}

function lines(value: unknown, line: (one: JsonObject) => string): string {
  return list(value).map((one) => `\n${line(record(one))}`).join("");
}

const text = (value: unknown) => typeof value === "string" ? value : "";
const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
const record = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? { ...value } : {};
