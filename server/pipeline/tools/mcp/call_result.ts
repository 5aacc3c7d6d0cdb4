/** The result of an MCP tool: what the model reads of it, and the fields of its item. */

import { isRecord } from "../../../../shared/util/json.ts";
import { cutMiddleBytes } from "../../../../shared/util/text.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { McpError, type McpErrorFields } from "../../../web/mcp/mcp_error.ts";
import { textOf, type ToolOutcome } from "../tool_definition.ts";

/** Bytes of a result that the item has, as many as the model reads. */
const MOST = 64 * 1024;

export function outcomeOf(result: JsonObject): ToolOutcome {
  const { content, isError, structuredContent } = result;
  const parts = Array.isArray(content) ? content.filter(isRecord).map(partText) : [];
  const text = parts.length === 0 && structuredContent !== undefined
    ? JSON.stringify(structuredContent)
    : parts.join("\n");
  const output = cutMiddleBytes(text, MOST);
  if (isError !== true) return { output, fields: { output, error: null } };
  return failedMcpCall({ type: "mcp_tool_execution_error", content: [{ type: "text", text: output }] });
}

type McpCallError =
  | McpErrorFields
  | { readonly type: "mcp_tool_execution_error"; readonly content: readonly JsonObject[] };

function failedMcpCall(error: McpCallError): ToolOutcome {
  return { output: errorOutput({ ...error }), fields: { output: null, error }, failed: true };
}

/** The result that the model reads of a call with this error, in any form that an item has. */
export function errorOutput(error: unknown): string {
  if (!isRecord(error)) {
    return JSON.stringify({ error: typeof error === "string" ? error : "The call failed." });
  }
  const texts = Array.isArray(error.content) ? error.content.filter(isRecord).map(partText) : [];
  return JSON.stringify({ error: textOf(error.message) ?? textOf(texts.join("\n")) ?? "The tool failed." });
}

/** Throws what is no error of the server's. */
export function failureOf(error: unknown): ToolOutcome {
  if (!(error instanceof McpError)) throw error;
  return failedMcpCall(error.fields);
}

/** Pictures and sound are named: a result is text on every wire. */
function partText(part: JsonObject): string {
  const { type, text, data, mimeType, uri, name, resource } = part;
  switch (type) {
    case "text":
      return typeof text === "string" ? text : "";
    case "image":
    case "audio":
      return `[${type} ${textOf(mimeType) ?? ""}, ${
        typeof data === "string" ? data.length : 0
      } characters of base64, not shown]`;
    case "resource_link":
      return `[resource ${textOf(name) ?? ""} ${textOf(uri) ?? ""}]`;
    case "resource": {
      const { text: own, uri: at, mimeType: kind } = isRecord(resource) ? resource : part;
      return typeof own === "string"
        ? own
        : `[resource ${textOf(at) ?? ""} ${textOf(kind) ?? ""}, not shown]`;
    }
    default:
      return JSON.stringify(part);
  }
}
