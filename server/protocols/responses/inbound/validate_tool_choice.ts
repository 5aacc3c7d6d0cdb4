/** Faults of meaning in `tool_choice`: it names a tool that the request does not bring. */

import { truncate } from "../../../../shared/util/text.ts";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import type { ToolChoiceInput } from "../../../../shared/responses/tool_choice.ts";
import type { Tool } from "../../canonical/request.ts";
import { unprocessableRequestError } from "../../common/inbound/request_errors.ts";

/** Throws an ApiError (422). */
export function validateToolChoice(choice: ToolChoiceInput, tools: readonly Tool[]): void {
  if (choice === "auto" || choice === "none") return;
  if (choice === "required") {
    if (tools.length === 0) {
      throw unprocessableRequestError("tool_choice", 'is "required", but there are no tools');
    }
    return;
  }
  if (choice.type !== "allowed_tools") return checkNamed(choice, { tools, path: "tool_choice" });
  choice.tools.forEach((allowed, index) =>
    checkNamed(allowed, { tools, path: `tool_choice.tools[${index}]` })
  );
}

interface Named {
  readonly type: string;
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly server_label?: unknown;
}

interface Scope {
  readonly tools: readonly Tool[];
  readonly path: string;
}

function checkNamed(named: Named, { tools, path }: Scope): void {
  if (tools.some((tool) => matchesTool(tool, named))) return;
  const name = named.name ?? named.server_label;
  const spelled = typeof name === "string" ? ` ${JSON.stringify(truncate(name))}` : "";
  throw unprocessableRequestError(
    path,
    `names the ${truncate(named.type)} tool${spelled}, which is not in tools`,
  );
}

function matchesTool(tool: Tool, named: Named): boolean {
  switch (tool.type) {
    case "function":
    case "custom":
      return tool.type === named.type && tool.name === named.name && !named.namespace;
    case "namespace":
      return isInside(tool, named);
    case "hosted":
      return isHosted(tool, named);
    case "server":
      return serviceKindOf(named.type) === tool.kind;
    default:
      return tool satisfies never;
  }
}

/** A namespace may be allowed as a whole; a name without a namespace may mean a tool of any. */
function isInside(tool: Extract<Tool, { type: "namespace" }>, named: Named): boolean {
  if (named.type === "namespace") return tool.name === named.name;
  if (typeof named.namespace === "string" && named.namespace !== tool.name) return false;
  return tool.tools.some((inner) => inner.type === named.type && inner.name === named.name);
}

function isHosted(tool: Extract<Tool, { type: "hosted" }>, named: Named): boolean {
  const label = named.server_label ?? undefined;
  if (tool.kind === "mcp") return named.type === "mcp" && (!label || tool.value.server_label === label);
  return toolFamily(tool.kind) === toolFamily(named.type);
}

/** Dated and preview names of one tool mean the same tool. */
function toolFamily(type: string): string {
  if (type.startsWith("web_search")) return "web_search";
  return type.startsWith("computer") ? "computer" : type;
}
