/** A filter that the gateway brings along. */

import type { BuiltinSlug } from "../../../../shared/guardrails.ts";
import type { TextFilter } from "../text_filter.ts";

export interface BuiltinFilter extends TextFilter {
  readonly slug: BuiltinSlug;
  /** Text that replaces a match in a redacted text: `[EMAIL]`. */
  readonly placeholder: string;
  /** The kind of thing that it finds, for the routing metadata: `EMAIL_ADDRESS`. */
  readonly entityType: string;
}
