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
  /** Null for a key that is deleted. */
  readonly #names = signal<ReadonlyMap<string, string | null>>(new Map());

  constructor(api: Pick<ConsoleApi, "call">) {
    this.#api = api;
  }

  /** Null for a key that is deleted, undefined for one that was not read. */
  of(hash: string): string | null | undefined {
    return this.#names.value.get(hash);
  }

  /** Takes the names that a list has told with its rows. */
  add(hashes: readonly string[], names: ReadonlyMap<string, string>): void {
    const told = hashes.map((hash) => [hash, names.get(hash) ?? null] as const);
    if (told.some(([hash, name]) => this.#names.peek().get(hash) !== name)) {
      this.#names.value = new Map([...this.#names.peek(), ...told]);
    }
  }

  /** Reads those that are not known, one search each: for a few. */
  async read(hashes: readonly string[], abort: AbortSignal): Promise<void> {
    const unknown = [...new Set(hashes)].filter((hash) => !this.#names.peek().has(hash));
    if (unknown.length > 0) {
      this.add(unknown, await readKeyNames(this.#api, { hashes: unknown, signal: abort }));
    }
  }
}
