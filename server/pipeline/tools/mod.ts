/** Every server tool. The type checker asks for the missing ones. */

import type { HostedTool } from "../../protocols/canonical/request.ts";
import { applyPatch } from "./containers/apply_patch.ts";
import { bash } from "./containers/bash.ts";
import { codeInterpreter } from "./containers/code_interpreter.ts";
import { datetime } from "./datetime.ts";
import { advisor } from "./nested/advisor.ts";
import { fileSearch } from "./file_search/file_search.ts";
import { files } from "./files/files.ts";
import { fusion } from "./fusion/fusion.ts";
import { imageGeneration } from "./image_generation.ts";
import { mcp } from "./mcp/mcp.ts";
import { searchModelsTool } from "./search_models.ts";
import { subagent } from "./nested/subagent.ts";
import type { ToolDefinition } from "./tool_definition.ts";
import type { ServerToolKind } from "./tool_memory.ts";
import { shell } from "./containers/shell.ts";
import { toolSearch } from "./tool_search/tool_search.ts";
import { webFetch } from "./web/web_fetch.ts";
import { webSearch } from "./web/web_search.ts";

const definitions: Readonly<Record<ServerToolKind, ToolDefinition>> = {
  datetime,
  search_models: searchModelsTool,
  tool_search: toolSearch,
  apply_patch: applyPatch,
  image_generation: imageGeneration,
  web_search: webSearch,
  web_fetch: webFetch,
  files,
  file_search: fileSearch,
  bash,
  shell,
  code_interpreter: codeInterpreter,
  advisor,
  subagent,
  fusion,
  mcp,
};

const all = Object.values(definitions);

export function findServerTool(kind: string): ToolDefinition | undefined {
  return all.find((tool) => tool.kind === kind);
}

/** By the hosted tool that it stands in for: Anthropic's carry a date. */
export function findByHostedTool(
  { wire, kind }: Pick<HostedTool, "wire" | "kind">,
): ToolDefinition | undefined {
  if (wire === "responses") return all.find(({ hosted }) => hosted?.types.includes(kind));
  if (wire === "messages" && kind === "mcp_toolset") return mcp;
  if (wire === "messages" && isToolSearch(kind)) return toolSearch;
  const [, name = ""] = wire === "messages" ? /^([a-z_]+)_\d{8}$/.exec(kind) ?? [] : [];
  return findServerTool(ofAnthropic.get(name) ?? "");
}

/** Anthropic's two searches of tools, which need no date. */
const isToolSearch = (kind: string): boolean => /^tool_search_tool_(?:regex|bm25)(?:_\d{8})?$/.test(kind);

/** Anthropic's tools without their date. */
const ofAnthropic: ReadonlyMap<string, ServerToolKind> = new Map([
  ["web_search", "web_search"],
  ["web_fetch", "web_fetch"],
  ["code_execution", "code_interpreter"],
  ["advisor", "advisor"],
]);

/** By the type of that tool's items. */
export function findByHostedItem(type: string): ToolDefinition | undefined {
  return all.find(({ hosted }) => hosted?.itemType === type);
}
