/** Finds functions that the client deferred, by their words: what is found is offered from the next turn on. */

import { isRecord, tryParseJson } from "../../../shared/util/json.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { CustomTool, FunctionTool, ModelRequest, Tool } from "../../protocols/canonical/request.ts";
import { describeFound, isClientSearch, toolsFoundByClient } from "./client_tool_search.ts";
import { TextIndex } from "./text_index.ts";
import { failedCall, textOf, type ToolDefinition } from "./tool_definition.ts";
import { DEFAULT_RESULTS, resultLimit } from "./result_limit.ts";
import { compileToolPattern, MOST_PATTERN, type ToolPattern } from "../guardrails/patterns/search_pattern.ts";

const MOST = 50;

const parameters = {
  type: "object",
  properties: {
    query: { type: "string", description: "What the tool should do, in words." },
    pattern: {
      type: "string",
      maxLength: MOST_PATTERN,
      description:
        "Instead of words: a regular expression that is looked for in names and descriptions of tools and their arguments.",
    },
    max_results: { type: "integer", minimum: 1, maximum: MOST },
  },
  additionalProperties: false,
} as const;

const DESCRIPTION = "Searches for further tools. Those that it finds can be called afterwards.";

export const toolSearch: ToolDefinition = {
  kind: "tool_search",
  hosted: { types: ["tool_search"], itemType: "tool_search_call" },
  describe: (settings) => ({
    description: (isClientSearch(settings) ? textOf(settings.description) : undefined) ?? DESCRIPTION,
    parameters: isClientSearch(settings) && isRecord(settings.parameters) ? settings.parameters : parameters,
  }),
  runsHere: (settings) => !isClientSearch(settings),
  itemFields: ({ query, pattern }) => ({ query: textOf(query) ?? textOf(pattern) ?? "" }),
  clientFields: (args) => ({ execution: "client", arguments: args, query: undefined }),
  failedStatus: "incomplete",
  argumentsOf: (item) => isClientSearch(item) && isRecord(item.arguments) ? item.arguments : undefined,
  outputOf: ({ output, tools }) =>
    textOf(output) ?? (Array.isArray(tools) ? describeFound(tools) : undefined),
  run: ({ args, settings, tools }) => {
    const wanted = queryOf(args);
    if (typeof wanted === "string") return Promise.resolve(failedCall(wanted));
    const query = wanted.text;
    const found = findTools(tools, { ...wanted, most: resultLimit({ args, settings, most: MOST }) });
    const output = JSON.stringify({ tools: found.map(describeTool) });
    return Promise.resolve({ output, fields: { query, output }, found: found.map(({ name }) => name) });
  },
};

/** Reads the words or the pattern of a search. A string says what is wrong with them. */
function queryOf({ query, pattern }: JsonObject): Pick<ToolQuery, "text" | "pattern"> | string {
  const [words, source] = [textOf(query), textOf(pattern)];
  if (source === undefined) {
    return words === undefined ? "query is missing; pattern may stand in its place." : { text: words };
  }
  const compiled = compileToolPattern(source);
  return typeof compiled === "string" ? compiled : { text: words ?? source, pattern: compiled };
}

/** A tool that is not offered before it is found. `name` has its namespace in front. */
interface DeferredTool {
  readonly name: string;
  readonly tool: FunctionTool | CustomTool;
}

const isDeferred = (tool: FunctionTool | CustomTool): boolean =>
  tool.type === "function" ? tool.deferLoading === true : tool.extra?.responses?.defer_loading === true;

export const qualifiedName = (name: string, namespace: string | undefined): string =>
  namespace === undefined ? name : `${namespace}__${name}`;

function deferredTools(tools: readonly Tool[]): readonly DeferredTool[] {
  return tools.flatMap((tool): readonly DeferredTool[] => {
    if (tool.type === "namespace") {
      return tool.tools.filter(isDeferred).map((inner) => ({
        name: qualifiedName(inner.name, tool.name),
        tool: inner,
      }));
    }
    if (tool.type !== "function" && tool.type !== "custom") return [];
    return isDeferred(tool) ? [{ name: tool.name, tool }] : [];
  });
}

interface ToolQuery {
  /** Words, unless there is a pattern. */
  readonly text: string;
  readonly pattern?: ToolPattern;
  readonly most: number;
}

/** The deferred tools that fit a query, best first. */
function findTools(tools: readonly Tool[], { text, pattern, most }: ToolQuery): readonly DeferredTool[] {
  const deferred = deferredTools(tools);
  if (pattern !== undefined) {
    const fits = ({ name, tool }: DeferredTool) =>
      pattern([name, tool.description ?? "", ...parameterWords(tool)]);
    return deferred.filter(fits).slice(0, most);
  }
  const index = new TextIndex(deferred.map(({ name, tool }, position) => ({
    id: String(position),
    name,
    text: [tool.description ?? "", ...parameterWords(tool)].join(" "),
  })));
  return index.search(text, most).flatMap((position) => deferred[Number(position)] ?? []);
}

function parameterWords(tool: FunctionTool | CustomTool): readonly string[] {
  if (tool.type !== "function" || tool.parameters === null) return [];
  const { properties } = tool.parameters;
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => {
    const description = isRecord(schema) ? textOf(schema.description) : undefined;
    return description === undefined ? [name] : [name, description];
  });
}

const describeTool = ({ name, tool }: DeferredTool): JsonObject => ({
  name,
  ...(tool.description === undefined ? {} : { description: tool.description }),
});

/** Deferred tools that a conversation has found already: they were searched for, or called. */
export function findRevealedTools(
  { input, tools }: Pick<ModelRequest, "input" | "tools">,
): ReadonlySet<string> {
  if (deferredTools(tools).length === 0) return new Set();
  return new Set(input.flatMap((item) => {
    if (item.type === "call") return [qualifiedName(item.name, item.namespace)];
    if (item.type !== "foreign" || !/^(service:)?tool_search/.test(item.kind)) return [];
    return isClientSearch(item.value)
      ? toolsFoundByClient([item]).flatMap(qualifiedNames)
      : namesFound(item.value, tools);
  }));
}

const qualifiedNames = (tool: Tool): readonly string[] =>
  tool.type === "namespace"
    ? tool.tools.map(({ name }) => qualifiedName(name, tool.name))
    : "name" in tool
    ? [tool.name]
    : [];

/** Names of the tools that a search found; where the item does not have them, the search is made again. */
function namesFound({ output, query }: JsonObject, tools: readonly Tool[]): readonly string[] {
  const found: unknown = typeof output === "string" ? tryParseJson(output) : undefined;
  if (isRecord(found) && Array.isArray(found.tools)) {
    return found.tools.filter(isRecord).map(({ name }) => String(name));
  }
  return findTools(tools, { text: String(query ?? ""), most: DEFAULT_RESULTS }).map(({ name }) => name);
}

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
