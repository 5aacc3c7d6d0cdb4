/** Faults of meaning in tools and in the choice among them, for the API that know no namespaces. */

import { truncate } from "../../../../shared/util/text.ts";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import type { Tool, ToolChoice, ToolReference } from "../../canonical/request.ts";
import { unprocessableRequestError } from "./request_errors.ts";

/** Throws an ApiError (422) for a name used twice. `pathOf`: where the name of the tool with this index stands. */
export function validateToolNames(tools: readonly Tool[], pathOf: (index: number) => string): void {
  const names = new Set<string>();
  tools.forEach((tool, index) => {
    if (tool.type !== "function" && tool.type !== "custom") return;
    if (names.has(tool.name)) {
      const name = JSON.stringify(truncate(tool.name));
      throw unprocessableRequestError(pathOf(index), `is ${name}, which another tool is called already`);
    }
    names.add(tool.name);
  });
}

/** Throws an ApiError (422) for a choice of a tool that is not there. */
export function validateToolChoice(choice: ToolChoice | undefined, tools: readonly Tool[]): void {
  switch (choice?.type) {
    case "required":
      if (tools.length === 0) {
        throw unprocessableRequestError("tool_choice", "demands a call, but there are no tools");
      }
      return;
    case "named":
      return checkNamed(choice.tool, { tools, path: "tool_choice" });
    case "allowed":
      return choice.tools.forEach((tool, index) =>
        checkNamed(tool, { tools, path: `tool_choice.allowed_tools.tools[${index}]` })
      );
    case "hosted":
      return checkHosted(choice.kind, tools);
    default:
      return;
  }
}

interface Scope {
  readonly tools: readonly Tool[];
  readonly path: string;
}

function checkNamed({ kind, name }: ToolReference, { tools, path }: Scope): void {
  if (tools.some((tool) => tool.type === kind && tool.name === name)) return;
  throw unprocessableRequestError(
    path,
    `names the ${kind} tool ${JSON.stringify(truncate(name))}, which is not in tools`,
  );
}

/** Dated and preview names of one tool mean the same tool. */
const family = (type: string) => type.replace(/^(web_search|computer).*/, "$1");

function checkHosted(kind: string, tools: readonly Tool[]): void {
  const found = tools.some((tool) => {
    if (tool.type === "server") return serviceKindOf(kind) === tool.kind;
    return tool.type === "hosted" && family(tool.kind) === family(kind);
  });
  if (!found) {
    throw unprocessableRequestError("tool_choice", `names the ${truncate(kind)} tool, which is not in tools`);
  }
}
