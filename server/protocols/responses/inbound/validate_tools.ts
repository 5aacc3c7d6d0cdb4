/** Faults of meaning in `tools`: names used twice, and loading deferred with nothing to load it. */

import type { ApiError } from "../../../../shared/errors.ts";
import { truncate } from "../../../../shared/util/text.ts";
import type { ToolInput } from "../../../../shared/responses/tools.ts";
import type { Tool } from "../../canonical/request.ts";
import { unprocessableRequestError } from "../../common/inbound/request_errors.ts";

/** Throws an ApiError (422). `sent` is `tools` as it came, `all` what it and the input bring together. */
export function validateTools(sent: readonly ToolInput[], all: readonly Tool[]): void {
  checkNames(sent);
  checkDeferred(all);
}

function duplicateNameError(path: string, name: string): ApiError {
  return unprocessableRequestError(
    path,
    `is ${JSON.stringify(truncate(name))}, which another tool is called already`,
  );
}

/** Names are unique among the tools, and within each namespace. */
function checkNames(tools: readonly ToolInput[]): void {
  const names = new Set<string>();
  tools.forEach((tool, index) => {
    if (tool.type !== "function" && tool.type !== "custom" && tool.type !== "namespace") return;
    if (names.has(tool.name)) throw duplicateNameError(`tools[${index}].name`, tool.name);
    names.add(tool.name);
    if (tool.type !== "namespace") return;
    const inner = new Set<string>();
    tool.tools.forEach(({ name }, at) => {
      if (inner.has(name)) throw duplicateNameError(`tools[${index}].tools[${at}].name`, name);
      inner.add(name);
    });
  });
}

/** A deferred tool needs the tool search that finds it, and a tool beside the search that is not deferred. */
function checkDeferred(tools: readonly Tool[]): void {
  if (!tools.some(isDeferred)) return;
  if (!tools.some(isToolSearch)) {
    throw unprocessableRequestError(
      "tools",
      "has tools with defer_loading, but no tool search that could find them",
    );
  }
  const loaded = tools.some((tool) => !isToolSearch(tool) && !isWhollyDeferred(tool));
  if (!loaded) {
    throw unprocessableRequestError(
      "tools",
      "has defer_loading on every tool; at least one must not be deferred",
    );
  }
}

function isDeferred(tool: Tool): boolean {
  switch (tool.type) {
    case "function":
      return tool.deferLoading === true;
    case "custom":
      return tool.extra?.responses?.defer_loading === true;
    case "namespace":
      return tool.tools.some(isDeferred);
    case "hosted":
      return tool.value.defer_loading === true;
    case "server":
      return tool.parameters.defer_loading === true;
    default:
      return tool satisfies never;
  }
}

/** A namespace shows its own name and description, whatever is deferred inside; so does an MCP server. */
function isWhollyDeferred(tool: Tool): boolean {
  if (tool.type === "namespace" || (tool.type === "hosted" && tool.kind === "mcp")) return false;
  return isDeferred(tool);
}

function isToolSearch(tool: Tool): boolean {
  return (tool.type === "server" || tool.type === "hosted") && tool.kind === "tool_search";
}
