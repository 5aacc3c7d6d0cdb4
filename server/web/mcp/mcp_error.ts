/** Why a server of the Model Context Protocol brought nothing, in the words of the Responses API. */

export interface McpErrorFields {
  readonly type: "http_error" | "mcp_protocol_error";
  /** Status of HTTP, 0 where none came; or the protocol's own code. */
  readonly code: number;
  /** A sentence without any credential. */
  readonly message: string;
}

export class McpError extends Error {
  override readonly name = "McpError";
  readonly fields: McpErrorFields;

  constructor(fields: McpErrorFields, options?: { readonly cause?: unknown }) {
    super(fields.message, options);
    this.fields = fields;
  }
}

/** JSON-RPC's own codes. */
export const INTERNAL_ERROR = -32603;

export const protocolError = (message: string, code = INTERNAL_ERROR): McpError =>
  new McpError({ type: "mcp_protocol_error", code, message });
