/**
 * Tools of the caller's MCP servers (docs/mcp.md). The tool `mcp` itself is never offered: its server's tools are, each
 * as a function, by `list_servers.ts`.
 */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { protocolError } from "../../../web/mcp/mcp_error.ts";
import { textOf, type ToolDefinition } from "../tool_definition.ts";
import { errorOutput } from "./call_result.ts";
import { settingsIssue } from "./server_settings.ts";

export const CALL = "mcp_call";

/** The result that the model was given of a call that has ended. */
export const outputOfItem = ({ output, error }: JsonObject): string | undefined =>
  textOf(output) ?? (error === undefined || error === null ? undefined : errorOutput(error));

export const mcp: ToolDefinition = {
  kind: "mcp",
  hosted: { types: ["mcp"], itemType: CALL },
  isHostedAt: ({ provider }) => provider.builtIn !== true,
  checkSettings: ({ settings }) => settings.type === "mcp_toolset" ? undefined : settingsIssue(settings),
  isAvailable: () => false,
  switchOn: "Name a server by server_url.",
  describe: () => ({ parameters: { type: "object" } }),
  itemFields: () => ({}),
  failedStatus: "failed",
  failedFields: (message) => ({ output: null, error: protocolError(message).fields }),
  outputOf: outputOfItem,
};
