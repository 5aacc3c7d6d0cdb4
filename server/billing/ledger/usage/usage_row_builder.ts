/** A row of sums in the making: one combination, or those of several keys that begin alike. */

import type { Receipt } from "../../../../shared/receipts.ts";
import type { StoreKey, StorePut } from "../../../storage/stores/store.ts";
import {
  combinationOf,
  encodeCombination,
  encodeUsageRow,
  type UsageCombination,
  type UsageLevel,
  usageSums,
} from "./usage_rows.ts";

/** Combinations in one row: with every bucket of their histograms in use they add some 25,000 bytes to it. */
const MOST = 32;
/** A row takes no further combinations beyond so many bytes; a small value has 60,000. */
const FULL_BYTES = 16_000;

/** About: what the numbers of a combination grow by, and a further bucket with its count. */
const COMBO_BYTES = 120;
const BUCKET_BYTES = 8;

/** Changed in place: it is touched by every receipt. */
export interface UsageTotal {
  readonly page: UsageRowBuilder;
  readonly combination: UsageCombination;
  readonly numbers: number[];
  readonly latency: Map<number, number>;
  endpoint: string | null;
  /** As it was stored last; undefined since it has changed. Most of a row's are the same as before. */
  text: string | undefined;
}

/** So many requests whose latency falls into a bucket. */
interface CombinationTotal {
  readonly bucket: number;
  readonly count: number;
}

export function createUsageTotal(
  receipt: Receipt,
  { level, page }: { readonly level: UsageLevel; readonly page: UsageRowBuilder },
): UsageTotal {
  return {
    page,
    combination: combinationOf(receipt, level),
    numbers: usageSums.map(() => 0),
    latency: new Map(),
    endpoint: receipt.endpoint_id,
    text: undefined,
  };
}

export class UsageRowBuilder {
  readonly #key: StoreKey;
  readonly #combos: UsageTotal[] = [];
  #bytes = 0;

  constructor(key: StoreKey) {
    this.#key = key;
  }

  /** It takes further combinations. */
  get open(): boolean {
    return this.#combos.length < MOST && this.#bytes < FULL_BYTES;
  }

  /** About what it takes in the store. */
  get bytes(): number {
    return this.#bytes;
  }

  begin(running: UsageTotal): UsageTotal {
    this.#combos.push(running);
    this.#bytes += COMBO_BYTES + encodeUsageRow([encodeCombination(running)]).length;
    return running;
  }

  /** Counts requests in the histogram of one of its combinations. */
  see({ latency }: UsageTotal, { bucket, count }: CombinationTotal): void {
    const before = latency.get(bucket);
    if (before === undefined) this.#bytes += BUCKET_BYTES;
    latency.set(bucket, (before ?? 0) + count);
  }

  /** The row as it is now. */
  put(): StorePut {
    return {
      key: this.#key,
      value: encodeUsageRow(
        this.#combos.map((combination) => combination.text ??= encodeCombination(combination)),
      ),
    };
  }
}
