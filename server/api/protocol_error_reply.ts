/** The reply to what is no request. */

import { ApiError, type ApiErrorKind } from "../../shared/errors.ts";
import type { ProtocolError, ProtocolErrorStatus } from "../http/http_server/protocol_error.ts";
import { responsesInbound } from "../protocols/responses/inbound/mod.ts";

const problemKinds: { readonly [S in ProtocolErrorStatus]?: ApiErrorKind } = {
  408: "timeout",
  500: "internal",
  503: "unavailable",
};

/** `id`: of the exchange, as every one has it. */
export function protocolErrorReply(id: string, { status, message }: ProtocolError): Response {
  const requestId = `req_${id}`;
  const kind = problemKinds[status] ?? "invalid_request";
  const body = responsesInbound.renderError(new ApiError(kind, message), { status, requestId });
  const headers = {
    "cache-control": "no-store",
    "x-request-id": requestId,
    ...status === 503 ? { "retry-after": "1" } : {},
  };
  return Response.json(body, { status, headers });
}
