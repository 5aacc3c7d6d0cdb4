/** Which files a gateway needs by its settings, besides the code of the built-in models. */

import { dirname, isAbsolute, join } from "node:path";
import { variable, writablePaths } from "./data_folder.ts";
import { envSettings } from "./env_settings.ts";
import { searchSettings } from "./search_settings.ts";

export interface PermissionSource {
  readonly env: (name: string) => string | undefined;
  /** The text of a file. Throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** The settings of providers. A document is given as it is or by the path of its file. */
  readonly providerSettings: readonly { readonly name: string; readonly kind: string }[];
}

/** The data folder, the configuration file, and the files that it and the environment name. */
export async function readablePaths(source: PermissionSource): Promise<readonly string[]> {
  const { env, providerSettings } = source;
  const config = variable(env, envSettings.configFile.name);
  const documents = providerSettings.filter(({ kind }) => kind === "document")
    .flatMap(({ name }) => variable(env, name) ?? [])
    .filter((text) => !text.startsWith("{"));
  const names = [...Object.values(envSettings), ...providerSettings, ...searchSettings].map(({ name }) =>
    `${name}_FILE`
  );
  const named = [...names, "DENO_CERT"].flatMap((name) => variable(env, name) ?? []);
  const fromConfig = config === undefined ? [] : [config, ...await filesNamedIn(source, config)];
  return [...writablePaths(env), ...fromConfig, ...documents, ...named];
}

/** Every text under `file` or `…_file`, wherever it stands; what else is wrong with the file is told by the start. */
async function filesNamedIn({ readFile }: PermissionSource, config: string): Promise<readonly string[]> {
  try {
    // Loaded only with a configuration file, because it delays every start by 25 ms.
    const { parse } = await import("jsonc-parser");
    const found = namedFiles(parse(readFile(config)));
    return found.flatMap((path) => isAbsolute(path) ? [path] : [path, join(dirname(config), path)]);
  } catch (_error) {
    // The start says which setting names a file that cannot be read.
    return [];
  }
}

function namedFiles(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "string" && /(?:^|_)file$/.test(key) ? [inner] : namedFiles(inner)
  );
}
