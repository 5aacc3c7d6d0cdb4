/** Searches of deferred tools: by words, or by a pattern. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { CustomTool, FunctionTool, Tool } from "../../../protocols/canonical/request.ts";
import type { ToolPattern } from "../../guardrails/patterns/search_pattern.ts";
import { DEFAULT_RESULTS } from "../result_limit.ts";
import { TextIndex } from "../text_index.ts";
import { textOf } from "../tool_definition.ts";

/** A tool that is not offered before it is found. `name` has its namespace in front. */
export interface DeferredTool {
  readonly name: string;
  readonly tool: FunctionTool | CustomTool;
  readonly namespace?: Extract<Tool, { type: "namespace" }>;
}

export interface ToolQuery {
  /** Words, unless there is a pattern. */
  readonly text: string;
  readonly pattern?: ToolPattern;
  readonly most?: number;
}

/** The deferred tools that fit a query, best first. */
export function findTools(
  deferred: readonly DeferredTool[],
  { text, pattern, most = DEFAULT_RESULTS }: ToolQuery,
): readonly DeferredTool[] {
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

function parameterWords(tool: DeferredTool["tool"]): readonly string[] {
  if (tool.type !== "function" || tool.parameters === null) return [];
  const { properties } = tool.parameters;
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => {
    const description = isRecord(schema) ? textOf(schema.description) : undefined;
    return description === undefined ? [name] : [name, description];
  });
}
