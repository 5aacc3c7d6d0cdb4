/** Makes words of what an MCP client throws. A server's texts of HTTP are left out. */

import { isRecord } from "../../../shared/util/json.ts";
import { FetchError } from "../fetch/fetch_error.ts";
import { INTERNAL_ERROR, McpError, protocolError } from "./mcp_error.ts";

/** UTF-16 units of a message that are searched for a status. */
const LONGEST = 1_000;
/** The client's word for a result that asks for more. */
const INPUT_REQUIRED = "UNSUPPORTED_RESULT_TYPE";
const ASKS_FOR_INPUT = "The server asks for input, which this gateway does not give.";

/** `failure`: why a request of the client's came to nothing, where one did. */
export function toMcpError(error: unknown, failure: unknown): McpError {
  if (error instanceof McpError) return error;
  const status = statusOf(error);
  if (status !== undefined) {
    const message = `The server answers with the status ${status} of HTTP.`;
    return new McpError({ type: "http_error", code: status, message }, { cause: error });
  }
  if (failure instanceof FetchError) {
    return new McpError({ type: "http_error", code: 0, message: failure.message }, { cause: failure });
  }
  return fromClient(error);
}

/** Status of an answer that is no success. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status } = isRecord(error) && isRecord(error.data) ? error.data : { status: undefined };
  if (typeof status === "number") return status;
  // Older transports say it in words, or as a code of their events.
  const [, told] = /\(HTTP (\d{3})\)/.exec(error.message.slice(0, LONGEST)) ?? [];
  if (told !== undefined) return Number(told);
  const code = isRecord(error) ? error.code : undefined;
  return typeof code === "number" && code >= 300 && code < 600 ? code : undefined;
}

function fromClient(error: unknown): McpError {
  const code = isRecord(error) ? error.code : undefined;
  if (code === INPUT_REQUIRED) return protocolError(ASKS_FOR_INPUT);
  // The protocol's own errors have numbers, those of the client words.
  if (typeof code === "number" && error instanceof Error) {
    return protocolError(error.message, code);
  }
  return new McpError({
    type: "mcp_protocol_error",
    code: INTERNAL_ERROR,
    message: "The server does not answer as the protocol has it.",
  }, { cause: error });
}
