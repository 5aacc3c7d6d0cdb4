/** Where a request came from, as its headers tell (wire-reference §2.2). */

import type { Origin } from "../pipeline/turn.ts";

export function originOf({ headers }: Request, api: string): Origin {
  const told = (...names: readonly string[]) => {
    for (const name of names) {
      const value = headers.get(name);
      if (value !== null && value !== "") return value;
    }
    return undefined;
  };
  return {
    api,
    referer: told("http-referer", "referer"),
    appTitle: told("x-openrouter-title", "x-title"),
    userAgent: told("user-agent"),
  };
}
