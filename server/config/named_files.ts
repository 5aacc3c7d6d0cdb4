/** Files that the configuration file names. */

import { ConfigError } from "./config_error.ts";
import { readNamedText, type VariableSource } from "./variables.ts";

interface NamedPlace {
  readonly path: string;
  /** The configuration file: a relative path begins in its folder. */
  readonly beside: string | undefined;
}

/** A file that the configuration file names, with its whole path. */
export function readBeside(
  source: VariableSource,
  { setting, path, beside = "" }: NamedPlace & { readonly setting: string },
): { readonly path: string; readonly text: string } {
  const absolute = /^(?:[/\\]|[A-Za-z]:)/.test(path);
  const full = absolute ? path : beside.replace(/[^/\\]*$/, "") + path;
  return { path: full, text: readNamedText(source, { name: setting, path: full }) };
}

/** A catalog of the operator's, read and not yet checked. */
interface CatalogFile {
  readonly path: string;
  readonly json: unknown;
}

/** The JSON of a catalog, not yet checked. Throws a ConfigError. */
export function readCatalog(
  source: VariableSource,
  { path, beside }: Partial<NamedPlace>,
): CatalogFile | undefined {
  if (path === undefined) return undefined;
  const { path: full, text } = readBeside(source, { setting: "catalog.file", path, beside });
  try {
    return { path: full, json: JSON.parse(text) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`catalog.file is ${JSON.stringify(full)}, which is not JSON: ${why}`, { cause });
  }
}
