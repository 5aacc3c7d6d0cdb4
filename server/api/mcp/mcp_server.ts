/** The MCP server of one request: its tools are operations of the API, as the caller's key may do them. */

import { isRecord, tryParseJson } from "../../../shared/util/json.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import type { Caller } from "../../../shared/keys.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import { type ApiCall, describeTools, findTool, requestOf } from "./mcp_tools.ts";

/** The answer of a route, as text. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

interface McpServerOptions {
  readonly caller: Caller;
  readonly call: (call: ApiCall) => Promise<ApiAnswer>;
}

const SERVER = { name: "tollgate", title: "Tollgate", version: "1" };

const INSTRUCTIONS =
  "Tools of an AI gateway: its models, routes, keys, receipts and usage. Amounts are in USD.";

/** Loaded with the first request. */
export async function createMcpServer({ caller, call }: McpServerOptions) {
  const { ProtocolError, ProtocolErrorCode, Server } = await import("@modelcontextprotocol/server");
  const server = new Server(SERVER, {
    capabilities: { tools: { listChanged: false } },
    instructions: INSTRUCTIONS,
  });
  server.setRequestHandler("tools/list", () => ({ tools: describeTools(caller) }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }) => {
    const tool = findTool(caller, name);
    if (tool === undefined) {
      const message = `There is no tool ${JSON.stringify(truncateStart(name, 100))} for this key.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    const request = requestOf(tool, args);
    // The model reads what is wrong with its arguments, and calls again.
    if (typeof request === "string") return { content: [{ type: "text", text: request }], isError: true };
    const { status, text } = await call(request);
    return status < 400
      ? { content: [{ type: "text", text }] }
      : { content: [{ type: "text", text: messageOf(text, status) }], isError: true };
  });
  return server;
}

/** The sentence of an error. */
function messageOf(text: string, status: number): string {
  const body: unknown = tryParseJson(text);
  const error: JsonObject = isRecord(body) && isRecord(body.error) ? body.error : {};
  return typeof error.message === "string" ? error.message : `The operation failed (${status}).`;
}
