/** Refusals as the API tells them: one envelope for every door that has none of its own (wire-reference §2.5). */

import type { ApiError, ApiErrorDetails } from "../../../../shared/errors.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import type { RenderErrorContext } from "../../wire.ts";

/** `code` is an integer, or typed clients break (wire-reference §1, 7). */
export function renderErrorEnvelope(error: ApiError, told: RenderErrorContext): JsonObject {
  return envelopeOf(error, { ...told, details: error.details });
}

interface Told extends RenderErrorContext {
  readonly details: ApiErrorDetails;
}

/** The same with the details in an API's own words. */
export function envelopeOf(error: ApiError, { status, details }: Told): JsonObject {
  const { metadata, availability } = details;
  return {
    error: {
      code: status,
      message: error.message,
      metadata: { error_type: error.errorType, ...metadata },
      ...(availability === undefined ? {} : { availability }),
    },
    user_id: null,
  };
}
