/** Adds up what was counted over a range of time, grouped by dimensions, without looking at receipts. */

import type { Store, StoreEntry, StoreKey } from "../../../storage/stores/store.ts";
import {
  decodeUsageRow,
  isFailedCombination,
  keyShardPrefix,
  type TimeSpan,
  timeSpanIndex,
  timeSpans,
  toUsageTotals,
  type UsageCombination,
  type UsageDimension,
  usageDimensions,
  type UsageLevel,
  usageLevels,
  type UsageRow,
  usageRowSpan,
  usageSums,
  type UsageTotals,
  valuesAt,
} from "./usage_rows.ts";
import { hasShards } from "../projection/shard_checkpoints.ts";
import type { LatencyHistogram } from "./latency_histogram.ts";

export interface UsageQuery {
  /** Ms since the epoch, with what lies at it; widened to whole minutes or hours. */
  readonly from: number;
  /** Without what lies at it. */
  readonly to: number;
  /** The shortest span that has to be told apart. */
  readonly grain: TimeSpan;
  /** Start of the bucket, in ms, of a span that starts at `at`; all are one bucket when absent. */
  readonly bucket?: (at: number) => number;
  readonly by?: readonly UsageDimension[];
  /** Hash of the only key to read. */
  readonly key?: string;
  /** Rows that count. Says which dimensions it looks at. */
  readonly filter?: {
    readonly looksAt: ReadonlySet<UsageDimension>;
    readonly takes: (combination: UsageCombination) => boolean;
  };
  /** Id of a recorded model: a model that was recorded under several spellings is one. Absent: as it was recorded. */
  readonly modelId?: (recorded: string) => string;
  /** Combinations read before the rest, the oldest, is left out. */
  readonly maxRows?: number;
}

export interface UsageGroup {
  /** Ms since the epoch; 0 without buckets. */
  readonly bucket: number;
  /** In the order of `by`. */
  readonly values: readonly string[];
  readonly totals: UsageTotals;
  /** Number of the requests that failed or were interrupted. */
  readonly failed: number;
  readonly latency: LatencyHistogram;
  readonly endpoint: string | null;
  /** Start of the newest span that counts, ms since the epoch. */
  readonly newest: number;
}

interface UsageResult {
  readonly groups: readonly UsageGroup[];
  readonly rowsRead: number;
  /** More than `maxRows` were there; what is told begins later than asked. */
  readonly truncated: boolean;
}

const MAX_ROWS = 200_000;
/** Rows read at a time, where each holds one combination; fewer where they hold dozens. */
const PAGE = 1_000;
const SHORT_PAGE = 200;
const SHORT_BYTES = 1_000;

const isShort = ({ value }: StoreEntry): boolean => value instanceof Uint8Array && value.length < SHORT_BYTES;

/** Newest first, so that a range that is too wide loses its oldest end. */
export async function queryUsage(store: Store, query: UsageQuery): Promise<UsageResult> {
  const fold = new BatchSummer(query);
  let left = query.maxRows ?? MAX_ROWS;
  for (const segment of segmentsOf(query).toReversed()) {
    for await (const rows of rowsOf(store, { segment, key: query.key })) {
      for (const row of rows) {
        if (left-- <= 0) return { groups: fold.groups(), rowsRead: fold.read, truncated: true };
        fold.add(row, segment);
      }
    }
  }
  return { groups: fold.groups(), rowsRead: fold.read, truncated: false };
}

interface Segment {
  readonly level: UsageLevel;
  /** Numbers of spans, as `timeSpanIndex` counts them; `to` lies outside. */
  readonly from: number;
  readonly to: number;
}

const wholeDays = (from: number, to: number) => ({
  first: Math.ceil(from / timeSpans.day),
  last: Math.floor(to / timeSpans.day),
});

/** Whole days from rows of days, what is left at both ends from rows of hours; in the order of time. */
function segmentsOf(query: UsageQuery): readonly Segment[] {
  const { from, to, grain } = query;
  if (from >= to) return [];
  const { first, last } = wholeDays(from, to);
  if (grain === "minute") return within("usage_minute", { from, to });
  const keyed = query.key !== undefined || query.by?.includes("key") === true ||
    query.filter?.looksAt.has("key") === true;
  const hours = keyed ? "usage_hour" : "usage_hour_all";
  if (grain === "hour" || first >= last) return within(hours, { from, to });
  const [start, end] = [first * timeSpans.day, last * timeSpans.day];
  return [
    ...within(hours, { from, to: start }),
    ...within(keyed ? "usage_day" : "usage_day_all", { from: start, to: end }),
    ...within(hours, { from: end, to }),
  ];
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function within(level: UsageLevel, { from, to }: Range): readonly Segment[] {
  if (from >= to) return [];
  const { span } = usageLevels[level];
  return [{ level, from: timeSpanIndex(span, from), to: Math.ceil(to / timeSpans[span]) }];
}

/** So many spans are looked up one by one for the rows of one key; more are read with everybody's. */
const MAX_LOOKUPS = 200;

/** As many at a time as are stored together: a turn for each of tens of thousands takes longer than to add them up. */
async function* rowsOf(store: Store, { segment, key }: RowSelection): AsyncGenerator<readonly UsageRow[]> {
  const { level, from, to } = segment;
  if (key === undefined || to - from > MAX_LOOKUPS) {
    return yield* walk(store, { prefix: [level], from, to, key });
  }
  // Its own rows, and those that it shares with the keys that begin like it.
  const places = new Set(await hasShards(store) ? [key, keyShardPrefix(key)] : [key]);
  for (let at = to - 1; at >= from; at--) {
    for (const place of places) yield* walk(store, { prefix: [level, at, place], from, to, key });
  }
}

interface RowSelection {
  readonly segment: Segment;
  readonly key: string | undefined;
}

interface Walk extends Range {
  readonly prefix: StoreKey;
  readonly key: string | undefined;
}

/** Newest first. */
async function* walk(store: Store, { prefix, from, to, key }: Walk): AsyncGenerator<readonly UsageRow[]> {
  let after: StoreKey | undefined = prefix.length === 1 ? [...prefix, to] : undefined;
  for (let limit = SHORT_PAGE;;) {
    const entries = await store.list(prefix, { after, reverse: true, limit });
    for (const entry of entries) {
      if (usageRowSpan(entry) < from) return;
      yield decodeUsageRow(entry, key);
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < limit) return;
    after = last.key;
    limit = entries.every(isShort) ? PAGE : SHORT_PAGE;
  }
}

interface Batch {
  readonly bucket: number;
  readonly values: readonly string[];
  /** In the order of `usageSums`, added to in place: a chart adds up tens of thousands. */
  readonly sums: number[];
  failed: number;
  readonly latency: Map<number, number>;
  endpoint: string | null;
  newest: number;
}

const REQUESTS = usageSums.indexOf("requests");

class BatchSummer {
  readonly #query: UsageQuery;
  readonly #places: readonly number[];
  /** Place of the tags among those that are grouped by; -1: they are not. */
  readonly #tagAt: number;
  readonly #groups = new Map<string, Batch>();
  /** Recorded model → its id. */
  readonly #modelIds = new Map<string, string>();
  read = 0;

  constructor(query: UsageQuery) {
    this.#query = query;
    this.#places = (query.by ?? []).map((dimension) => usageDimensions.indexOf(dimension));
    this.#tagAt = query.by?.indexOf("tag") ?? -1;
  }

  add(row: UsageRow, { level }: Segment): void {
    this.read++;
    const { filter, bucket } = this.#query;
    const combination = this.#withModelId(row.combination);
    if (filter !== undefined && !filter.takes(combination)) return;
    const start = row.at * timeSpans[usageLevels[level].span];
    const at = bucket?.(start) ?? 0;
    for (const values of this.#valuesOf(combination)) this.#addTo(this.#batch(at, values), { row, start });
  }

  /** Lists the values under which a combination counts: several where it has several tags, and these are asked for. */
  #valuesOf(combination: UsageCombination): readonly (readonly string[])[] {
    const values = this.#places.map((place) => combination[place] ?? "");
    const tagAt = this.#tagAt;
    if (tagAt < 0) return [values];
    return valuesAt(combination, this.#places[tagAt] ?? 0).map((tag) => values.with(tagAt, tag));
  }

  #addTo(batch: Batch, { row, start }: { readonly row: UsageRow; readonly start: number }): void {
    const { sums, latency } = batch;
    const { numbers, latency: pairs } = row;
    for (let place = 0; place < numbers.length; place++) {
      sums[place] = (sums[place] ?? 0) + (numbers[place] ?? 0);
    }
    if (isFailedCombination(row.combination)) batch.failed += numbers[REQUESTS] ?? 0;
    for (let place = 0; place + 1 < pairs.length; place += 2) {
      const bucket = pairs[place] ?? 0;
      latency.set(bucket, (latency.get(bucket) ?? 0) + (pairs[place + 1] ?? 0));
    }
    batch.endpoint ??= row.endpoint;
    batch.newest = Math.max(batch.newest, start);
  }

  #withModelId(combination: UsageCombination): UsageCombination {
    const { modelId } = this.#query;
    const [workspace, key, recorded, ...rest] = combination;
    if (modelId === undefined || recorded === "") return combination;
    const id = this.#modelIds.get(recorded) ?? modelId(recorded);
    this.#modelIds.set(recorded, id);
    return id === recorded ? combination : [workspace, key, id, ...rest];
  }

  #batch(bucket: number, values: readonly string[]): Batch {
    const name = values.length === 1 ? `${bucket}\0${values[0]}` : `${bucket}\0${values.join("\0")}`;
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const made: Batch = {
      bucket,
      values,
      sums: [],
      failed: 0,
      latency: new Map(),
      endpoint: null,
      newest: 0,
    };
    this.#groups.set(name, made);
    return made;
  }

  groups(): readonly UsageGroup[] {
    return [...this.#groups.values()].map(({ sums, ...group }) => ({
      ...group,
      totals: toUsageTotals(sums),
    }));
  }
}
