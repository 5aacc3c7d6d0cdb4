/** A store with what only the process that opened it knows of it. */

import type { Clock } from "../../runtime.ts";
import { systemReason } from "../../../shared/util/system_reason.ts";
import { type CommitResult, type Store, type StoreCommit, StoreError, type StoreHealth } from "./store.ts";

interface OwnershipOptions {
  /** Called before the store is closed, which removes files. */
  readonly closing?: () => Promise<void>;
  /** Gives the lock back; called once the store is closed. */
  readonly release: () => void | Promise<void>;
  /** Says what is wrong now although the store may still answer; undefined while all is well. */
  readonly trouble: () => Promise<string | undefined>;
  /** The same as it was seen a second ago at most, where the store is a file: then nothing is written. */
  readonly lost?: () => string | undefined;
  readonly clock: Clock;
  /** Writes down the version of an acknowledged commit, where the next start will look. */
  readonly remember: (version: string) => void;
}

/** Milliseconds between two times of writing it down; the last one is written when the store is closed. */
const REMEMBER_MS = 10_000;

/** `/readyz` may be asked often; the store is asked at most once in this time. */
const HEALTH_MS = 1_000;

export function ownedStore(inner: Store, owned: OwnershipOptions): Store {
  return new OwnedStore(inner, owned);
}

class OwnedStore implements Store {
  readonly #inner: Store;
  readonly #owned: OwnershipOptions;
  // deno-lint-ignore tollgate/kept-promises -- it never rejects, and is asked anew each second
  #health: Promise<StoreHealth> | undefined;
  #requestedAt = -Infinity;
  #latest: string | undefined;
  #rememberedAt: number;
  /** Why the newest version could not be written down. */
  #forgotten: string | undefined;

  readonly get: Store["get"];
  readonly getMany: Store["getMany"];
  readonly list: Store["list"];
  readonly listen: Store["listen"];

  constructor(inner: Store, owned: OwnershipOptions) {
    this.#inner = inner;
    this.#owned = owned;
    this.get = inner.get.bind(inner);
    this.getMany = inner.getMany.bind(inner);
    this.list = inner.list.bind(inner);
    this.#rememberedAt = owned.clock.monotonic();
    this.listen = inner.listen?.bind(inner);
  }

  get lost(): string | undefined {
    return this.#owned.lost?.();
  }

  async commit(commit: StoreCommit): Promise<CommitResult> {
    if (this.lost !== undefined) throw new StoreError("lost", `Cannot commit: ${this.lost}`);
    const result = await this.#inner.commit(commit);
    if (result.type === "ok") this.#acknowledged(result.version);
    return result;
  }

  health(): Promise<StoreHealth> {
    const now = this.#owned.clock.monotonic();
    if (this.#health && now - this.#requestedAt < HEALTH_MS) return this.#health;
    this.#requestedAt = now;
    this.#health = this.#look();
    return this.#health;
  }

  async close(): Promise<void> {
    const latest = this.#latest;
    this.#latest = undefined;
    if (latest !== undefined) this.#remember(latest);
    await this.#owned.closing?.();
    await this.#inner.close();
    await this.#owned.release();
  }

  /** Replies overtake each other, and any version that was acknowledged will do. */
  #acknowledged(version: string): void {
    this.#latest = version;
    const now = this.#owned.clock.monotonic();
    if (now - this.#rememberedAt < REMEMBER_MS) return;
    this.#rememberedAt = now;
    this.#remember(version);
  }

  /** The commit has happened, whatever becomes of this note: a failure is one of the store's health. */
  #remember(version: string): void {
    try {
      this.#owned.remember(version);
      this.#forgotten = undefined;
    } catch (error) {
      this.#forgotten = systemReason(error);
    }
  }

  async #look(): Promise<StoreHealth> {
    try {
      const trouble = this.#forgotten ?? await this.#owned.trouble();
      return trouble ? { ok: false, reason: trouble } : await this.#inner.health();
    } catch (error) {
      return { ok: false, reason: systemReason(error) };
    }
  }
}
