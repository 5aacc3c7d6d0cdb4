/** Names of keys that are known by their hash alone. */

import { type ConsoleApi, operation } from "../../api.ts";

const getKey = operation<"keys.get">("GET", "/keys/:hash");

interface KeyNamesInput {
  readonly hashes: readonly string[];
  readonly signal: AbortSignal;
}

/** By hash; deleted keys have no name. One call each: for a few. */
export async function readKeyNames(
  api: Pick<ConsoleApi, "call">,
  { hashes, signal }: KeyNamesInput,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.allSettled(hashes.map(async (hash) => {
    const { data } = await api.call(getKey, { params: { hash }, signal });
    return [hash, data.name] as const;
  }));
  return new Map(found.flatMap((one) => one.status === "fulfilled" ? [one.value] : []));
}
