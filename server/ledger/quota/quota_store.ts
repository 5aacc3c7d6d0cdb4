/** The stored side of shares: what each instance has been granted, and who is short of a bucket. */

import type { Put, Store } from "../../stores/store.ts";
import type { Clock } from "../../runtime.ts";
import { shareKey, type ShareRow, toShareRow } from "./quota_division.ts";

export interface Bucket {
  readonly scope: string;
  readonly bucket: string;
}

export interface Found {
  readonly row: ShareRow;
  readonly version: string | null;
}

export interface ShareChange {
  /** What was reckoned from. */
  readonly found: Found;
  /** Undefined: stays as it is. */
  readonly row: ShareRow | undefined;
  /** Whether something was given back that others may want. */
  readonly gives: boolean;
  /** Whether the others are to be told that this instance is short. */
  readonly asks: boolean;
}

/** First part of `["wanted", scope, bucket, instance]`, and of `[…, "given"]` for what was given back. */
export const WANTED = "wanted";
/** Stands for an instance where a share was given back. */
export const GIVEN = "given";

export interface ShareRowsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly instance: string;
}

/** Every method throws a StoreError. */
export class ShareRows {
  readonly #options: ShareRowsOptions;

  constructor(options: ShareRowsOptions) {
    this.#options = options;
  }

  async read({ scope, bucket }: Bucket): Promise<Found> {
    const key = shareKey(scope, bucket);
    const entry = await this.#options.store.get(key);
    if (!entry) return { row: { grants: {}, gone: 0 }, version: null };
    return { row: toShareRow(key, entry.value), version: entry.version };
  }

  /** False when somebody else has changed the row in the meantime. */
  async change({ scope, bucket }: Bucket, { found, row, gives, asks }: ShareChange): Promise<boolean> {
    const { store, clock, instance } = this.#options;
    const key = shareKey(scope, bucket);
    const telling = [...gives ? [GIVEN] : [], ...asks ? [instance] : []];
    const puts: readonly Put[] = [
      ...row === undefined ? [] : [{ key, value: row }],
      ...telling.map((by) => ({ key: [WANTED, scope, bucket, by], value: clock.now() })),
    ];
    if (puts.length === 0) return true;
    const checks = row === undefined ? [] : [{ key, version: found.version }];
    return (await store.commit({ checks, puts, small: true })).type === "ok";
  }

  async withdraw({ scope, bucket }: Bucket): Promise<void> {
    const { store, instance } = this.#options;
    await store.commit({ deletes: [[WANTED, scope, bucket, instance]], small: true });
  }
}
