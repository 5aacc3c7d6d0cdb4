/** Counts of requests over time, by the filters of the list. */

import type { HistogramBar } from "../../../shared/management/receipts.ts";
import { type ConsoleApi, operation, type OperationResult } from "../../api.ts";
import type { Bucket, Series } from "../../charts/chart_shape.ts";
import { createResource } from "../../resource.ts";
import { requestsText } from "../../text/requests.ts";
import type { RequestsModel } from "./requests.ts";

const countReceipts = operation<"receipts.histogram">("GET", "/receipts/histogram");

/** Slices that are looked through, where no sums know the filters. */
const MOST_SLICES = 6;

type HistogramPage = OperationResult<"receipts.histogram">;

interface Counts {
  readonly answered: number;
  readonly failed: number;
  readonly refused: number;
}

export interface RequestHistogram {
  readonly buckets: readonly Bucket[];
  readonly series: readonly Series[];
  readonly sums: Counts;
  /** Seconds of a bar. */
  readonly barSeconds: number;
  /** Null where everything is counted; else what ended before it is not. */
  readonly countedFrom: string | null;
}

function addBars(
  bars: readonly HistogramBar[],
  more: readonly HistogramBar[],
): readonly HistogramBar[] {
  const byTime = new Map(more.map((bar) => [bar.at, bar]));
  if (bars.length === 0) return more;
  return bars.map((bar) => {
    const { answered = 0, failed = 0, refused = 0 } = byTime.get(bar.at) ?? {};
    return {
      at: bar.at,
      answered: bar.answered + answered,
      failed: bar.failed + failed,
      refused: bar.refused + refused,
    };
  });
}

interface Counted {
  readonly bars: readonly HistogramBar[];
  readonly barSeconds: number;
  readonly countedFrom: string | null;
}

function toHistogram({ bars, barSeconds, countedFrom }: Counted): RequestHistogram {
  const values = (name: keyof Counts) => bars.map((bar) => bar[name]);
  const sum = (name: keyof Counts) => values(name).reduce((all, one) => all + one, 0);
  return {
    barSeconds,
    countedFrom,
    buckets: bars.map(({ at }) => ({ from: Date.parse(at), to: Date.parse(at) + 1_000 * barSeconds })),
    series: [
      { name: requestsText.answered, hue: "f-soft", values: values("answered") },
      { name: requestsText.refused, hue: "f-warn", values: values("refused") },
      { name: requestsText.failed, hue: "f-bad", values: values("failed") },
    ],
    sums: { answered: sum("answered"), failed: sum("failed"), refused: sum("refused") },
  };
}

interface HistogramDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly list: Pick<RequestsModel, "receiptQuery" | "filters" | "now">;
}

/** Undefined while one request is looked for by its id. */
export function createHistogram({ api, list }: HistogramDeps) {
  return createResource(async (signal): Promise<RequestHistogram | undefined> => {
    const wanted = list.receiptQuery;
    if (list.filters.value.id !== undefined) return undefined;
    // The end has to stay the same from slice to slice, so that the bars do.
    const until = wanted.until ?? new Date(list.now).toISOString();
    let bars: readonly HistogramBar[] = [];
    let before: string | undefined;
    for (let slices = 1;; slices++) {
      const page: HistogramPage = await api.call(countReceipts, {
        query: { ...wanted, until, before },
        signal,
      });
      const { data, next, scanned_until } = page;
      bars = addBars(bars, data.bars);
      before = next ?? undefined;
      if (before === undefined || slices === MOST_SLICES) {
        const countedFrom = before === undefined ? null : scanned_until;
        return toHistogram({ bars, barSeconds: data.bar_seconds, countedFrom });
      }
    }
  });
}
