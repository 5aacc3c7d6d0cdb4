/**
 * How a change reaches the caches: keys, workspaces, guardrails, provider keys and credits are held in memory and
 * dropped when their version changes. In this process at once; elsewhere when the store announces it, or with the
 * first request after a second without a look at the records.
 */

import { SharedWork } from "../../../shared/util/memo.ts";
import { ANY_TOPIC } from "../../storage/stores/change_topics.ts";
import type { Store, StorePut } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { throwStoreUnavailable } from "./store_errors.ts";

export const cacheTopics = [
  "keys",
  "workspaces",
  "budgets",
  "guardrails",
  "byok",
  "credits",
  "presets",
  "destinations",
  "classifiers",
  /** Somebody asked for the open calls of a key that is disabled to be ended. */
  "aborts",
  /** A container was deleted: what other instances run of it is ended. */
  "containers",
] as const;
export type CacheTopic = (typeof cacheTopics)[number];

/** Topics whose records are looked at, in one read: for its containers an instance looks by itself. */
const readTopics = cacheTopics.filter((topic) => topic !== "containers");

/** `id` is what changed, a key's hash for one; undefined: anything may have. */
export type CacheListener = (id?: string) => void;

interface CacheVersionsOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "id" | "log">;
  /** Other processes write the same store. A store with one owner needs neither signals nor looks. */
  readonly shared?: boolean;
}

/** The longest that a change elsewhere goes unseen, in ms. */
export const UNSEEN_MS = 1_000;

const keyOf = (topic: CacheTopic) => ["epochs", topic];

export class CacheVersions {
  readonly #options: CacheVersionsOptions;
  readonly #listeners = new Map<CacheTopic, Set<CacheListener>>();
  /** The versions of the records at the last look. */
  readonly #seen = new Map<CacheTopic, string | undefined>();
  #looks: boolean;
  /** Monotonic ms at which the last look that succeeded began. */
  #lookedAt = -Infinity;
  readonly #looking = new SharedWork<"all", void>();
  #deafen: (() => Promise<void>) | undefined;

  constructor(options: CacheVersionsOptions) {
    this.#options = options;
    this.#looks = options.shared === true;
  }

  /** Listens to the store, where it gives signals; from then on no looks are needed. */
  async listen(): Promise<void> {
    const { store } = this.#options;
    if (store.listen === undefined || this.#deafen !== undefined) return;
    this.#deafen = await store.listen((topic) => this.#heard(topic));
    this.#looks = false;
  }

  /** Whether nobody but this process writes the store; known once it listens where it can. */
  get isOnlyWriter(): boolean {
    return !this.#looks && this.#deafen === undefined;
  }

  async close(): Promise<void> {
    await this.#deafen?.();
    this.#deafen = undefined;
  }

  /** Belongs into the commit that changes what is held under the topic. */
  put(topic: CacheTopic): StorePut {
    return { key: keyOf(topic), value: this.#options.runtime.id(), small: true };
  }

  /**
   * Reads the version of the topic's record: another one after every change, also of another process. Rejects with a
   * StoreError.
   */
  async version(topic: CacheTopic): Promise<string | undefined> {
    return (await this.#options.store.get(keyOf(topic)))?.version;
  }

  /** To be called behind that commit: this process forgets at once. */
  changed(topic: CacheTopic, id?: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(id);
  }

  /** The same for an owner that may go: the listener is handed it, and goes with it. */
  onFor<T extends WeakKey>(
    topic: CacheTopic,
    { owner, listen }: { readonly owner: T; readonly listen: (owner: T, id?: string) => void },
  ): void {
    const kept = new WeakRef(owner);
    const listener: CacheListener = (id) => {
      const found = kept.deref();
      if (found === undefined) this.#listeners.get(topic)?.delete(listener);
      else listen(found, id);
    };
    this.on(topic, listener);
  }

  on(topic: CacheTopic, listener: CacheListener): void {
    const known = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, known.add(listener));
  }

  /**
   * To be called before anything that is held is used. A promise when it is time to look; it rejects with an ApiError
   * when the store does not answer, because what is held may be wrong by then.
   */
  refresh(): void | Promise<void> {
    if (!this.#looks) return;
    if (this.#options.runtime.clock.monotonic() - this.#lookedAt < UNSEEN_MS) return;
    return this.#looking.run("all", () => this.#look());
  }

  async #look(): Promise<void> {
    const { store, runtime } = this.#options;
    const began = runtime.clock.monotonic();
    const entries = await store.getMany(readTopics.map(keyOf)).catch(throwStoreUnavailable);
    this.#lookedAt = began;
    readTopics.forEach((topic, at) => {
      const version = entries[at]?.version;
      if (this.#seen.has(topic) && this.#seen.get(topic) === version) return;
      this.#seen.set(topic, version);
      this.changed(topic);
    });
  }

  #heard(signal: string): void {
    for (const topic of cacheTopics) {
      if (signal === ANY_TOPIC || signal === keyOf(topic).join("/")) this.changed(topic);
    }
  }
}
