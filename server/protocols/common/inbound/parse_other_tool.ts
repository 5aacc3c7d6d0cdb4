/** Tools that the client does not run: the gateway's own, and those that a provider hosts. */

import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { HostedTool, ServerTool } from "../../canonical/request.ts";
import { mergeObjects } from "./unknown_fields.ts";

/** Server tools' settings come nested under `parameters`, or flat beside `type`; the nested ones win. */
export function parseOtherTool(tool: { readonly type: string } & JsonObject): HostedTool | ServerTool {
  const kind = serviceKindOf(tool.type);
  if (kind === undefined) return { type: "hosted", wire: "responses", kind: tool.type, value: tool };
  const { type, parameters, ...flat } = tool;
  return {
    type: "server",
    kind,
    originalType: type,
    parameters: mergeObjects(flat, isRecord(parameters) ? parameters : undefined),
  };
}
