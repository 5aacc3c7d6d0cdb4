/** Settings as the process has them. The permissions program loads little else, so this file imports little. */

import type { ConfigSource } from "./config.ts";
import { ConfigError } from "./config_error.ts";

/** The process's own. A variable that may not be read is an error that says so. */
export function processConfigSource(): ConfigSource {
  return {
    env: (name) => {
      try {
        return Deno.env.get(name);
      } catch (cause) {
        throw new ConfigError(`${name} may not be read: start with it in --allow-env`, { cause });
      }
    },
    readFile: (path) => Deno.readTextFileSync(path),
    terminal: Deno.stderr.isTerminal(),
  };
}
