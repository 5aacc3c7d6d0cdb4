/** Caller → the rate limits that stand over it: its key's and its workspace's. */

import type { Caller } from "../../../shared/keys.ts";
import { limitsRate, type RateLimited, type RateLimits } from "../../../shared/rate_limits.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { GenerationalCache } from "../core/generational_cache.ts";
import type { KeyCache } from "../keys/key_cache.ts";
import { type KeyRow, keyScope } from "../keys/key_rows.ts";
import { workspaceScope } from "./limit_resolver.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import { workspaceCollection } from "../workspaces/workspace_rows.ts";

interface RateLimitResolverOptions {
  readonly keyCache: Pick<KeyCache, "rowOf">;
  readonly store: Store;
  readonly cacheVersions: Pick<CacheVersions, "on">;
  /** Keys, and workspaces, held in memory. */
  readonly max?: number;
}

/** Most callers have no limits; they share this. */
const none: readonly RateLimited[] = [];

export class RateLimitResolver {
  readonly #keys: RateLimitResolverOptions["keyCache"];
  readonly #workspaces: ReturnType<typeof workspaceCollection>;
  readonly #held: GenerationalCache<readonly RateLimited[]>;
  readonly #ofWorkspaces: GenerationalCache<readonly RateLimited[]>;
  /** Counts changes: what was looked up before one must not be remembered after it. */
  #version = 0;

  constructor({ keyCache, store, cacheVersions, max = 100_000 }: RateLimitResolverOptions) {
    this.#keys = keyCache;
    this.#workspaces = workspaceCollection(store);
    this.#held = new GenerationalCache(max);
    this.#ofWorkspaces = new GenerationalCache(max);
    cacheVersions.on("keys", (hash) => {
      this.#version++;
      if (hash === undefined) this.#held.clear();
      else this.#held.delete(hash);
    });
    cacheVersions.on("workspaces", () => {
      this.#version++;
      this.#held.clear();
      this.#ofWorkspaces.clear();
    });
  }

  /**
   * Empty where nothing limits the caller. At once for a key that is in use; else a promise, which rejects with
   * an ApiError when the store does not answer.
   */
  limitsOf({ keyHash }: Caller): readonly RateLimited[] | Promise<readonly RateLimited[]> {
    return this.#held.get(keyHash) ?? this.#load(keyHash);
  }

  /** The same as far as it is held in memory. */
  resolveCached({ keyHash }: Caller): readonly RateLimited[] {
    return this.#held.get(keyHash) ?? none;
  }

  async #load(hash: string): Promise<readonly RateLimited[]> {
    const version = this.#version;
    const row = await this.#keys.rowOf(hash);
    const limited = row === undefined ? none : join(ofKey(row), await this.#ofWorkspace(row.workspace_id));
    if (version === this.#version) this.#held.set(hash, limited);
    return limited;
  }

  async #ofWorkspace(id: string): Promise<readonly RateLimited[]> {
    const held = this.#ofWorkspaces.get(id);
    if (held !== undefined) return held;
    const version = this.#version;
    const found = await this.#workspaces.get(id).catch(throwStoreUnavailable);
    const limits = toLimits(found?.record);
    const limited = limits ? [{ type: "workspace", scope: workspaceScope(id), limits } as const] : none;
    if (version === this.#version) this.#ofWorkspaces.set(id, limited);
    return limited;
  }
}

function ofKey(row: KeyRow): readonly RateLimited[] {
  if (!limitsRate(row.rate_limits)) return none;
  return [{ type: "key", scope: keyScope(row), limits: row.rate_limits }];
}

const join = (key: readonly RateLimited[], workspace: readonly RateLimited[]) =>
  key.length + workspace.length === 0 ? none : [...key, ...workspace];

/** Undefined where no limit is set. */
function toLimits(row: { readonly rate_limits?: RateLimits | null } | undefined): RateLimits | undefined {
  const limits = row?.rate_limits;
  return limitsRate(limits) ? limits : undefined;
}
