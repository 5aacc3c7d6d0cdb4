/** Finds functions that the client deferred, by their words: what is found is offered from the next turn on. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { compileToolPattern, MOST_PATTERN } from "../../guardrails/patterns/search_pattern.ts";
import { resultLimit } from "../result_limit.ts";
import { failedCall, textOf, type ToolDefinition } from "../tool_definition.ts";
import { describeFound, isClientSearch } from "./client_tool_search.ts";
import { deferredTools, shownTool } from "./deferred_tools.ts";
import { type DeferredTool, findTools, type ToolQuery } from "./find_tools.ts";

const MOST = 50;

const query = { type: "string", description: "What the tool should do, in words." } as const;
const pattern = {
  type: "string",
  maxLength: MOST_PATTERN,
  description:
    "A regular expression that is looked for in names and descriptions of tools and their arguments.",
} as const;
const max_results = { type: "integer", minimum: 1, maximum: MOST } as const;

const eitherSearch = {
  type: "object",
  properties: {
    query,
    pattern: { ...pattern, description: `Instead of words: a${pattern.description.slice(1)}` },
    max_results,
  },
  additionalProperties: false,
} as const;

/** Anthropic's searches, by what their type says of them. */
type Variant = "regex" | "bm25";

const parametersOf: Readonly<Record<Variant, JsonObject>> = {
  regex: {
    type: "object",
    properties: { pattern, max_results },
    required: ["pattern"],
    additionalProperties: false,
  },
  bm25: {
    type: "object",
    properties: { query, max_results },
    required: ["query"],
    additionalProperties: false,
  },
};

function variantOf({ type }: JsonObject): Variant | undefined {
  const [, variant] = /^tool_search_tool_(regex|bm25)/.exec(String(type)) ?? [];
  return variant === "regex" || variant === "bm25" ? variant : undefined;
}

const DESCRIPTION = "Searches for further tools. Those that it finds can be called afterwards.";

export const toolSearch: ToolDefinition = {
  kind: "tool_search",
  hosted: {
    types: ["tool_search"],
    itemType: "tool_search_call",
    output: {
      type: "tool_search_output",
      ofCall: ["execution", "arguments", "query", "name"],
      empty: { execution: "server", tools: [] },
    },
  },
  describe: (settings) => {
    const variant = variantOf(settings);
    if (!isClientSearch(settings)) {
      return {
        description: DESCRIPTION,
        parameters: variant === undefined ? eitherSearch : parametersOf[variant],
      };
    }
    return {
      description: textOf(settings.description) ?? DESCRIPTION,
      parameters: isRecord(settings.parameters) ? settings.parameters : eitherSearch,
    };
  },
  runsHere: (settings) => !isClientSearch(settings),
  itemFields,
  clientFields: (args) => ({ execution: "client", arguments: args, query: undefined }),
  failedStatus: "incomplete",
  argumentsOf: (item) => isRecord(item.arguments) ? item.arguments : undefined,
  outputOf: ({ output, tools, error }) =>
    textOf(output) ??
      (textOf(error) === undefined
        ? Array.isArray(tools) ? describeFound(tools) : undefined
        : JSON.stringify({ error })),
  run: ({ args, settings, tools }) => {
    const wanted = queryOf(args);
    if (typeof wanted === "string") {
      return Promise.resolve(failedCall(wanted, settings.type === undefined ? {} : { error: wanted }));
    }
    const found = findTools(deferredTools(tools), {
      ...wanted,
      most: resultLimit({ args, settings, most: MOST }),
    });
    const output = JSON.stringify({ tools: found.map(describeTool) });
    const fields = settings.type === undefined
      ? { query: wanted.text, output }
      : { tools: found.map(shownTool) };
    return Promise.resolve({ output, fields, found: found.map(({ name }) => name) });
  },
};

/** A provider's spelling shows the arguments as an object, ours what was looked for. */
function itemFields(args: JsonObject, settings: JsonObject): JsonObject {
  if (settings.type === undefined) return { query: textOf(args.query) ?? textOf(args.pattern) ?? "" };
  const variant = variantOf(settings);
  return {
    execution: "server",
    arguments: args,
    ...(variant === undefined ? {} : { name: `tool_search_tool_${variant}` }),
  };
}

/** Reads the words or the pattern of a search. A string says what is wrong with them. */
function queryOf(args: JsonObject): Pick<ToolQuery, "text" | "pattern"> | string {
  const [words, source] = [textOf(args.query), textOf(args.pattern)];
  if (source === undefined) {
    return words === undefined ? "query is missing; pattern may stand in its place." : { text: words };
  }
  const compiled = compileToolPattern(source);
  return typeof compiled === "string" ? compiled : { text: words ?? source, pattern: compiled };
}

const describeTool = ({ name, tool }: DeferredTool): JsonObject => ({
  name,
  ...(tool.description === undefined ? {} : { description: tool.description }),
});
