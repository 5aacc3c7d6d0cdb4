/**
 * Items of server tools in words, for every wire: such items never leave the gateway themselves
 * (protocols/fields.md). Hosted tools' items are told by `outbound/describe_hosted_items.ts`.
 */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { truncateStart } from "../../../../shared/util/text.ts";
import type { ServiceItemKind } from "../../../../shared/fields/service_tool_names.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { describeHostedCall as tellHosted } from "../outbound/describe_hosted_items.ts";

type Describe = (item: JsonObject) => readonly (string | undefined)[];

/** UTF-16 units; more would crowd out the conversation. */
const LONGEST = 8_192;

/** Describes a replayed item of a hosted tool; undefined when there is nothing worth saying. */
export function describeHostedItem(kind: string, item: JsonObject): string | undefined {
  const teller = ownValue(more, kind);
  return teller === undefined ? tellHosted(kind, item) : join(teller(item));
}

/** Describes a replayed item of a server tool. */
export function describeServiceItem(kind: ServiceItemKind, item: JsonObject): string | undefined {
  return join(service[kind](item));
}

/** Descriptions of further items, which a model's output does not have. */
const more: Readonly<Partial<Record<string, Describe>>> = {
  computer_call_output: () => ["[The computer action was carried out; its screenshot is not shown here]"],
  mcp_approval_request: (item) => [
    `[Asked for approval to call ${text(item.server_label)}.${text(item.name)} with ${text(item.arguments)}]`,
  ],
  mcp_approval_response: (item) => [
    `[The call was ${item.approve === true ? "approved" : "refused"}]`,
    text(item.reason),
  ],
};

const service: Readonly<Record<ServiceItemKind, Describe>> = {
  datetime: (item) => [line("The time was", item.datetime, item.timezone)],
  web_search: (item) => {
    const { query, sources } = record(item.action);
    return [line("Searched the web for", query), ...list(sources).map((source) => text(record(source).url))];
  },
  web_fetch: (item) => [line("Fetched", item.url, item.title), text(item.content), failed(item)],
  files: (item) => [
    line("File operation", item.operation, item.filename ?? item.file_id),
    text(item.result),
    failed(item),
  ],
  bash: (item) => [line("Ran", item.command), ...printed(item), failed(item)],
  shell: (item) => [
    line("Ran", list(record(item.action).commands).map(text).join("\n")),
    ...list(item.output).flatMap((one) => printed(record(one))),
    failed(item),
  ],
  apply_patch: (item) => {
    const { type, path, diff } = record(item.operation);
    return [line("Asked for a patch:", type, path), text(diff)];
  },
  image_generation: (item) => [line("Generated an image", item.revisedPrompt ?? item.prompt)],
  advisor: (item) => [line("Asked the advisor", item.prompt), text(item.advice), failed(item)],
  subagent: (item) => [
    line("Gave a task to a subagent:", item.task_name, item.task_description),
    text(item.outcome),
    failed(item),
  ],
  fusion: tellFusion,
  search_models: (item) => [line("Searched the models for", item.query)],
  tool_search: (item) => [line("Searched the tools for", item.query)],
  mcp: (item) => [line("Called", item.serverLabel, item.toolName)],
  memory: (item) => [line("Memory", item.action, item.key), text(item.value)],
  text_editor: (item) => [line("Edited", item.command, item.filePath)],
  file_search: (item) => [line("Searched the files for", list(item.queries).map(text).join(", "))],
  code_interpreter: (item) => [line("Ran code", item.language), text(item.code), ...printed(item)],
  browser_use: (item) => [line("Used the browser", item.action)],
};

function tellFusion(item: JsonObject): readonly (string | undefined)[] {
  const answers = list(item.responses).map((answer) => {
    const { model, content } = record(answer);
    return text(content) === "" ? undefined : `${text(model)}: ${text(content)}`;
  });
  const analysis = item.analysis === undefined || item.analysis === null
    ? undefined
    : JSON.stringify(item.analysis);
  return ["[Asked several models]", ...answers, analysis, failed(item)];
}

/** `[Fetched https://example.org "Example"]`; words that are missing are left out. */
function line(verb: string, ...words: readonly unknown[]): string {
  const received = words.map(text).filter((word) => word !== "");
  return `[${[verb, ...received].join(" ")}]`;
}

function printed(item: JsonObject): readonly string[] {
  const code = typeof item.exitCode === "number" && item.exitCode !== 0 ? `exit code ${item.exitCode}` : "";
  return [text(item.stdout), text(item.stderr), code];
}

function failed(item: JsonObject): string | undefined {
  return text(item.error) === "" ? undefined : `failed: ${text(item.error)}`;
}

function join(lines: readonly (string | undefined)[]): string | undefined {
  const whole = lines.filter((one) => one !== undefined && one !== "").join("\n");
  return whole === "" ? undefined : truncateStart(whole, LONGEST);
}

const text = (value: unknown): string => typeof value === "string" ? value : "";
const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
const record = (value: unknown): JsonObject => isRecord(value) ? value : {};
