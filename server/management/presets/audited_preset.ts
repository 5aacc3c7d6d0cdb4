/**
 * A preset as the audit log shows it, which is kept longer than any version: what has changed, but neither the text that
 * instructs the model nor what tools hold, such as the credentials of servers.
 */

import { hash } from "node:crypto";
import type { PresetRecord, PresetVersion } from "../../../shared/presets/records.ts";
import { isRecord } from "../../../shared/util/json.ts";

/** Bytes of a setting as JSON; two versions of all settings fit into a small value of a store. */
const MOST_BYTES = 1_000;
/** Hexadecimal digits: enough to tell two values apart. */
const HASH_DIGITS = 16;

type Content = Pick<PresetVersion, "config" | "system_prompt">;

/** `content`: that of its newest version; undefined where the change is not about settings. */
export function auditedPreset(record: PresetRecord, content: Content | undefined): unknown {
  if (content === undefined) return record;
  const { config, system_prompt } = content;
  const settings = Object.entries(config).map(([name, value]) => [name, auditedValue(name, value)]);
  return {
    ...record,
    config: Object.fromEntries(settings),
    system_prompt: system_prompt === null ? null : digestOf(system_prompt),
  };
}

/** Long values are told by their digest. */
function auditedValue(name: string, value: unknown): unknown {
  const brief = briefly(name, value);
  const isLong = bytesOf(brief) > MOST_BYTES;
  return isLong ? { ...(Array.isArray(value) ? { entries: value.length } : {}), ...digestOf(value) } : brief;
}

/** The value with tools told by their names, wherever they stand in it. */
function briefly(name: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    return name === "tools" ? value.map(auditedTool) : value.map((one) => briefly("", one));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, briefly(key, inner)]));
}

function auditedTool(tool: unknown): unknown {
  if (!isRecord(tool)) return digestOf(tool);
  const { type, server_label } = tool;
  const own = type === "function" || type === "custom" ? tool[type] : undefined;
  const name = isRecord(own) ? own.name : tool.name ?? server_label;
  return { type, name, sha256: digestOf(tool).sha256 };
}

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

const digestOf = (value: unknown): { readonly bytes: number; readonly sha256: string } => ({
  bytes: bytesOf(value),
  sha256: hash("sha256", JSON.stringify(value)).slice(0, HASH_DIGITS),
});
