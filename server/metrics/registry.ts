/** The values of every series of the table, by their labels. */

import type { SeriesId } from "./series.ts";
import { OTHER, type Series } from "./series_row.ts";

/** Values of labels by their names; one that is left out, or null, is not told. */
type Labels = Readonly<Record<string, string | null | undefined>>;

/** Where and when a value was seen. */
export interface Trace {
  /** 32 hex digits. */
  readonly id: string;
  /** Seconds since the epoch. */
  readonly at: number;
}

/** The newest value of a bucket that was seen in a trace. */
export interface Exemplar extends Trace {
  readonly value: number;
}

/** One row of a series: where it is counted. */
export class Sample {
  /** In the order of the table. */
  readonly labels: readonly string[];
  readonly #buckets: readonly number[];
  /** How many values lie in each bucket of a histogram, the last one without an upper bound. */
  readonly counts: number[] | undefined;
  /** By bucket; absent where no value was seen in a trace. */
  exemplars?: Map<number, Exemplar>;
  /** The value; the sum of a histogram. */
  value = 0;
  /** Its labels as they are written, and all of its lines where nothing has changed since they were. */
  labelText?: string;
  text?: string;

  constructor(labels: readonly string[], { buckets }: Pick<Series, "buckets">) {
    this.labels = labels;
    this.#buckets = buckets ?? [];
    this.counts = buckets && new Array<number>(buckets.length + 1).fill(0);
  }

  /** Counts more of a counter. */
  add(by = 1): void {
    this.set(this.value + by);
  }

  /** Sets a gauge. */
  set(value: number): void {
    if (value !== this.value) this.text = undefined;
    this.value = value;
  }

  /** Puts a value into a histogram. */
  observe(value: number, trace?: Trace): void {
    this.value += value;
    this.text = undefined;
    const at = this.#buckets.findIndex((bound) => value <= bound);
    const bucket = at === -1 ? this.#buckets.length : at;
    if (this.counts === undefined) return;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    if (trace !== undefined) (this.exemplars ??= new Map()).set(bucket, { ...trace, value });
  }
}

interface LabelRow {
  readonly name: string;
  /** Values that it may have; undefined: what the catalog bounds, which is handed in bounded. */
  readonly domain: ReadonlySet<string> | undefined;
}

interface Kept {
  readonly series: Series;
  readonly labels: readonly LabelRow[];
  readonly samples: Map<string, Sample>;
}

const none: Labels = {};

export class MetricRegistry {
  readonly #kept: ReadonlyMap<SeriesId, Kept>;

  /** Counters and histograms without labels are there from the beginning. */
  constructor(table: ReadonlyMap<SeriesId, Series>) {
    this.#kept = new Map([...table].map(([id, series]) => [id, keptOf(series)]));
    for (const [id, { series, labels }] of this.#kept) {
      if (series.type !== "gauge" && labels.length === 0) this.at(id);
    }
  }

  /** The row of a series with these labels; one that nobody reads where the spelling has no such series. */
  at(id: SeriesId, labels: Labels = none): Sample {
    const kept = this.#kept.get(id);
    if (kept === undefined) return unread;
    // A dozen of times a request: the key is all that is made of labels that are known.
    let key = "";
    for (const { name, domain } of kept.labels) key += `${boundedValue(labels[name], domain)}\n`;
    const known = kept.samples.get(key);
    if (known !== undefined) return known;
    const sample = new Sample(key.split("\n").slice(0, -1), kept.series);
    kept.samples.set(key, sample);
    return sample;
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
  const labels = Object.entries(series.labels).map(([name, domain]) => ({
    name,
    domain: typeof domain === "string" ? undefined : new Set(domain),
  }));
  return { series, labels, samples: new Map() };
}

/** Empty for a label that is not told, `other` for a value that the table does not have. */
function boundedValue(value: string | null | undefined, domain: ReadonlySet<string> | undefined): string {
  if (value === undefined || value === null) return "";
  return domain === undefined || domain.has(value) ? value : OTHER;
}
