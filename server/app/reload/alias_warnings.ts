/** Warnings about aliases that promise more than a request does. */

import type { Config } from "../../config/config.ts";

/** A sentence for each alias of more models than a request makes attempts. */
export function attemptWarnings({ aliases, limits: { attempts } }: AliasSettings): readonly string[] {
  return Object.entries(aliases).filter(([, models]) => models.length > attempts).map(([name, models]) =>
    `aliases.${name} has ${models.length} models, and a request makes ${attempts} attempts: ` +
    `${
      models[attempts]
    } and those behind it are tried only where models before them may not serve the request. ` +
    "Raise limits.attempts, or list fewer"
  );
}

interface AliasSettings extends Pick<Config, "aliases"> {
  readonly limits: Pick<Config["limits"], "attempts">;
}
