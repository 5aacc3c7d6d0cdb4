/** What a provider tells that nobody here knows. */

import type { JsonObject, WireExtra } from "../../../canonical/item.ts";

/** What of an object is not in `known`: it survives to the client. */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>): WireExtra | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const key in value) {
    // Assigned, it would become the prototype of what it is assigned to.
    if (known.has(key) || key === "__proto__" || value[key] === undefined) continue;
    rest ??= {};
    rest[key] = value[key];
  }
  return rest === undefined ? undefined : { responses: rest };
}
