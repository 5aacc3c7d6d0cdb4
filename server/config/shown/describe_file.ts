/** Settings of the configuration file as managers may read them: what is not known to be harmless is not shown. */

import type { SettingDescription } from "../../../shared/management/gateway/settings.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { withoutAddressSecrets } from "./setting_text.ts";

/** Places whose texts are shown; of all others no more than that something stands there. `[]` is any place of a list. */
const shownTexts: readonly RegExp[] = [
  /^providers\[\]\.(?:id|name|wire|base_url|speech|api_key_env|api_keys_env|region)$/,
  /^providers\[\]\.quirks\.(?:pass_keys|omit|developer_role|reasoning_replay|traits)$/,
  /^(?:default_model|byok_providers|catalog\.file)$/,
  /^fetch\.(?:allowed_hosts|header_env)$/,
  /^search\.\w+\.(?:base_url|price)$/,
  /^moderation\.(?:wire|base_url|api_key_env|model|name|fail|price)$/,
  /^alerts\.webhook\.(?:url_env|secret_env|format)$/,
  /^(?:aliases|auto|fusion|routing|sandbox)\./,
];

/** Long lists, of which the number of entries is shown. */
const counted: readonly RegExp[] = [/^models$/, /^scores$/, /^providers\[\]\.models$/];

interface FileInput {
  /** Its path; undefined where there is none. */
  readonly path: string | undefined;
  /** As it was written. */
  readonly written: unknown;
  /** With its defaults. */
  readonly parsed: unknown;
}

export function describeFile({ path, written, parsed }: FileInput): readonly SettingDescription[] {
  return leavesOf(parsed, []).map(({ at, value, isSecret }) => ({
    name: showPath(at),
    group: "file",
    description: null,
    secret: isSecret,
    value: isSecret ? "set" : value,
    default: null,
    source: path !== undefined && isWritten(written, at)
      ? { type: "file", name: path }
      : { type: "default", name: null },
  }));
}

type Path = readonly (string | number)[];

interface Leaf {
  readonly at: Path;
  readonly value: string | number | boolean;
  readonly isSecret: boolean;
}

function leavesOf(value: unknown, at: Path): readonly Leaf[] {
  if (value === undefined || value === null) return [];
  const pattern = showPath(at.map((part) => typeof part === "number" ? "[]" : part));
  if (counted.some((one) => one.test(pattern))) return [{ at, value: countOf(value), isSecret: false }];
  if (typeof value === "number" || typeof value === "boolean") return [{ at, value, isSecret: false }];
  if (typeof value === "string") return [textLeaf(value, { at, pattern })];
  if (Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null)) {
    return value.length === 0 ? [] : [textLeaf(value.join(", "), { at, pattern })];
  }
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((one: unknown, index) => [index, one] as const)
    : isRecord(value)
    ? Object.entries(value)
    : [];
  return entries.flatMap(([part, one]) => leavesOf(one, [...at, part]));
}

function textLeaf(text: string, { at, pattern }: { readonly at: Path; readonly pattern: string }): Leaf {
  const isSecret = !shownTexts.some((one) => one.test(pattern));
  return { at, value: withoutAddressSecrets(text), isSecret };
}

function countOf(value: unknown): string {
  const count = Array.isArray(value) ? value.length : isRecord(value) ? Object.keys(value).length : 0;
  return `${count} ${count === 1 ? "entry" : "entries"}`;
}

/** `providers[0].headers.x-team` */
function showPath(path: Path): string {
  return path.map((part) => typeof part === "number" ? `[${part}]` : part === "[]" ? part : `.${part}`).join(
    "",
  )
    .replace(/^\./, "");
}

/** Whether the file itself has something at the place, or one in which it stands. */
function isWritten(written: unknown, at: Path): boolean {
  let value = written;
  for (const part of at) {
    if (Array.isArray(value) && typeof part === "number") value = value[part];
    else if (isRecord(value) && Object.hasOwn(value, part)) value = value[part];
    else return false;
  }
  return value !== undefined;
}
