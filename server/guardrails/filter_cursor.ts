/** How far one filter has read a text. */

import type { ActiveFilter } from "./content_filters.ts";
import type { TextSearch } from "./text_filter.ts";

export interface FilterCursor {
  readonly filter: ActiveFilter;
  /** Where the next search begins. */
  position: number;
  /** No match begins before it that is not known. */
  decided: number;
  hasFound: boolean;
  /** The search that goes on after a pause. */
  search?: TextSearch;
  /** A match that reaches the end of what has come, and may go on. */
  open?: { readonly start: number; end: number };
}
