/** Token → caller. The keys in use are held in memory, so that a request of a known key asks no store. */

import { type Caller, type KeyCaching, MAX_KEY_CHARS } from "../../../shared/keys.ts";
import { SharedWork } from "../../../shared/util/memo.ts";
import { batchReads } from "../../storage/stores/batched_reads.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Clock } from "../../runtime.ts";
import { GenerationalCache } from "../core/generational_cache.ts";
import type { KeyFilter } from "./lists/key_filter.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import { hashKey, type KeyCollection, keyCollection, type KeyRow } from "./key_rows.ts";
import { workspaceCollection } from "../workspaces/workspace_rows.ts";

interface KeyCacheOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Keys held in memory. */
  readonly maxKeys?: number;
  /** Knows of most hashes that they belong to no key, where that can be known. */
  readonly filter?: Pick<KeyFilter, "excludes" | "countUnknownKey">;
  /** Hashes held that belong to no key, so that a client with a wrong key does not ask the store each time. */
  readonly maxUnknown?: number;
}

const MAX_WORKSPACES = 10_000;

/** Entry of the cache: a key's caller and the data that requests read of it. */
interface CachedKey {
  readonly caller: Caller | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly row: KeyRow | undefined;
}

const nobody: CachedKey = { caller: undefined, expiresAt: Infinity, row: undefined };

export class KeyCache {
  readonly #rows: KeyCollection;
  readonly #workspaces: ReturnType<typeof workspaceCollection>;
  readonly #clock: Clock;
  readonly #filter: KeyCacheOptions["filter"];
  readonly #known: GenerationalCache<CachedKey>;
  readonly #unknown: GenerationalCache<CachedKey>;
  /** Whether a workspace is being deleted. Its deletion makes the cache forget every key, and with them this. */
  readonly #leaving = new GenerationalCache<boolean>(MAX_WORKSPACES);
  /** Look-ups under way, so that a burst of one key asks the store once. */
  readonly #pending = new SharedWork<string, CachedKey>();
  /** Counts changes: a look-up that began before one must not be remembered after it. */
  #version = 0;

  constructor({ store, clock, filter, maxKeys = 100_000, maxUnknown = 100_000 }: KeyCacheOptions) {
    this.#rows = keyCollection(batchReads(store));
    this.#workspaces = workspaceCollection(store);
    this.#clock = clock;
    this.#filter = filter;
    this.#known = new GenerationalCache(maxKeys);
    this.#unknown = new GenerationalCache(maxUnknown);
  }

  /**
   * The caller whose key this is; undefined for a missing, unknown, disabled or expired one. At once when the
   * key is held, else a promise, which rejects with an ApiError when the store does not answer.
   */
  find(token: string): Caller | undefined | Promise<Caller | undefined> {
    if (token === "" || token.length > MAX_KEY_CHARS) return undefined;
    return this.findByHash(hashKey(token));
  }

  /** The same for a key that is known by its hash. */
  findByHash(hash: string): Caller | undefined | Promise<Caller | undefined> {
    const known = this.#known.get(hash);
    if (known) return this.#admitted(known);
    if (this.#filter?.excludes(hash) || this.#unknown.get(hash)) return undefined;
    return this.#ask(hash).then((found) => this.#admitted(found));
  }

  /**
   * The row of a key by its hash, whatever its state; undefined when there is none. At once for a caller that was
   * found a moment ago; else as `find`.
   */
  rowOf(hash: string): KeyRow | undefined | Promise<KeyRow | undefined> {
    const held = this.#known.get(hash);
    return held ? held.row : this.#ask(hash).then(({ row }) => row);
  }

  /** Forgets a key that was written or removed; without a hash, every key. */
  changed(hash?: string): void {
    this.#version++;
    this.#pending.forget();
    if (hash === undefined) this.#leaving.clear();
    for (const cache of [this.#known, this.#unknown]) {
      if (hash === undefined) cache.clear();
      else cache.delete(hash);
    }
  }

  #admitted({ caller, expiresAt }: CachedKey): Caller | undefined {
    return this.#clock.now() < expiresAt ? caller : undefined;
  }

  #ask(hash: string): Promise<CachedKey> {
    return this.#pending.run(hash, () => this.#load(hash));
  }

  async #load(hash: string): Promise<CachedKey> {
    const version = this.#version;
    const found = await this.#rows.get(hash).catch(throwStoreUnavailable);
    const held = found ? await this.#heldOf(found.record) : nobody;
    if (!found) this.#filter?.countUnknownKey();
    if (version === this.#version) (found ? this.#known : this.#unknown).set(hash, held);
    return held;
  }

  /** From the start of its workspace's deletion an API key is refused, whatever else its row says. */
  async #heldOf(row: KeyRow): Promise<CachedKey> {
    const held = toCachedKey(row);
    if (row.kind !== "api" || held.caller === undefined) return held;
    const leaves = this.#leaving.get(row.workspace_id) ?? await this.#leaves(row.workspace_id);
    return leaves ? { ...held, caller: undefined } : held;
  }

  async #leaves(workspaceId: string): Promise<boolean> {
    const version = this.#version;
    const workspace = await this.#workspaces.get(workspaceId).catch(throwStoreUnavailable);
    const leaves = workspace?.record.state === "deleting";
    if (version === this.#version) this.#leaving.set(workspaceId, leaves);
    return leaves;
  }
}

function toCachedKey(row: KeyRow): CachedKey {
  const expiresAt = row.expires_at === null ? Infinity : Date.parse(row.expires_at);
  return { caller: row.disabled ? undefined : toCaller(row), expiresAt, row };
}

function cachingOf(
  { cache_enabled: enabled, cache_ttl_seconds: seconds }: KeyRow,
): { readonly caching?: KeyCaching } {
  if (!enabled && seconds === null) return {};
  return { caching: seconds === null ? { enabled } : { enabled, ttlSeconds: seconds } };
}

/** A client secret without its client is nobody's. */
function toCaller(row: KeyRow): Caller | undefined {
  const { kind, hash: keyHash, workspace_id: workspaceId, client_id: clientId, external_user: externalUser } =
    row;
  switch (kind) {
    case "api":
      return {
        kind,
        keyHash,
        workspaceId,
        ...(externalUser === null ? {} : { externalUser }),
        ...cachingOf(row),
      };
    case "management":
      return { kind, keyHash, workspaceId, readOnly: row.read_only };
    case "client":
      return clientId === null ? undefined : { kind, keyHash, workspaceId, clientId };
    default:
      return kind satisfies never;
  }
}
