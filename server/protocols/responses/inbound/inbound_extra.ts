/** Keys that the hub has no words for: kept for the one renderer that may read them (architecture.md, invariant 2). */

import type { JsonObject, WireExtra } from "../../../canonical/item.ts";
import { pickUnknown } from "../../common/inbound/unknown_fields.ts";

/** What of `value` is not in `known`; undefined, without a copy, when nothing is. */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>): WireExtra | undefined {
  const rest = pickUnknown(value, known);
  return rest === undefined ? undefined : { responses: rest };
}
