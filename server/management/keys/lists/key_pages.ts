/**
 * Pages of a workspace's keys. Keys before a page have to be counted, and a store reads them one by one; so places
 * on the way are remembered for as long as no key changes, and a list that is read page by page is read once.
 */

import type { Store, StoreKey } from "../../../storage/stores/store.ts";
import type { CacheVersions } from "../../core/cache_versions.ts";
import { listIndexedKeys } from "./key_index.ts";

interface KeyPagesOptions {
  readonly store: Store;
  readonly cacheVersions: Pick<CacheVersions, "version">;
}

interface KeyPageQuery {
  /** The workspace's UUID. */
  readonly of: string;
  /** Whether disabled keys are among them. */
  readonly disabled: boolean;
  readonly offset: number;
  readonly limit: number;
}

interface WalkedPosition {
  /** Cache version of keys before the first step: every change of a key changes it. */
  readonly version: string | undefined;
  /** The n-th is the place of key number (n + 1) × EVERY of the list. */
  readonly marks: StoreKey[];
}

/** Keys from one place that is remembered to the next. */
const EVERY = 250;
/** Lists of which places are remembered. */
const LISTS = 50;

export class KeyPages {
  readonly #options: KeyPagesOptions;
  readonly #walked = new Map<string, WalkedPosition>();

  constructor(options: KeyPagesOptions) {
    this.#options = options;
  }

  /** Hashes of the keys, the youngest first. */
  async hashesOf({ of, disabled: all, offset, limit }: KeyPageQuery): Promise<readonly string[]> {
    const { marks } = await this.#listOf(`${of} ${all}`);
    const known = Math.min(marks.length, Math.floor(offset / EVERY));
    let passed = known * EVERY;
    const hashes: string[] = [];
    const rest = listIndexedKeys(this.#options.store, { name: "workspace", of, after: marks[known - 1] });
    for await (const { hash, disabled, place } of rest) {
      if (disabled && !all) continue;
      if (passed >= offset) hashes.push(hash);
      passed++;
      if (passed % EVERY === 0) marks[passed / EVERY - 1] = place;
      if (hashes.length === limit) break;
    }
    return hashes;
  }

  /** Reads the known pages of a list; nothing when a key has changed since. */
  async #listOf(name: string): Promise<WalkedPosition> {
    const version = await this.#options.cacheVersions.version("keys");
    const known = this.#walked.get(name);
    if (known !== undefined && known.version === version) return known;
    this.#walked.delete(name);
    for (const [oldest] of this.#walked) {
      if (this.#walked.size < LISTS) break;
      this.#walked.delete(oldest);
    }
    const walked: WalkedPosition = { version, marks: [] };
    this.#walked.set(name, walked);
    return walked;
  }
}
