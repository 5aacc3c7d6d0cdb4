/** Error answers and errors inside a stream: Google's `{error: {code, status, message, details}}` (faults U2–U4). */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { AccountError, Failure } from "../../canonical/event.ts";
import { kindOfStatus, statusFirst } from "../../common/outbound/status_first.ts";
import { htmlTitleOrText, parseJsonOrText } from "../../common/outbound/error_text.ts";
import { type ErrorReading, toFailure, toProviderError } from "../../common/outbound/failures.ts";
import { isModerated, refineKind, type RequestFault } from "../../common/outbound/request_fault.ts";
import type { ProviderError } from "../../wire.ts";

/** Parses an error answer. `body` is its text, JSON or not. */
export const parseError = (status: number, body: string): ProviderError =>
  toProviderError(status, read(status, readError(parseJsonOrText(body))));

/** Parses an error inside a stream or inside a 200. */
export function parseFailure(error: unknown): Failure {
  const details = readError({ error });
  return toFailure(read(details.code, details));
}

const read = (status: number | undefined, details: GeminiErrorFields): ErrorReading => ({
  ...classifyError(status, details),
  account: findAccountError(status, details),
  message: details.message,
  code: details.reason ?? details.status,
  param: details.field,
  retryAfter: details.retryAfter,
});

interface GeminiErrorFields {
  readonly message?: string;
  /** The canonical word: `RESOURCE_EXHAUSTED`. */
  readonly status?: string;
  readonly code?: number;
  /** A finer word from the details: `API_KEY_INVALID`. */
  readonly reason?: string;
  /** The field of the request that is blamed. */
  readonly field?: string;
  /** Seconds. */
  readonly retryAfter?: number;
}

/** Without `alt=sse` errors come in a list; a proxy in between answers with a page. */
function readError(body: unknown): GeminiErrorFields {
  if (typeof body === "string") return { message: htmlTitleOrText(body) };
  if (Array.isArray(body)) return readError(body[0]);
  if (!isRecord(body)) return {};
  const { error } = body;
  if (typeof error === "string") return { message: error };
  if (!isRecord(error)) return {};
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  return {
    ...(typeof error.message === "string" ? { message: error.message } : {}),
    ...(typeof error.status === "string" ? { status: error.status } : {}),
    ...(typeof error.code === "number" ? { code: error.code } : {}),
    ...reasonIn(details),
    ...fieldIn(details),
    ...retryIn(details),
  };
}

type Details = readonly Readonly<Record<string, unknown>>[];

function reasonIn(details: Details): Pick<GeminiErrorFields, "reason"> {
  const reason = details.map((one) => one.reason).find((one) => typeof one === "string");
  return typeof reason === "string" ? { reason } : {};
}

/** `google.rpc.BadRequest`: `{fieldViolations: [{field, description}]}`. */
function fieldIn(details: Details): Pick<GeminiErrorFields, "field"> {
  const violations = details.flatMap(({ fieldViolations }) =>
    Array.isArray(fieldViolations) ? fieldViolations.filter(isRecord) : []
  );
  const field = violations[0]?.field;
  return typeof field === "string" && field !== "" ? { field } : {};
}

/** `google.rpc.RetryInfo`: `{retryDelay: "34.07s"}`. */
function retryIn(details: Details): Pick<GeminiErrorFields, "retryAfter"> {
  const delay = details.map((one) => one.retryDelay).find((one) => typeof one === "string");
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(String(delay))?.[1];
  return seconds === undefined ? {} : { retryAfter: Math.ceil(Number(seconds)) };
}

/** A key that is wrong is an invalid argument here, not a missing authentication. */
function findAccountError(status: number | undefined, reported: GeminiErrorFields): AccountError | undefined {
  const { message = "", reason = "" } = reported;
  if (/^API_KEY|CREDENTIALS|ACCESS_TOKEN/.test(reason)) return "credentials";
  if (
    status === 401 || reported.status === "UNAUTHENTICATED" ||
    /^api key (not valid|expired|not found)/i.test(message)
  ) {
    return "credentials";
  }
  // A quota that is used up for now also says "check your plan and billing details": that is a rate limit.
  if (
    /BILLING/.test(reason) ||
    /^[^"'`]{0,200}(?:prepayment credits|spending cap|billing (account|to be enabled)|enable billing)/i.test(
      message,
    )
  ) return "funds";
  if (status === 403 || reported.status === "PERMISSION_DENIED") {
    return isModerated(message) ? undefined : "access";
  }
  return /^user location is not supported/i.test(message) ? "access" : undefined;
}

const byWord: Readonly<Record<string, ApiErrorKind>> = {
  CANCELLED: "upstream_failed",
  DEADLINE_EXCEEDED: "upstream_timeout",
  FAILED_PRECONDITION: "invalid_request",
  INVALID_ARGUMENT: "invalid_request",
  NOT_FOUND: "not_found",
  OUT_OF_RANGE: "invalid_request",
  RESOURCE_EXHAUSTED: "rate_limited",
  UNAVAILABLE: "unavailable",
};

function classifyError(status: number | undefined, reported: GeminiErrorFields): RequestFault {
  if (findAccountError(status, reported) !== undefined) {
    return { kind: "upstream_failed", endpointSpecific: false };
  }
  const { message = "" } = reported;
  const kind = statusFirst(status, {
    byWord: ownValue(byWord, reported.status ?? ""),
    byStatus: kindOfStatus(status),
  });
  if (kind === "unavailable" && /overloaded/i.test(message)) {
    return { kind: "overloaded", endpointSpecific: false };
  }
  return refineKind({ status, kind, word: reported.reason, message });
}
