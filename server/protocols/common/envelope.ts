/** Refusals as the API tells them: one envelope for every door that has none of its own (wire-reference §2.5). */

import type { Refusal } from "../../../shared/errors.ts";
import type { Json } from "../../hub/item.ts";
import type { RefusalTold } from "../wire.ts";

/** `code` is an integer, or typed clients break (wire-reference §1, 7). */
export function envelope(refusal: Refusal, { status }: RefusalTold): Json {
  const { metadata, availability } = refusal.details;
  return {
    error: {
      code: status,
      message: refusal.message,
      metadata: { error_type: refusal.errorType, ...metadata },
      ...(availability === undefined ? {} : { availability }),
    },
    user_id: null,
  };
}
