/** Rows of the tables of series. */

/** Stands for every value that a label has no place for. */
export const OTHER = "other";

/** Values of a label: a closed list, those of the catalog that are in use, or ids of records, so many as a setting says. */
type LabelDomain = readonly string[] | "model" | "provider" | "record";

export interface Series {
  /** Prometheus name; a counter's without `_total`. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: Readonly<Record<string, LabelDomain>>;
  /** End of the name, for OpenMetrics. */
  readonly unit?: "seconds" | "bytes" | "usd";
  /** Counted in nano-USD and written in USD. */
  readonly isMoney?: true;
  /** Upper bounds, ascending, without infinity. */
  readonly buckets?: readonly number[];
}

/** Spellings of the conventions for calls of models; a registry has one of them. */
export type GenAiNames = "v1.41" | "latest";

/** A series under two names; null: the spelling has none. */
export interface RenamedSeries extends Omit<Series, "name"> {
  readonly names: { readonly [N in GenAiNames]: string | null };
}
