/** Tools that the client does not run: the gateway's own, and those that a provider hosts. */

import { serviceKind } from "../../../../shared/fields/service_tool_names.ts";
import type { Json } from "../../../canonical/item.ts";
import type { HostedTool, ServerTool } from "../../../canonical/request.ts";
import { merge } from "./unknown_fields.ts";

/** Server tools' settings come nested under `parameters`, or flat beside `type`; the nested ones win. */
export function parseOtherTool(tool: { readonly type: string } & Json): HostedTool | ServerTool {
  const kind = serviceKind(tool.type);
  if (kind === undefined) return { type: "hosted", wire: "responses", kind: tool.type, value: tool };
  const { type: spelled, parameters, ...flat } = tool;
  return {
    type: "server",
    kind,
    spelled,
    parameters: merge(flat, isRecord(parameters) ? parameters : undefined),
  };
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
