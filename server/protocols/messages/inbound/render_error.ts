/** Refusals and failures as clients of POST /messages know them (wire-reference §9.9). */

import { type Refusal, type RefusalKind, refusalKinds } from "../../../../shared/errors.ts";
import type { Failure } from "../../../canonical/event.ts";
import type { Json } from "../../../canonical/item.ts";
import { messagesForInput, withFieldNames } from "../../common/outbound/field_names.ts";
import type { RefusalTold } from "../../wire.ts";

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

export function renderRefusal(refusal: Refusal, { status, requestId }: RefusalTold): Json {
  const { metadata, availability } = withFieldNames(refusal.details, messagesForInput);
  return {
    type: "error",
    error: {
      type: typeOf(status),
      message: refusal.message,
      error_type: refusal.errorType,
      ...(metadata === undefined ? {} : { details: metadata }),
      ...(availability === undefined ? {} : { availability }),
    },
    request_id: requestId,
  };
}

/** A failure in mid-stream: the clients throw it as they would an answer with its status. */
export function renderFailure(
  { kind, message }: Failure,
  requestId: string,
): Json & { readonly type: "error" } {
  const { status, errorType } = kindOf(kind);
  return {
    type: "error",
    error: { type: typeOf(status), message, error_type: errorType },
    request_id: requestId,
  };
}

const kindOf = (kind: RefusalKind) => refusalKinds[kind];
