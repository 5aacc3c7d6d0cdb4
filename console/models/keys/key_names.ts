/** Names of keys that are known by their hash alone. */

import { signal } from "@preact/signals";
import { type ConsoleApi, operation } from "../../api.ts";

const listKeys = operation<"keys.list">("GET", "/keys");

interface KeyNamesInput {
  readonly hashes: readonly string[];
  readonly signal: AbortSignal;
}

/** By hash; deleted keys have no name. One search each, which a deleted key does not fail: for a few. */
export async function readKeyNames(
  api: Pick<ConsoleApi, "call">,
  { hashes, signal }: KeyNamesInput,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.allSettled(hashes.map(async (hash) => {
    const query = { q: hash, workspace_id: "all", include_disabled: true, limit: 1 };
    const { data: [key] } = await api.call(listKeys, { query, signal });
    return [hash, key?.hash === hash ? key.name : undefined] as const;
  }));
  const names = found.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
  return new Map(names.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

/** Names that were read once and are kept while a page is open. */
export class KeyNames {
  readonly #api: Pick<ConsoleApi, "call">;
  readonly #names = signal<ReadonlyMap<string, string>>(new Map());

  constructor(api: Pick<ConsoleApi, "call">) {
    this.#api = api;
  }

  /** Undefined for a key that is deleted, or was not read. */
  of(hash: string): string | undefined {
    return this.#names.value.get(hash);
  }

  async read(hashes: readonly string[], abort: AbortSignal): Promise<void> {
    const unknown = [...new Set(hashes)].filter((hash) => !this.#names.peek().has(hash));
    if (unknown.length === 0) return;
    const found = await readKeyNames(this.#api, { hashes: unknown, signal: abort });
    this.#names.value = new Map([...this.#names.peek(), ...found]);
  }
}
