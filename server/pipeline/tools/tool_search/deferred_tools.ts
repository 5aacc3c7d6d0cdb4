/** Tools that the model is not offered before a search has found them. */

import { isRecord, tryParseJson } from "../../../../shared/util/json.ts";
import type { ContentPart, JsonObject, PassthroughItem } from "../../../protocols/canonical/item.ts";
import type { CustomTool, FunctionTool, ModelRequest, Tool } from "../../../protocols/canonical/request.ts";
import { toolsIn } from "./client_tool_search.ts";
import { type DeferredTool, findTools } from "./find_tools.ts";

const isDeferred = (tool: FunctionTool | CustomTool): boolean =>
  tool.type === "function" ? tool.deferLoading === true : tool.extra?.responses?.defer_loading === true;

export const qualifiedName = (name: string, namespace: string | undefined): string =>
  namespace === undefined ? name : `${namespace}__${name}`;

export function deferredTools(tools: readonly Tool[]): readonly DeferredTool[] {
  return tools.flatMap((tool): readonly DeferredTool[] => {
    if (tool.type === "namespace") {
      return tool.tools.filter(isDeferred).map((inner) => ({
        name: qualifiedName(inner.name, tool.name),
        tool: inner,
        namespace: tool,
      }));
    }
    if (tool.type !== "function" && tool.type !== "custom") return [];
    return isDeferred(tool) ? [{ name: tool.name, tool }] : [];
  });
}

/** Deferred tools that a conversation has found already: they were searched for, named by the client, or called. */
export function findRevealedTools(
  { input, tools }: Pick<ModelRequest, "input" | "tools">,
): ReadonlySet<string> {
  const deferred = deferredTools(tools);
  if (deferred.length === 0) return new Set();
  return new Set(input.flatMap((item) => {
    switch (item.type) {
      case "call":
        return [qualifiedName(item.name, item.namespace)];
      case "result":
        return typeof item.output === "string" ? [] : item.output.flatMap(referenceOf);
      case "foreign":
        return /^(service:)?tool_search/.test(item.kind) ? namesFound(item, deferred) : [];
      default:
        return [];
    }
  }));
}

/** The tool that a client of the Messages API names in a result: it has searched by a function of its own. */
const referenceOf = (part: ContentPart): readonly string[] =>
  part.type === "foreign" && part.kind === "tool_reference" ? [String(part.value.tool_name)] : [];

/** Names of the tools that a search found; where the item does not have them, the search is made again. */
function namesFound({ kind, value }: PassthroughItem, deferred: readonly DeferredTool[]): readonly string[] {
  const { output, query, content } = value;
  if (kind === "tool_search_tool_result") return referencesIn(content);
  if (kind === "tool_search_output") return toolsIn(value).flatMap(qualifiedNames);
  const found: unknown = typeof output === "string" ? tryParseJson(output) : undefined;
  if (isRecord(found) && Array.isArray(found.tools)) {
    return found.tools.filter(isRecord).map(({ name }) => String(name));
  }
  return typeof query === "string" ? findTools(deferred, { text: query }).map(({ name }) => name) : [];
}

function referencesIn(content: unknown): readonly string[] {
  const references = isRecord(content) ? content.tool_references : undefined;
  return Array.isArray(references)
    ? references.filter(isRecord).map(({ tool_name }) => String(tool_name))
    : [];
}

const qualifiedNames = (tool: Tool): readonly string[] =>
  tool.type === "namespace"
    ? tool.tools.map(({ name }) => qualifiedName(name, tool.name))
    : "name" in tool
    ? [tool.name]
    : [];

/** The same tools; those that were found are not deferred any more. */
export function revealTools(tools: readonly Tool[], found: ReadonlySet<string>): readonly Tool[] {
  if (found.size === 0) return tools;
  return tools.map((tool): Tool => {
    if (tool.type === "namespace") {
      const inner = tool.tools.map((one) =>
        found.has(qualifiedName(one.name, tool.name)) ? revealTool(one) : one
      );
      return { ...tool, tools: inner };
    }
    return (tool.type === "function" || tool.type === "custom") && found.has(tool.name)
      ? revealTool(tool)
      : tool;
  });
}

function revealTool<T extends FunctionTool | CustomTool>(tool: T): T {
  if (!isDeferred(tool)) return tool;
  if (tool.type === "function") return { ...tool, deferLoading: undefined };
  const { defer_loading: _deferred, ...own } = tool.extra?.responses ?? {};
  return { ...tool, extra: { ...tool.extra, responses: own } };
}

/** The same tools without those that are still deferred. */
export function withoutDeferred(tools: readonly Tool[]): readonly Tool[] {
  if (deferredTools(tools).length === 0) return tools;
  return tools.flatMap((tool): readonly Tool[] => {
    if (tool.type === "namespace") {
      const inner = tool.tools.filter((one) => !isDeferred(one));
      return inner.length === 0 ? [] : [{ ...tool, tools: inner }];
    }
    const hidden = (tool.type === "function" || tool.type === "custom") && isDeferred(tool);
    return hidden ? [] : [tool];
  });
}

/** A found tool as the Responses API shows it. */
export function shownTool({ tool, namespace }: DeferredTool): JsonObject {
  const own = tool.type === "function"
    ? {
      type: "function",
      name: tool.name,
      description: tool.description ?? null,
      parameters: tool.parameters,
      strict: tool.strict ?? null,
      defer_loading: true,
    }
    : {
      type: "custom",
      name: tool.name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      defer_loading: true,
    };
  return namespace === undefined
    ? own
    : { type: "namespace", name: namespace.name, description: namespace.description ?? "", tools: [own] };
}
