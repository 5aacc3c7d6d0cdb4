/** Presets that requests use, held in memory until one of them changes. */

import type { PresetRecord, PresetVersion } from "../../../shared/presets/records.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { GenerationalCache } from "../core/generational_cache.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import { findVersion, lookUpPreset, type PresetAddress } from "./preset_rows.ts";

/** A preset with its newest version. */
export interface UsablePreset extends Pick<PresetRecord, "id" | "slug" | "status"> {
  readonly version: PresetVersion;
}

/** With at most 50,000 bytes each. */
const MOST_HELD = 500;

interface PresetCacheOptions {
  readonly store: Store;
  readonly cacheVersions: CacheVersions;
}

export class PresetCache {
  readonly #store: Store;
  readonly #held = new GenerationalCache<UsablePreset>(MOST_HELD);
  /** Another number after every change: what was read before it is not kept. */
  #version = 0;

  constructor({ store, cacheVersions }: PresetCacheOptions) {
    this.#store = store;
    cacheVersions.on("presets", () => {
      this.#version++;
      this.#held.clear();
    });
  }

  /** Undefined for one that is not there. Rejects with an ApiError when the store does not answer. */
  find(address: PresetAddress): UsablePreset | undefined | Promise<UsablePreset | undefined> {
    const name = `${address.workspaceId} ${address.slug}`;
    return this.#held.get(name) ?? this.#load(address, name).catch(throwStoreUnavailable);
  }

  async #load(address: PresetAddress, name: string): Promise<UsablePreset | undefined> {
    const before = this.#version;
    const row = (await lookUpPreset(this.#store, address))?.record;
    const version = row && await findVersion(this.#store, { row, version: row.version });
    if (row === undefined || version === undefined) return undefined;
    const { id, slug, status } = row;
    const found = { id, slug, status, version };
    if (before === this.#version) this.#held.set(name, found);
    return found;
  }
}
