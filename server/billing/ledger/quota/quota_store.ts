/** Stored quotas: what each instance has been granted, and which one is short of a bucket. */

import type { Store, StoreKey, StorePut } from "../../../storage/stores/store.ts";
import type { Clock } from "../../../runtime.ts";
import { hasBucketEnded } from "../core/counters/bucket_names.ts";
import { decodeQuotaRow, QUOTA_ROWS, quotaKey, type QuotaRow } from "./quota_division.ts";

export interface LimitBucket {
  readonly scope: string;
  readonly bucket: string;
}

/** A bucket, and the instance that is short of it. */
export interface QuotaShortage extends LimitBucket {
  readonly by: string;
}

export interface StoredQuota {
  readonly row: QuotaRow;
  readonly version: string | null;
}

interface QuotaChange {
  /** Stored quota that the change was computed from. */
  readonly found: StoredQuota;
  /** Undefined: stays as it is. */
  readonly row: QuotaRow | undefined;
  /** Whether something was given back that others may want. */
  readonly returned: boolean;
  /** Whether the others are to be told that this instance is short. */
  readonly requests: boolean;
}

/** First part of `["wanted", scope, bucket, instance]`, and of `[…, "given"]` for what was given back. */
export const QUOTA_REQUEST_ROWS = "wanted";
/** Stands for an instance where a quota was given back. */
export const QUOTA_RETURNED = "given";

/** How long a bucket has ended before its rows go: longer than any request takes. */
const ENDED_MS = 2 * 86_400_000;
/** Rows of each kind that go at a time. */
const MOST_ENDED = 50;

interface QuotaStoreOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly instance: string;
}

/** Every method throws a StoreError. */
export class QuotaStore {
  readonly #options: QuotaStoreOptions;

  constructor(options: QuotaStoreOptions) {
    this.#options = options;
  }

  async read({ scope, bucket }: LimitBucket): Promise<StoredQuota> {
    const key = quotaKey(scope, bucket);
    const entry = await this.#options.store.get(key);
    if (!entry) return { row: { grants: {}, gone: 0 }, version: null };
    return { row: decodeQuotaRow(key, entry.value), version: entry.version };
  }

  /** False when somebody else has changed the row in the meantime. */
  async change(
    { scope, bucket }: LimitBucket,
    { found, row, returned, requests }: QuotaChange,
  ): Promise<boolean> {
    const { store, clock, instance } = this.#options;
    const key = quotaKey(scope, bucket);
    const telling = [...returned ? [QUOTA_RETURNED] : [], ...requests ? [instance] : []];
    const puts: readonly StorePut[] = [
      ...row === undefined ? [] : [{ key, value: row }],
      ...telling.map((by) => ({ key: [QUOTA_REQUEST_ROWS, scope, bucket, by], value: clock.now() })),
    ];
    if (puts.length === 0) return true;
    const deletes = row !== undefined && found.version === null ? await this.#endedRows(scope) : [];
    const checks = row === undefined ? [] : [{ key, version: found.version }];
    return (await store.commit({ checks, puts, deletes, small: true })).type === "ok";
  }

  /** Rows of the scope's buckets that nobody can spend in any more: they go when it gets a new one. */
  async #endedRows(scope: string): Promise<readonly StoreKey[]> {
    const { store, clock } = this.#options;
    const lists = await Promise.all(
      [QUOTA_ROWS, QUOTA_REQUEST_ROWS].map((rows) => store.list([rows, scope], { limit: MOST_ENDED })),
    );
    const before = clock.now() - ENDED_MS;
    return lists.flat().map(({ key }) => key).filter((key) => hasBucketEnded(String(key[2]), before));
  }

  async cancelRequest({ scope, bucket }: LimitBucket): Promise<void> {
    const { store, instance } = this.#options;
    await store.commit({ deletes: [[QUOTA_REQUEST_ROWS, scope, bucket, instance]], small: true });
  }
}
