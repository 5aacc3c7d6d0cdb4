/** Settings as the process has them. The launcher loads little else, so this file imports little. */

import type { ConfigSource } from "../config.ts";
import { ConfigError } from "../config_error.ts";
import { isFileVariable } from "../variables.ts";
import { readSettledText } from "./read_settled.ts";

/** The process's own. A variable that may not be read is an error that says so. */
export function processConfigSource(): ConfigSource {
  return {
    env: (name) => {
      try {
        return Deno.env.get(name);
      } catch (cause) {
        // Operators that allow single variables name those that are set; few give a file.
        if (isFileVariable(name)) return undefined;
        throw new ConfigError(`${name} may not be read: start with it in --allow-env`, { cause });
      }
    },
    readFile: readSettledText,
    names: () => mayReadAll() ? Object.keys(Deno.env.toObject()) : [],
    terminal: Deno.stderr.isTerminal(),
  };
}

/**
 * The same with the environment as it is now, for settings that are read again when the process may not look there any
 * more.
 */
export function keptConfigSource(): ConfigSource {
  const source = processConfigSource();
  if (!mayReadAll()) return rememberingSource(source);
  const variables = new Map(Object.entries(Deno.env.toObject()));
  return { ...source, env: (name) => variables.get(name), names: () => [...variables.keys()] };
}

/** Keeps each variable from the first time that it is read. */
function rememberingSource(source: ConfigSource): ConfigSource {
  const variables = new Map<string, string | undefined>();
  return {
    ...source,
    env: (name) => {
      if (!variables.has(name)) variables.set(name, source.env(name));
      return variables.get(name);
    },
  };
}

const mayReadAll = () => Deno.permissions.querySync({ name: "env" }).state === "granted";
