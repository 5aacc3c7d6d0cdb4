/** Keys that the hub has no words for: kept for the one renderer that may read them (architecture.md, invariant 2). */

import type { Extra, Json } from "../../../canonical/item.ts";
import { restOf } from "../../common/inbound/unknown_fields.ts";

/** What of `value` is not in `known`; undefined, without a copy, when nothing is. */
export function extraOf(value: Json, known: ReadonlySet<string>): Extra | undefined {
  const rest = restOf(value, known);
  return rest === undefined ? undefined : { responses: rest };
}
