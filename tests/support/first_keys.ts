/** The keys that a first start has made, as its operator finds them: in the file that the output names. */

import assert from "node:assert/strict";
import { resolve } from "node:path";

export interface FirstKeys {
  readonly managementKey: string;
  readonly apiKey: string;
  /** The file's path. */
  readonly path: string;
  readonly text: string;
}

/** Reads them. `cwd` is where the program was started. */
export async function firstKeysOf(output: string, cwd = "."): Promise<FirstKeys> {
  const [, named] = /^New keys: (.*)$/m.exec(output) ?? [];
  assert(named !== undefined, `no keys were made: ${output}`);
  const path = resolve(cwd, named);
  const text = await Deno.readTextFile(path);
  const [managementKey, apiKey] = ["Management key", "API key"].map((name) => keyOf(text, name));
  assert(managementKey !== undefined && apiKey !== undefined, text);
  return { managementKey, apiKey, path, text };
}

/** The key behind its name in a text. */
export const keyOf = (text: string, name: string) => new RegExp(`^${name}: (\\S+)$`, "m").exec(text)?.[1];
