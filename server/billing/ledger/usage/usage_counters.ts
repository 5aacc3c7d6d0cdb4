/** Counts receipts by time, workspace, key, model, provider, status and tags, in rows of each projection. */

import type { Receipt } from "../../../../shared/receipts.ts";
import type { StorePut } from "../../../storage/stores/store.ts";
import {
  countedAt,
  haveSameDimensions,
  keyShardPrefix,
  latencyBucketOf,
  tagsText,
  timeSpanIndex,
  timeSpans,
  type UsageLevel,
  usageLevelNames,
  usageLevels,
  usageNumbers,
  usageRowKey,
  usageSums,
} from "./usage_rows.ts";
import { createUsageTotal, UsageRowBuilder, type UsageTotal } from "./usage_row_builder.ts";
import type { BatchReceipts, ProjectionPart, ShardSplit } from "../projection/projection_part.ts";

interface UsageCountersOptions {
  /** Names this run of the process: no other run, here or elsewhere, has or had it. */
  readonly start: string;
  /** Combinations held per level; beyond it all are forgotten, and new rows begun. */
  readonly most?: number;
  /** All by default. */
  readonly levels?: readonly UsageLevel[];
  /** Keys that begin alike share rows. */
  readonly together?: boolean;
}

const MOST = 5_000;
/**
 * Most combinations that are held together for keys that begin alike: with all 256 beginnings some 60 MB, should so
 * many keys ever be in use.
 */
const MOST_TOGETHER = 120;

/**
 * Reads nothing: what was counted before belongs to other rows. A row may be forgotten at any time, because the
 * next one for the same combination has a number of its own.
 */
export class UsageCounters implements ProjectionPart {
  readonly #options: UsageCountersOptions;
  readonly #levels: readonly SpanCounters[];

  constructor(options: UsageCountersOptions) {
    const { start, most = MOST, together = false } = options;
    this.#options = options;
    this.#levels = (options.levels ?? usageLevelNames).map((level) =>
      new SpanCounters({ level, start, most, together })
    );
  }

  add({ receipts }: Pick<BatchReceipts, "receipts">): void {
    for (const tally of talliesOf(receipts)) {
      for (const level of this.#levels) level.add(tally);
    }
  }

  get rows(): number {
    return this.#levels.reduce((sum, level) => sum + level.rows, 0);
  }

  get bytes(): number {
    return this.#levels.reduce((sum, level) => sum + level.bytes, 0);
  }

  take(): readonly StorePut[] {
    return this.#levels.flatMap((level) => level.take());
  }

  renewed(): UsageCounters {
    return new UsageCounters({ ...this.#options, start: `${this.#options.start}~` });
  }

  split(): ShardSplit {
    const keyed = (level: UsageLevel) => usageLevels[level].keyed;
    const { start } = this.#options;
    return {
      unsharded: new UsageCounters({
        ...this.#options,
        levels: usageLevelNames.filter((level) => !keyed(level)),
      }),
      shard: () =>
        new UsageCounters({
          start,
          most: MOST_TOGETHER,
          levels: usageLevelNames.filter(keyed),
          together: true,
        }),
    };
  }

  /** Combinations held in memory. */
  get held(): number {
    return this.#levels.reduce((sum, level) => sum + level.held, 0);
  }
}

/** Receipts that every level counts together, as far as they stand in a row: alike, and of the same minute. */
interface ReceiptNumbers {
  /** The first of them. */
  readonly receipt: Receipt;
  /** Ms since the epoch. */
  readonly moment: number;
  /** In the order of `sums`. */
  readonly numbers: number[];
  /** Receipts by the bucket of their latency. */
  readonly buckets: Map<number, number>;
  /** That answered last; null where none was asked. */
  endpoint: string | null;
}

function talliesOf(receipts: BatchReceipts["receipts"]): readonly ReceiptNumbers[] {
  const tallies: ReceiptNumbers[] = [];
  let tally: ReceiptNumbers | undefined;
  for (const receipt of receipts) {
    if (receipt === undefined || receipt.self_test === true) continue;
    const moment = countedAt(receipt);
    if (
      tally === undefined || !haveSameDimensions(tally.receipt, receipt) ||
      !isSameMinute(tally.moment, moment)
    ) {
      tally = { receipt, moment, numbers: usageSums.map(() => 0), buckets: new Map(), endpoint: null };
      tallies.push(tally);
    }
    count(tally, receipt);
  }
  return tallies;
}

function count(tally: ReceiptNumbers, receipt: Receipt): void {
  const bucket = latencyBucketOf(receipt);
  addTo(tally.numbers, usageNumbers(receipt));
  if (bucket !== undefined) tally.buckets.set(bucket, (tally.buckets.get(bucket) ?? 0) + 1);
  tally.endpoint = receipt.endpoint_id ?? tally.endpoint;
}

function addTo(sums: number[], numbers: readonly number[]): void {
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (numbers[at] ?? 0);
}

/** The shortest span of any level. */
const isSameMinute = (one: number, other: number): boolean =>
  timeSpanIndex("minute", one) === timeSpanIndex("minute", other);

/** Names what is counted together. */
function nameOf(receipt: Receipt, keyed: boolean): string {
  const { workspace_id, key_hash, model, provider, status, tags } = receipt;
  const name = `${keyed ? key_hash : ""}\0${workspace_id}\0${model ?? ""}\0${provider ?? ""}\0${status}`;
  return tags === undefined ? name : `${name}\0${tagsText(receipt)}`;
}

/** Receipt that was counted last. */
interface Last {
  readonly receipt: Receipt;
  /** Its span. */
  readonly at: number;
  readonly row: UsageTotal;
}

interface SpanCountersOptions {
  readonly level: UsageLevel;
  readonly start: string;
  readonly most: number;
  readonly together: boolean;
}

/** Sums of one span of time. */
interface SpanSums {
  /** By what they have in common. */
  readonly combos: Map<string, UsageTotal>;
  /** The rows that take in more, by their place. */
  readonly open: Map<string, UsageRowBuilder>;
}

class SpanCounters {
  readonly #options: SpanCountersOptions;
  readonly #ms: number;
  readonly #spans = new Map<number, SpanSums>();
  /** Rows that were counted in since they were last taken. */
  readonly #dirty = new Set<UsageRowBuilder>();
  /** The latest span that was counted in. */
  #newest = 0;
  #made = 0;
  #last: Last | undefined;

  constructor(options: SpanCountersOptions) {
    this.#options = options;
    this.#ms = timeSpans[usageLevels[options.level].span];
  }

  get held(): number {
    return [...this.#spans.values()].reduce((sum, { combos }) => sum + combos.size, 0);
  }

  add(tally: ReceiptNumbers): void {
    this.#dirty.add(this.#count(tally).page);
  }

  get rows(): number {
    return this.#dirty.size;
  }

  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#dirty) sum += bytes;
    return sum;
  }

  /** Only what the receipts changed. Values are copies: the rows go on changing while they are being written. */
  take(): readonly StorePut[] {
    const puts = [...this.#dirty].map((page) => page.put());
    this.#dirty.clear();
    this.#forget();
    return puts;
  }

  #count({ receipt, moment, numbers, buckets, endpoint }: ReceiptNumbers): UsageTotal {
    const at = Math.floor(moment / this.#ms);
    const last = this.#last;
    const row = last?.at === at && haveSameDimensions(last.receipt, receipt)
      ? last.row
      : this.#rowOf(receipt, at);
    addTo(row.numbers, numbers);
    for (const [bucket, count] of buckets) row.page.see(row, { bucket, count });
    row.endpoint = endpoint ?? row.endpoint;
    row.text = undefined;
    return row;
  }

  #rowOf(receipt: Receipt, at: number): UsageTotal {
    const span = this.#spans.get(at) ?? this.#begin(at);
    const name = nameOf(receipt, usageLevels[this.#options.level].keyed);
    const row = span.combos.get(name) ?? this.#make(receipt, { at, span });
    span.combos.set(name, row);
    this.#last = { receipt, at, row };
    return row;
  }

  #begin(at: number): SpanSums {
    const span: SpanSums = { combos: new Map(), open: new Map() };
    this.#spans.set(at, span);
    this.#newest = Math.max(this.#newest, at);
    return span;
  }

  #make(receipt: Receipt, { at, span }: { readonly at: number; readonly span: SpanSums }): UsageTotal {
    const { level, start, together } = this.#options;
    const whose = usageLevels[level].keyed ? receipt.key_hash : "";
    const key = together ? keyShardPrefix(whose) : whose;
    const open = together ? span.open.get(key) : undefined;
    const page = open?.open === true
      ? open
      : new UsageRowBuilder(usageRowKey({ level, at, key, start, count: ++this.#made }));
    if (together) span.open.set(key, page);
    return page.begin(createUsageTotal(receipt, { level, page }));
  }

  /** Streams end after the span in which they began, mostly the one before: that one is kept too. */
  #forget(): void {
    this.#last = undefined;
    if (this.held > this.#options.most) return this.#spans.clear();
    for (const at of this.#spans.keys()) if (at < this.#newest - 1) this.#spans.delete(at);
  }
}
