/**
 * Refusals and failures as clients of POST /messages know them (specification, Chat completions, embeddings,
 * messages, misc inference).
 */

import { type ApiError, type ApiErrorKind, apiErrorKinds } from "../../../../shared/errors.ts";
import type { Failure } from "../../canonical/event.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { messagesForInput, withFieldNames } from "../../common/outbound/field_names.ts";
import type { RenderErrorContext } from "../../wire.ts";

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "overloaded_error",
  524: "timeout_error",
  529: "overloaded_error",
};

const typeOf = (status: number): string =>
  types[status] ?? (status < 500 ? "invalid_request_error" : "api_error");

export function renderError(error: ApiError, { status, requestId }: RenderErrorContext): JsonObject {
  const { metadata, availability } = withFieldNames(error.details, messagesForInput);
  return {
    type: "error",
    error: {
      type: typeOf(status),
      message: error.message,
      error_type: error.errorType,
      ...(metadata === undefined ? {} : { details: metadata }),
      ...(availability === undefined ? {} : { availability }),
    },
    request_id: requestId,
  };
}

/** A failure in mid-stream: the clients throw it as they would an answer with its status. */
export function renderFailure(
  { kind, message, metadata }: Failure,
  requestId: string,
): JsonObject & { readonly type: "error" } {
  const { status, errorType } = kindOf(kind);
  return {
    type: "error",
    error: {
      type: typeOf(status),
      message,
      error_type: errorType,
      ...(metadata === undefined ? {} : { details: metadata }),
    },
    request_id: requestId,
  };
}

const kindOf = (kind: ApiErrorKind) => apiErrorKinds[kind];
