/** Finds the model that the newest answer of a conversation names; no API has a field for it, clients add it. */

import { isRecord } from "../../../../shared/util/json.ts";

/** `messages` are those of a body, whatever its API; undefined where the newest answer says nothing. */
export function answeredBy(messages: readonly unknown[]): string | undefined {
  const newest = messages.findLast((one) => isRecord(one) && one.role === "assistant");
  const model = isRecord(newest) ? newest.model : undefined;
  return typeof model === "string" && model !== "" ? model : undefined;
}
