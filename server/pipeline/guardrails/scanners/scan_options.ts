/** How a text is read: by which filters, how far, and who is told. */

import type { ActiveFilter, FilterView } from "../content_filters.ts";
import type { TextMatch } from "../text_filter.ts";

/** Told of every match once, when it is certain. Positions are those of the whole text. */
type ReportMatch = (filter: ActiveFilter, match: TextMatch) => void;

export interface ScanOptions {
  readonly view: FilterView;
  /** Code units. */
  readonly window: number;
  readonly report: ReportMatch;
  /** Which matches count; without it all of them. */
  readonly accepts?: (filter: ActiveFilter, match: TextMatch) => boolean;
  /** Where the action `mask` may be. */
  readonly masks?: KnownMasks;
  /** It is JSON, or stands in a JSON text: what stands for a match is written so. */
  readonly isJson?: boolean;
  /** Offset from which the text is masked; before it is context only. */
  readonly from?: number;
}

/** Masks that stand for the texts of a request. */
export interface KnownMasks {
  /** `name` is the filter's placeholder: `[EMAIL]`. The same text gets the same one. */
  placeholder(name: string, text: string): string;
}
