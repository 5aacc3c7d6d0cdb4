/** Typed records over a store: a zod schema under a name. Commits over several collections use its parts. */

import type * as z from "zod";
import { formatKey } from "./store_key.ts";
import {
  type KeyPart,
  type ListOptions,
  type Store,
  StoreError,
  type StoreKey,
  type StorePut,
  type VersionCheck,
} from "./store.ts";

export interface StoredRecord<T> {
  /** The key below the collection's name. */
  readonly id: StoreKey;
  readonly record: T;
  readonly version: string;
}

interface PageOptions {
  /** Only records whose id begins with this. */
  readonly within?: readonly KeyPart[];
  /** The id of the last record of the page before. */
  readonly after?: StoreKey;
  readonly reverse?: boolean;
  readonly limit?: number;
}

interface CollectionOptions<S extends z.ZodType> {
  readonly store: Store;
  /** First part of every key. */
  readonly name: string;
  readonly schema: S;
}

/** How often an update is tried again when somebody else writes the record in between. */
const UPDATE_TRIES = 20;

export class Collection<S extends z.ZodType> {
  readonly #store: Store;
  readonly #name: string;
  readonly #schema: S;

  constructor({ store, name, schema }: CollectionOptions<S>) {
    this.#store = store;
    this.#name = name;
    this.#schema = schema;
  }

  /** Throws a StoreError `corrupt` when the stored record does not fit the schema. */
  async get(...id: StoreKey): Promise<StoredRecord<z.output<S>> | undefined> {
    const entry = await this.#store.get(this.key(id));
    return entry && this.#found(entry.key, entry);
  }

  async list(
    { within = [], after, ...options }: PageOptions = {},
  ): Promise<readonly StoredRecord<z.output<S>>[]> {
    const page: ListOptions = after ? { ...options, after: this.key(after) } : options;
    const entries = await this.#store.list([this.#name, ...within], page);
    return entries.map((entry) => this.#found(entry.key, entry));
  }

  /** False when there is a record already. */
  async create(id: StoreKey, record: z.input<S>): Promise<boolean> {
    const result = await this.#store.commit({ checks: [this.check(id, null)], puts: [this.put(id, record)] });
    return result.type === "ok";
  }

  /**
   * Changes a record in the form `change` gives it; undefined leaves it as it is. Undefined when there is no
   * such record. Throws a StoreError `unavailable` when others write it all the time.
   */
  async update(
    id: StoreKey,
    change: (record: z.output<S>) => z.input<S> | undefined,
  ): Promise<z.output<S> | undefined> {
    for (let attempt = 0; attempt < UPDATE_TRIES; attempt++) {
      const found = await this.get(...id);
      if (!found) return undefined;
      const changed = change(found.record);
      if (changed === undefined) return found.record;
      const put = this.put(id, changed);
      const result = await this.#store.commit({ checks: [this.check(id, found.version)], puts: [put] });
      if (result.type === "ok") return this.#parse(put.key, put.value);
    }
    throw new StoreError(
      "unavailable",
      `Cannot update ${formatKey(this.key(id))}: others write it all the time`,
    );
  }

  /** True when there was a record. */
  async delete(...id: StoreKey): Promise<boolean> {
    const found = await this.#store.get(this.key(id));
    await this.#store.commit({ deletes: [this.key(id)] });
    return found !== undefined;
  }

  key(id: StoreKey): StoreKey {
    return [this.#name, ...id];
  }

  /** Part of a commit. Throws a StoreError `invalid` for a record that does not fit the schema. */
  put(id: StoreKey, record: z.input<S>): StorePut {
    const key = this.key(id);
    const parsed = this.#schema.safeParse(record);
    if (!parsed.success) {
      throw new StoreError("invalid", `Cannot store ${formatKey(key)}: it does not fit`, {
        cause: parsed.error,
      });
    }
    return { key, value: parsed.data };
  }

  check(id: StoreKey, version: string | null): VersionCheck {
    return { key: this.key(id), version };
  }

  #found(
    key: StoreKey,
    entry: { readonly value: unknown; readonly version: string },
  ): StoredRecord<z.output<S>> {
    return { id: key.slice(1), record: this.#parse(key, entry.value), version: entry.version };
  }

  #parse(key: StoreKey, value: unknown): z.output<S> {
    const parsed = this.#schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new StoreError("corrupt", `Cannot read ${formatKey(key)}: it does not fit its schema`, {
      cause: parsed.error,
    });
  }
}
