/** The plugins of a workspace's requests as a form has them: how each is set, and its settings as they are typed. */

import {
  type DefaultPlugin,
  defaultPlugin,
  defaultPlugins,
  type PluginId,
} from "../../shared/responses/plugins.ts";
import { isRecord, tryParseJson } from "../../shared/util/json.ts";
import { validate, type ValidationIssue } from "../../shared/validation/validate.ts";
import { defaultPluginsText } from "../text/default_plugins.ts";

const pluginModes = ["request", "on", "off", "always", "never"] as const;
export type PluginMode = typeof pluginModes[number];

export interface PluginRow {
  readonly id: PluginId;
  readonly mode: PluginMode;
  /** A JSON object, or nothing, as it is typed. */
  readonly settings: string;
}

/** Plugins that always show; others do where they are set. */
const shown: readonly PluginId[] = [
  "moderation",
  "file-parser",
  "web-fetch",
  "web",
  "response-healing",
  "context-compression",
];

/** Plugins without settings. */
const plain: ReadonlySet<PluginId> = new Set(["moderation", "response-healing"]);

const isOn = ({ mode }: Pick<PluginRow, "mode">): boolean => mode === "on" || mode === "always";
export const hasSettings = ({ id, mode }: PluginRow): boolean => isOn({ mode }) && !plain.has(id);

/** Moderation has no switch. */
export const modesOf = (id: PluginId): readonly PluginMode[] =>
  id === "moderation" ? ["request", "on", "always"] : pluginModes;

/** The hint of a field: what the plugin does, and what of it is not set up on this gateway. */
export function pluginHint(
  id: PluginId,
  lacks: readonly { readonly id: string; readonly reason: string }[] = [],
): string {
  const lack = lacks.find((one) => one.id === id);
  const about = defaultPluginsText.about[id];
  return lack === undefined ? about : `${about} ${defaultPluginsText.notSetUp(id, lack.reason)}`;
}

export function pluginRows(defaults: readonly DefaultPlugin[] | null): readonly PluginRow[] {
  const own = new Map((defaults ?? []).map((entry) => [entry.id, entry]));
  return [...new Set([...shown, ...own.keys()])].map((id) => rowOf(id, own.get(id)));
}

function rowOf(id: PluginId, entry: DefaultPlugin | undefined): PluginRow {
  if (entry === undefined) return { id, mode: "request", settings: "" };
  const { id: _, enabled = true, locked = false, ...settings } = entry;
  const isEnabled = enabled !== false || id === "moderation";
  const mode = isEnabled ? (locked ? "always" : "on") : locked ? "never" : "off";
  return { id, mode, settings: Object.keys(settings).length === 0 ? "" : JSON.stringify(settings) };
}

/** The rows as the gateway is told them, those with a problem left out; null where none is set. */
export function pluginsOf(rows: readonly PluginRow[]): DefaultPlugin[] | null {
  const entries = rows.flatMap((row) => {
    const entry = entryOf(row);
    return entry?.ok === true ? entry.value : [];
  });
  return entries.length === 0 ? null : entries;
}

/** Undefined for a plugin that is not set. */
function entryOf({ id, mode, settings }: PluginRow) {
  if (mode === "request") return undefined;
  const typed = settings.trim() === "" ? {} : tryParseJson(settings);
  return validate(defaultPlugin, {
    ...(isRecord(typed) ? typed : {}),
    id,
    enabled: isOn({ mode }) ? undefined : false,
    locked: mode === "always" || mode === "never" ? true : undefined,
  });
}

/** Problems of settings, by the plugin. */
export function pluginProblems(rows: readonly PluginRow[]): ReadonlyMap<PluginId, string> {
  const problems = new Map<PluginId, string>();
  for (const row of rows) {
    const problem = problemOf(row);
    if (problem !== undefined) problems.set(row.id, problem);
  }
  if (problems.size > 0) return problems;
  const all = validate(defaultPlugins, pluginsOf(rows) ?? []);
  const last = rows.findLast(hasSettings);
  const problem = all.ok ? undefined : firstOf(all.faults);
  if (problem !== undefined && last !== undefined) problems.set(last.id, problem);
  return problems;
}

function problemOf(row: PluginRow): string | undefined {
  const { mode, settings } = row;
  if (mode === "request") return undefined;
  if (settings.trim() !== "" && !isRecord(tryParseJson(settings))) return defaultPluginsText.noObject;
  const entry = entryOf(row);
  return entry?.ok === false ? firstOf(entry.faults) : undefined;
}

const firstOf = ([fault]: readonly ValidationIssue[]): string | undefined =>
  fault && defaultPluginsText.fault(fault.message);

/** The rows as one text, so that a draft with them can be compared. */
export const encodePlugins = (defaults: readonly DefaultPlugin[] | null): string =>
  JSON.stringify(pluginRows(defaults));

export const decodeRows = (text: string): readonly PluginRow[] => toRows(JSON.parse(text));

/** The text with one row changed. */
export const withRow = (text: string, changed: PluginRow): string =>
  JSON.stringify(decodeRows(text).map((row) => row.id === changed.id ? changed : row));

/** Rows that were encoded here. */
const toRows = (value: unknown): readonly PluginRow[] => value as readonly PluginRow[];

/** For the list of changes; empty where none is set. */
export const describePlugins = (text: string): string =>
  decodeRows(text).filter(({ mode }) => mode !== "request").map(describe).join(", ");

function describe(row: PluginRow): string {
  const what = isOn(row)
    ? defaultPluginsText.on(row.id, row.settings.trim())
    : defaultPluginsText.off(row.id);
  return row.mode === "always" || row.mode === "never" ? defaultPluginsText.locked(what) : what;
}
