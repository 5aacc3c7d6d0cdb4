/** A store with what only the process that opened it knows of it. */

import type { Clock } from "../world.ts";
import { reasonOf } from "./reason.ts";
import type { Store, StoreHealth } from "./store.ts";

export interface Owned {
  /** Gives the lock back; called once the store is closed. */
  readonly release: () => void | Promise<void>;
  /** What is wrong now although the store may still answer; undefined while all is well. */
  readonly trouble: () => Promise<string | undefined>;
  readonly clock: Clock;
}

/** `/readyz` may be asked often; the store is asked at most once in this time. */
const HEALTH_MS = 1_000;

export function ownedStore(inner: Store, owned: Owned): Store {
  return new OwnedStore(inner, owned);
}

class OwnedStore implements Store {
  readonly #inner: Store;
  readonly #owned: Owned;
  #health: Promise<StoreHealth> | undefined;
  #askedAt = -Infinity;

  readonly get: Store["get"];
  readonly getMany: Store["getMany"];
  readonly list: Store["list"];
  readonly commit: Store["commit"];
  readonly listen: Store["listen"];

  constructor(inner: Store, owned: Owned) {
    this.#inner = inner;
    this.#owned = owned;
    this.get = inner.get.bind(inner);
    this.getMany = inner.getMany.bind(inner);
    this.list = inner.list.bind(inner);
    this.commit = inner.commit.bind(inner);
    this.listen = inner.listen?.bind(inner);
  }

  health(): Promise<StoreHealth> {
    const now = this.#owned.clock.monotonic();
    if (this.#health && now - this.#askedAt < HEALTH_MS) return this.#health;
    this.#askedAt = now;
    this.#health = this.#look();
    return this.#health;
  }

  async close(): Promise<void> {
    await this.#inner.close();
    await this.#owned.release();
  }

  async #look(): Promise<StoreHealth> {
    try {
      const trouble = await this.#owned.trouble();
      return trouble ? { ok: false, reason: trouble } : await this.#inner.health();
    } catch (error) {
      return { ok: false, reason: reasonOf(error) };
    }
  }
}
