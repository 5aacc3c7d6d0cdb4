/** An MCP server as a request names it: where it is, which of its tools are wanted, and which need an approval. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { McpServer } from "../../../web/mcp/mcp_connection.ts";
import type { McpTool } from "../../../web/mcp/mcp_access.ts";
import { type SettingsIssue, textOf } from "../tool_definition.ts";

export interface McpServerSettings {
  readonly label: string;
  readonly server: McpServer;
  /** Text for the model. */
  readonly description: string | undefined;
  readonly allows: (tool: McpTool) => boolean;
  readonly needsApproval: (tool: McpTool) => boolean;
  /** Whether a tool is found by a tool search first. */
  readonly isDeferred: (tool: McpTool) => boolean;
  /** A listing that the tool itself has, as the Messages API pins it. */
  readonly pinned: unknown;
  /** Names of tools in the settings, by the field that has them. */
  readonly named: readonly NamedTools[];
}

interface NamedTools {
  readonly field: string;
  readonly names: readonly string[];
}

/** Some of a server's tools: by their names, by the server's word that they only read, or both. */
interface ToolChoice {
  readonly names: ReadonlySet<string> | undefined;
  readonly readOnly: boolean | undefined;
}

/** Headers with which HTTP itself speaks: a caller has no say in them. */
const ownHeaders: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

export function serverSettings(value: JsonObject): McpServerSettings {
  const { server_label, server_url, server_description, allowed_tools, require_approval } = value;
  const config = toolConfig(value);
  const callers = value.allowed_callers;
  const isDirect = !Array.isArray(callers) || callers.includes("direct");
  const allowed = choiceOf(allowed_tools);
  return {
    label: String(server_label),
    server: { url: String(server_url), headers: headersOf(value) },
    description: textOf(server_description),
    allows: (tool) =>
      isDirect && config(tool).enabled !== false && (allowed === undefined || isChosen(tool, allowed)),
    needsApproval: approvalRule(require_approval),
    isDeferred: (tool) => (config(tool).defer_loading ?? value.defer_loading) === true,
    pinned: value.tools,
    named: namedTools(value),
  };
}

/** Settings of single tools, as the Messages API has them: a tool's own over those of all. */
function toolConfig({ default_config, configs }: JsonObject): (tool: McpTool) => JsonObject {
  const all = isRecord(default_config) ? default_config : {};
  const own = new Map(Object.entries(isRecord(configs) ? configs : {}));
  return ({ name }) => {
    const one = own.get(name);
    return isRecord(one) ? { ...all, ...one } : all;
  };
}

/** The token of `authorization` wins over a header of that name. */
function headersOf({ headers, authorization }: JsonObject): Readonly<Record<string, string>> {
  const own = Object.entries(isRecord(headers) ? headers : {}).flatMap(([name, header]) =>
    typeof header !== "string" || ownHeaders.has(name.toLowerCase()) ? [] : [[name.toLowerCase(), header]]
  );
  const token = textOf(authorization);
  return Object.fromEntries(token === undefined ? own : [...own, ["authorization", `Bearer ${token}`]]);
}

/** Undefined: all of them. */
function choiceOf(value: unknown): ToolChoice | undefined {
  if (Array.isArray(value)) return { names: new Set(value.map(String)), readOnly: undefined };
  if (!isRecord(value)) return undefined;
  const { tool_names: names, read_only: readOnly } = value;
  return {
    names: Array.isArray(names) ? new Set(names.map(String)) : undefined,
    readOnly: typeof readOnly === "boolean" ? readOnly : undefined,
  };
}

function namedTools({ allowed_tools, require_approval, configs }: JsonObject): readonly NamedTools[] {
  const { always, never } = isRecord(require_approval) ? require_approval : {};
  const namesOf = (filter: unknown): readonly string[] => [...choiceOf(filter)?.names ?? []];
  return [
    { field: "allowed_tools", names: namesOf(allowed_tools) },
    { field: "require_approval", names: [...namesOf(always), ...namesOf(never)] },
    { field: "configs", names: Object.keys(isRecord(configs) ? configs : {}) },
  ];
}

/** A server's own hints are believed only where the caller asks for it by `read_only`. */
const isChosen = ({ name, annotations }: McpTool, { names, readOnly }: ToolChoice): boolean =>
  (names === undefined || names.has(name)) &&
  (readOnly === undefined || (annotations?.readOnlyHint === true) === readOnly);

/** Every call needs one where nobody says otherwise. A tool that both lists name needs one. */
function approvalRule(value: unknown): (tool: McpTool) => boolean {
  if (value === "never") return () => false;
  if (!isRecord(value)) return () => true;
  const [always, never] = [filterOf(value.always), filterOf(value.never)];
  return (tool) => {
    if (always !== undefined && isChosen(tool, always)) return true;
    return never === undefined ? always === undefined : !isChosen(tool, never);
  };
}

/** A filter without any condition names no tool. */
function filterOf(value: unknown): ToolChoice | undefined {
  const choice = choiceOf(value);
  return choice?.names === undefined && choice?.readOnly === undefined ? undefined : choice;
}

/** Finds a fault that the schemas of the API cannot judge. */
export function settingsIssue(value: JsonObject): SettingsIssue | undefined {
  const { server_url, connector_id, tunnel_id, headers, authorization } = value;
  if (textOf(connector_id) !== undefined) {
    return {
      field: "connector_id",
      message: "cannot be used: connectors belong to an account of OpenAI's. Name the server by server_url.",
    };
  }
  if (textOf(server_url) === undefined) {
    return textOf(tunnel_id) === undefined
      ? { field: "server_url", message: "is missing: the address of the server" }
      : undefined;
  }
  if (URL.parse(String(server_url)) === null) return { field: "server_url", message: "is no URL" };
  const values = { ...(isRecord(headers) ? headers : {}), authorization: authorization ?? "" };
  for (const [name, header] of Object.entries(values)) {
    if (HEADER_NAME.test(name) && HEADER_VALUE.test(String(header))) continue;
    const field = name === "authorization" ? name : "headers";
    return { field, message: "holds what a header of HTTP may not" };
  }
  return undefined;
}
