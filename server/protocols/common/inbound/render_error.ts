/**
 * Refusals as the API tells them: one envelope for every API that has none of its own (specification, Error
 * envelope).
 */

import type { ApiError, ApiErrorDetails } from "../../../../shared/errors.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { RenderErrorContext } from "../../wire.ts";

/** `code` is an integer, or typed clients break (specification, The short list, 7). */
export function renderErrorEnvelope(error: ApiError, errorContext: RenderErrorContext): JsonObject {
  return envelopeOf(error, { ...errorContext, details: error.details });
}

interface Reported extends RenderErrorContext {
  readonly details: ApiErrorDetails;
}

/** The same with the details in an API's own words. */
export function envelopeOf(error: ApiError, { status, details }: Reported): JsonObject {
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
