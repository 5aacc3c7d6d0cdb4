/** The data folder, and paths as values of Deno's permission flags. */

import { ConfigError } from "./config_error.ts";
import { tryReadVariable, type VariableSource } from "./variables.ts";

export const dataFolderSetting = { name: "TOLLGATE_DATA", fallback: "./data" } as const;

/** The only folder that is written to. */
export function writablePaths(source: VariableSource): readonly string[] {
  return [tryReadVariable(source, dataFolderSetting.name) ?? dataFolderSetting.fallback];
}

/** One value of a permission flag. Throws a ConfigError for a path that Deno would take for several. */
export function permissionValue(paths: readonly string[]): string {
  const odd = paths.find((path) => /[,\p{Cc}]/u.test(path));
  if (odd !== undefined) {
    throw new ConfigError(
      `The path ${JSON.stringify(odd)} cannot be given to Deno as a permission: ` +
        "allowed are paths without commas and control characters",
    );
  }
  return [...new Set(paths)].join(",");
}
