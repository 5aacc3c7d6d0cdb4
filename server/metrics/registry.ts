/** The values of every series of the table, by their labels. */

import type { SeriesId } from "./series.ts";
import { OTHER, type Series } from "./series_row.ts";

/** Values of labels by their names; one that is left out, or null, is not told. */
type Labels = Readonly<Record<string, string | null | undefined>>;

/** One row of a series: where it is counted. */
export class Sample {
  /** In the order of the table. */
  readonly labels: readonly string[];
  readonly #buckets: readonly number[];
  /** How many values lie in each bucket of a histogram, the last one without an upper bound. */
  readonly counts: number[] | undefined;
  /** The value; the sum of a histogram. */
  value = 0;
  /** Beginnings of its lines, once it was written. */
  lines?: readonly string[];

  constructor(labels: readonly string[], { buckets }: Pick<Series, "buckets">) {
    this.labels = labels;
    this.#buckets = buckets ?? [];
    this.counts = buckets && new Array<number>(buckets.length + 1).fill(0);
  }

  /** Counts more of a counter. */
  add(by = 1): void {
    this.value += by;
  }

  /** Sets a gauge. */
  set(value: number): void {
    this.value = value;
  }

  /** Puts a value into a histogram. */
  observe(value: number): void {
    this.value += value;
    const at = this.#buckets.findIndex((bound) => value <= bound);
    const bucket = at === -1 ? this.#buckets.length : at;
    if (this.counts !== undefined) this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
  }
}

interface Kept {
  readonly series: Series;
  readonly names: readonly string[];
  /** Values that each label may have; undefined: what the catalog bounds, which is handed in bounded. */
  readonly domains: readonly (ReadonlySet<string> | undefined)[];
  readonly samples: Map<string, Sample>;
}

const none: Labels = {};

export class MetricRegistry {
  readonly #kept: ReadonlyMap<SeriesId, Kept>;

  /** Counters and histograms without labels are there from the beginning. */
  constructor(table: ReadonlyMap<SeriesId, Series>) {
    this.#kept = new Map([...table].map(([id, series]) => [id, keptOf(series)]));
    for (const [id, { series, names }] of this.#kept) {
      if (series.type !== "gauge" && names.length === 0) this.at(id);
    }
  }

  /** The row of a series with these labels; one that nobody reads where the spelling has no such series. */
  at(id: SeriesId, labels: Labels = none): Sample {
    const kept = this.#kept.get(id);
    if (kept === undefined) return unread;
    const values = kept.names.map((name, at) => boundedValue(labels[name], kept.domains[at]));
    const key = values.join("\n");
    const known = kept.samples.get(key) ?? new Sample(values, kept.series);
    kept.samples.set(key, known);
    return known;
  }

  /** Forgets the values of a gauge, which is read anew. */
  clear(id: SeriesId): void {
    this.#kept.get(id)?.samples.clear();
  }

  /** Every series that has values. */
  *read(): Generator<{ readonly series: Series; readonly samples: Iterable<Sample> }> {
    for (const { series, samples } of this.#kept.values()) {
      if (samples.size > 0) yield { series, samples: samples.values() };
    }
  }
}

const unread = new Sample([], {});

function keptOf(series: Series): Kept {
  const domains = Object.values(series.labels);
  return {
    series,
    names: Object.keys(series.labels),
    domains: domains.map((domain) => typeof domain === "string" ? undefined : new Set(domain)),
    samples: new Map(),
  };
}

/** Empty for a label that is not told, `other` for a value that the table does not have. */
function boundedValue(value: string | null | undefined, domain: ReadonlySet<string> | undefined): string {
  if (value === undefined || value === null) return "";
  return domain === undefined || domain.has(value) ? value : OTHER;
}
