/** Settings as the process has them. The launcher loads little else, so this file imports little. */

import type { ConfigSource } from "../config.ts";
import { ConfigError } from "../config_error.ts";
import { isFileVariable } from "../variables.ts";

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
    readFile: (path) => Deno.readTextFileSync(path),
    names: () => mayReadAll() ? Object.keys(Deno.env.toObject()) : [],
    terminal: Deno.stderr.isTerminal(),
  };
}

const mayReadAll = () => Deno.permissions.querySync({ name: "env" }).state === "granted";
