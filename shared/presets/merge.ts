/** A request's body with what a preset says and it does not (docs/presets.md). */

import { serviceKindOf } from "../fields/service_tool_names.ts";
import { isRecord } from "../util/json.ts";
import { presetFields } from "./fields.ts";
import type { Fields, PresetApi } from "./places.ts";
import type { PresetVersion } from "./records.ts";
import { systemTextOf, withSystemText } from "./system_text.ts";

interface MergeInput {
  readonly body: Fields;
  readonly preset: Pick<PresetVersion, "config" | "system_prompt">;
}

/** The request's fields win, one by one; tools are united, those of the preset first. */
export function mergePreset(api: PresetApi, { body, preset }: MergeInput): Fields {
  const { config, system_prompt: text } = preset;
  let merged = body;
  for (const [name, { [api]: place }] of presetFields) {
    const value = Object.hasOwn(config, name) ? config[name] : undefined;
    if (place === undefined || value === undefined) continue;
    const own = place.read(body);
    if (name === "tools" && Array.isArray(own) && Array.isArray(value)) {
      merged = place.write(merged, uniteTools(value, own));
    } else if (own === undefined) {
      merged = place.write(merged, value);
    }
  }
  if (text === null || systemTextOf(api, body) !== undefined) return merged;
  return withSystemText(api, { body: merged, text });
}

/** A tool of the request stands in for the preset's that is the same one. */
function uniteTools(preset: readonly unknown[], own: readonly unknown[]): readonly unknown[] {
  const mine = new Map(own.map((tool) => [identityOf(tool), tool]));
  const theirs = new Set(preset.map(identityOf));
  return [
    ...preset.map((tool) => mine.get(identityOf(tool)) ?? tool),
    ...own.filter((tool) => !theirs.has(identityOf(tool))),
  ];
}

/** Server tools of which a request may have several, told apart by their names. */
const severalOfAKind: ReadonlySet<string> = new Set(["advisor", "subagent"]);

/** Tells whether two tools are the same one: they have the same identity. In the spelling of presets. */
function identityOf(tool: unknown): string {
  if (!isRecord(tool)) return JSON.stringify(tool);
  const type = String(tool.type);
  const own = type === "function" || type === "custom" ? tool[type] : undefined;
  if (isRecord(own)) return JSON.stringify(["function", own.name]);
  const kind = serviceKindOf(type) ?? type;
  if (severalOfAKind.has(kind)) {
    return JSON.stringify([kind, isRecord(tool.parameters) ? tool.parameters.name : undefined]);
  }
  return JSON.stringify([kind, tool.server_label ?? tool.mcp_server_name ?? tool.name]);
}
