/** Warnings of saved lists and defaults: entries that mean nothing that is here now. They are kept as they are. */

import type { SaveWarning } from "../../../shared/management/operation.ts";
import type { DefaultPlugin } from "../../../shared/responses/plugins.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import type { ManagementDeps } from "./management_deps.ts";

/** Most warnings of one record; the others would say the same. */
const MOST = 20;

/** By field: the kind of its entries, and these; null and undefined are no list. */
type ListedFields = Readonly<
  Record<string, readonly [keyof ManagementDeps["listFaults"], readonly string[] | string | null | undefined]>
>;

export function listWarnings(
  { listFaults }: Pick<ManagementDeps, "listFaults">,
  fields: ListedFields,
): readonly SaveWarning[] {
  return Object.entries(fields).flatMap(([field, [kind, value]]) => {
    const entries = typeof value === "string" ? [value] : value ?? [];
    return entries.flatMap((entry, position): readonly SaveWarning[] => {
      const fault = listFaults[kind](entry);
      if (fault === undefined) return [];
      const path = typeof value === "string" ? field : `${field}[${position}]`;
      return [{ path, message: `"${truncateStart(entry, 100)}" ${fault}` }];
    });
  }).slice(0, MOST);
}

/** Warnings of `default_plugins` that would not act as they say. */
export const pluginWarnings = (
  { pluginFaults }: Pick<ManagementDeps, "pluginFaults">,
  plugins: readonly DefaultPlugin[] | null | undefined,
): readonly SaveWarning[] =>
  (plugins ?? []).flatMap((plugin, position) =>
    pluginFaults(plugin).map(({ field, message }): SaveWarning => {
      const entry = `default_plugins[${position}]`;
      return {
        path: field === undefined ? entry : `${entry}.${field}`,
        message: `"${plugin.id}" ${message}`,
      };
    })
  ).slice(0, MOST);

/** The reply of a save: its record, and the warnings where there are some. */
export const withWarnings = <T>(data: T, warnings: readonly SaveWarning[]) =>
  warnings.length === 0 ? { data } : { data, warnings: [...warnings] };
