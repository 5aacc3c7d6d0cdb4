/** Refusals as the API tells them: one envelope for every door that has none of its own (wire-reference §2.5). */

import type { Refusal, RefusalDetails } from "../../../../shared/errors.ts";
import type { Json } from "../../../canonical/item.ts";
import type { RefusalTold } from "../../wire.ts";

/** `code` is an integer, or typed clients break (wire-reference §1, 7). */
export function envelope(refusal: Refusal, told: RefusalTold): Json {
  return envelopeOf(refusal, { ...told, details: refusal.details });
}

interface Told extends RefusalTold {
  readonly details: RefusalDetails;
}

/** The same with the details in an API's own words. */
export function envelopeOf(refusal: Refusal, { status, details }: Told): Json {
  const { metadata, availability } = details;
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
