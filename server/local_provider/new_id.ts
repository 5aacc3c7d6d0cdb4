/** Ids as a provider gives them. */

import type { Runtime } from "../runtime.ts";

/** `<prefix>_` and 24 letters and digits, hard to guess. */
export function newId(prefix: string, { randomToken }: Pick<Runtime, "randomToken">): string {
  return `${prefix}_${randomToken(18).replace(/[^A-Za-z0-9]/g, "x")}`;
}
