/** Finds matches in a text: by a pattern of an operator's, or by a built-in filter. */

/** A place in a text, in UTF-16 code units; the end is not included. Never empty. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
}

/** How far a filter has to see. Streams hold back so much text that its answer cannot change any more. */
export interface FilterReach {
  /** The most code units that a match can have; null where there is no bound. */
  readonly maxMatch: number | null;
  /** Code units behind a match on which it depends whether it is one. */
  readonly lookAhead: number;
  /** Code units before a match on which it depends whether it is one. */
  readonly lookBehind: number;
  /** Whether a match may contain white space: where none does, a space ends what has to be held back. */
  readonly spansSpace: boolean;
}

/** How much more may be done before other work has its turn. A unit is a few nanoseconds. */
export interface WorkMeter {
  left: number;
}

/** A search that is run in stretches. */
export interface TextSearch {
  /** `more`: the meter has run out. */
  run(meter: WorkMeter): TextMatch | "none" | "more";
}

export interface TextFilter extends FilterReach {
  /**
   * The leftmost match that begins at `from` or behind it. Runs in linear time, whatever the text. It is given whole
   * characters only: half of one alone is replaced before.
   */
  find(text: string, from: number): TextMatch | undefined;
  /** The same, for a filter that may take long. */
  search?(text: string, from: number): TextSearch;
  /** For so many characters `find` takes a moment only, and less than a search. */
  readonly quickChars?: number;
  /**
   * Where the first match may begin that more text could change, for a filter that knows better than its reach tells.
   * The reach bounds it in any case.
   */
  undecidedFrom?(text: string): number;
  /** Code units with which a character of the text is written at most. Absent: one. */
  longestIn?(text: string): number;
  /** Without it in a text there is no match, and nothing is held that another filter would not hold. */
  readonly sign?: string;
  /** Position behind which the next characters may change how a text is read. Absent: they change nothing. */
  settled?(text: string): number;
}
