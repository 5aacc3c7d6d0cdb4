/** The address of a gateway as a flag names it. */

import { CommandError } from "./command_error.ts";

/** Without a trailing slash; undefined where the flag is missing. Throws a CommandError. */
export function parseUrlFlag(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = text.trim().replace(/\/+$/, "");
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url;
  throw new CommandError(`--url is "${text}": allowed are addresses such as http://127.0.0.1:8787`);
}
