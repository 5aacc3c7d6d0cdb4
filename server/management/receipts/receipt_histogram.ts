/**
 * `GET /receipts/histogram`: counts over time. From the sums beside the receipts where these know the filters' fields;
 * else receipts are looked through, a slice a call.
 */

import { ApiError } from "../../../shared/errors.ts";
import type { OperationOutput } from "../../../shared/management/operation.ts";
import { type HistogramBar, MAX_BARS, type receiptApi } from "../../../shared/management/receipts.ts";
import type { ReceiptStatus } from "../../../shared/receipts.ts";
import { MAX_SCANNED } from "../../billing/ledger/index/receipt_list.ts";
import { MINUTE_ROWS_RETENTION_MS } from "../../billing/ledger/retention/minute_usage_job.ts";
import { queryUsage, type UsageQuery } from "../../billing/ledger/usage/usage_query.ts";
import {
  type TimeSpan,
  timeSpans,
  type UsageDimension,
  usageDimensions,
  valuesAt,
} from "../../billing/ledger/usage/usage_rows.ts";
import type { OperationInput } from "../core/operation.ts";
import { cursorOf, readPage, type ReceiptListDeps, scannedUntil, writeCursor } from "./list_receipts.ts";
import { type ReceiptFilter, receiptFilterOf } from "./receipt_filter.ts";

type HistogramOperation = typeof receiptApi["receipts.histogram"];
type Counted = keyof Omit<HistogramBar, "at">;

const { minute: MINUTE, hour: HOUR, day: DAY } = timeSpans;
/** Widths of bars in ms; wider ones are whole multiples of the last. */
const WIDTHS: readonly number[] = [1, 2, 5, 10, 15, 30].map((count) => count * MINUTE)
  .concat([1, 2, 3, 6, 12].map((count) => count * HOUR), [1, 2, 7].map((count) => count * DAY));
const DEFAULT_RANGE_MS = DAY;

/** Bar in which a request counts. */
const barOf = {
  completed: "answered",
  incomplete: "answered",
  cancelled: "answered",
  failed: "failed",
  interrupted: "failed",
  refused: "refused",
} as const satisfies { readonly [S in ReceiptStatus]: Counted };

export async function countReceipts(
  deps: ReceiptListDeps,
  { query }: OperationInput<HistogramOperation>,
): Promise<OperationOutput<HistogramOperation>> {
  const before = cursorOf(query.before, "count receipts");
  const filter = receiptFilterOf(query, deps);
  const now = deps.runtime.clock.now();
  const until = filter.until ?? now + 1;
  const since = filter.since ?? until - DEFAULT_RANGE_MS;
  if (since >= until) throw emptyRange();
  const fromSums = filter.test === undefined && filter.filters.guardrail === undefined;
  await deps.ledger.caughtUp();
  if (!fromSums) {
    const bars = new Bars({ since, until, least: 0 });
    const page = await readPage(deps, { ...filter, since, until, before, limit: MAX_SCANNED });
    for (const { ended_at, status, stands_for = 1 } of page.receipts) {
      bars.add(Date.parse(ended_at), { of: barOf[status], count: stands_for });
    }
    return {
      data: { ...bars.result(), counted: "receipts" },
      next: writeCursor(page.next),
      scanned_until: scannedUntil(page.next),
    };
  }
  const bars = new Bars({
    since,
    until,
    least: since > now - MINUTE_ROWS_RETENTION_MS + HOUR ? MINUTE : HOUR,
  });
  await addSums(deps, { filter, bars });
  return { data: { ...bars.result(), counted: "sums" }, next: null, scanned_until: null };
}

function emptyRange(): ApiError {
  const message = "Cannot count receipts: since is not before until; allowed is an earlier moment";
  return new ApiError("invalid_request", message, { metadata: { path: "since" } });
}

interface SumsInput {
  readonly filter: ReceiptFilter;
  readonly bars: Bars;
}

async function addSums({ store, modelId }: ReceiptListDeps, { filter, bars }: SumsInput): Promise<void> {
  const wanted = usageDimensions.map((dimension) => filter.filters[dimension]);
  const looksAt = new Set<UsageDimension>(usageDimensions.filter((_, at) => wanted[at] !== undefined));
  const takes: NonNullable<UsageQuery["filter"]>["takes"] = (combination) =>
    wanted.every((value, at) => value === undefined || valuesAt(combination, at).includes(value));
  const { groups } = await queryUsage(store, {
    from: bars.first,
    to: bars.end,
    grain: bars.grain,
    bucket: (at) => bars.startOf(at),
    by: ["status"],
    key: filter.filters.key,
    filter: { looksAt, takes },
    modelId,
    maxRows: Infinity,
  });
  for (const { bucket, values: [status = ""], totals: { requests } } of groups) {
    const of = countedAs(status);
    if (of !== undefined) bars.add(bucket, { of, count: requests });
  }
}

const countedAs = (status: string): Counted | undefined =>
  Object.entries(barOf).find(([name]) => name === status)?.[1];

interface BarsInput {
  /** Ms since the epoch. */
  readonly since: number;
  /** Outside. */
  readonly until: number;
  /** Narrowest bar in ms. */
  readonly least: number;
}

interface Addition {
  readonly of: Counted;
  readonly count: number;
}

class Bars {
  readonly #width: number;
  readonly #bars: { -readonly [Field in Counted]: number }[];
  /** Start of the first bar, and end of the last. */
  readonly first: number;
  readonly end: number;

  constructor({ since, until, least }: BarsInput) {
    const fits = (width: number) => Math.floor((until - 1) / width) - Math.floor(since / width) < MAX_BARS;
    const weeks = WIDTHS.at(-1) ?? DAY;
    this.#width = WIDTHS.find((width) => width >= least && fits(width)) ??
      Math.ceil((until - since) / (MAX_BARS - 1) / weeks) * weeks;
    this.first = this.startOf(since);
    this.end = this.startOf(until - 1) + this.#width;
    this.#bars = Array.from({ length: (this.end - this.first) / this.#width }, () => ({
      answered: 0,
      failed: 0,
      refused: 0,
    }));
  }

  get grain(): TimeSpan {
    if (this.#width < HOUR) return "minute";
    return this.#width < DAY ? "hour" : "day";
  }

  startOf(at: number): number {
    return Math.floor(at / this.#width) * this.#width;
  }

  add(at: number, { of, count }: Addition): void {
    const bar = this.#bars[(this.startOf(at) - this.first) / this.#width];
    if (bar !== undefined) bar[of] += count;
  }

  result() {
    const bars = this.#bars.map((counts, place) => ({
      at: new Date(this.first + place * this.#width).toISOString(),
      ...counts,
    }));
    return { bar_seconds: this.#width / 1_000, bars };
  }
}
