/** Which files a gateway needs by its settings, besides the code of the built-in models. */

import { basename, dirname, isAbsolute, join } from "node:path";
import { isRecord } from "../../../shared/util/json.ts";
import { writablePaths } from "../data_folder.ts";
import { envSettings } from "../env_settings.ts";
import { serviceSettings } from "../search_settings.ts";
import { MOST_FILE_BYTES, namedPath, tryReadVariable, type VariableSource } from "../variables.ts";

export interface PermissionSource extends VariableSource {
  /** The settings of providers. A document is given as it is or by the path of its file. */
  readonly providerSettings: readonly { readonly name: string; readonly kind: string }[];
}

/** The data folder, the configuration file, and the files that it and the environment name. */
export async function readablePaths(source: PermissionSource): Promise<readonly string[]> {
  const { env, providerSettings } = source;
  const config = tryReadVariable(source, envSettings.configFile.name);
  const fromConfig = config === undefined ? noFiles : await filesNamedIn(source, config);
  const documents = providerSettings.filter(({ kind }) => kind === "document")
    .map(({ name }) => env(name)?.trim())
    .filter((text) => !text?.startsWith("{"));
  const settings = [...Object.values(envSettings), ...providerSettings, ...serviceSettings];
  const names = [...settings.map(({ name }) => name), ...fromConfig.variables];
  const named = names.map((name) => namedPath(source, name));
  const all = [config, ...fromConfig.paths, ...documents, ...named, env("DENO_CERT")?.trim()];
  return [...writablePaths(source), ...all.flatMap((path) => path ? [path, ...linkedPaths(path)] : [])];
}

/**
 * The place that a link leads to: Deno asks for the right to read that one. In a mounted secret of Kubernetes it is
 * another one after each rotation, so there it is the whole folder of the mount.
 */
function linkedPaths(path: string): readonly string[] {
  try {
    const isMounted = Deno.readLinkSync(path).replaceAll("\\", "/") === `..data/${basename(path)}`;
    return [isMounted ? dirname(path) : Deno.realPathSync(path)];
  } catch (_error) {
    // It is no link, or not there: the start says what cannot be read.
    return [];
  }
}

interface ConfigNames {
  readonly paths: readonly string[];
  /** Variables of the environment that have keys. */
  readonly variables: readonly string[];
}

const noFiles: ConfigNames = { paths: [], variables: [] };

/** Files and variables that the configuration file names; what else is wrong with it is told by the start. */
async function filesNamedIn({ readFile }: PermissionSource, config: string): Promise<ConfigNames> {
  try {
    // Loaded only with a configuration file, because it delays every start by 25 ms.
    const { parse } = await import("jsonc-parser");
    const json: unknown = parse(readFile(config, MOST_FILE_BYTES));
    const routing = isRecord(json) ? json.routing : undefined;
    const found = [...textsUnder(json, /(?:^|_)file$/), ...textsUnder(routing, /^(?:scores|market)$/)];
    return {
      paths: found.flatMap((path) => isAbsolute(path) ? [path] : [path, join(dirname(config), path)]),
      variables: textsUnder(json, /(?:^|_)env$/),
    };
  } catch (_error) {
    // The start says which setting names a file that cannot be read.
    return noFiles;
  }
}

/** Every text, and every text of a list, under a key of this form, wherever it stands. */
function textsUnder(value: unknown, key: RegExp): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const texts = key.test(name) ? [inner].flat().filter((text) => typeof text === "string") : [];
    return texts.length > 0 ? texts : textsUnder(inner, key);
  });
}
