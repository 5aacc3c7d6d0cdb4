/** References inside of a JSON schema. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** Finds the schema that `#/$defs/name` refers to; undefined where the document does not have it. */
export function resolveRef(root: JsonObject, ref: string): JsonObject | undefined {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of ref.split("/").slice(1)) {
    const key = unescaped(step);
    at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined;
  }
  return isRecord(at) ? at : undefined;
}

function unescaped(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch (error) {
    if (error instanceof URIError) return plain;
    throw error;
  }
}
