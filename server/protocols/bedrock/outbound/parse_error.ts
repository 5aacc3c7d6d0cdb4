/** Error answers and exceptions inside a stream: `{message}` and a name (faults U2–U4). */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { AccountError, Failure } from "../../canonical/event.ts";
import { isModerated, refineKind, type RequestFault } from "../../common/outbound/request_fault.ts";
import { kindOfStatus, statusFirst } from "../../common/outbound/status_first.ts";
import { htmlTitleOrText, parseJsonOrText } from "../../common/outbound/error_text.ts";
import { toFailure, toProviderError } from "../../common/outbound/failures.ts";
import type { ProviderError } from "../../wire.ts";

/** Names as they stand in a stream (`throttlingException`) and in a body (`__type`). */
const byName: Readonly<Record<string, ApiErrorKind>> = {
  throttlingexception: "rate_limited",
  servicequotaexceededexception: "rate_limited",
  validationexception: "invalid_request",
  internalserverexception: "upstream_failed",
  modelstreamerrorexception: "upstream_failed",
  modelerrorexception: "upstream_failed",
  modeltimeoutexception: "upstream_timeout",
  modelnotreadyexception: "unavailable",
  serviceunavailableexception: "unavailable",
  resourcenotfoundexception: "not_found",
};

/** The frame's `event` names an exception. */
export const isException = (event: string): boolean => /exception$/i.test(event);

/** Parses an error answer. `body` is its text, JSON or not. */
export function parseError(status: number, body: string): ProviderError {
  const details = readError(body);
  const account = accountErrorIn(status, details);
  const fault: RequestFault = account === undefined
    ? classifyError(status, details)
    : { kind: "upstream_failed", endpointSpecific: false };
  return toProviderError(status, { ...details, ...fault, account });
}

/** Parses an exception inside a stream. */
export function parseFailure(name: string, data: string): Failure {
  const details = { ...readError(data), code: name };
  return toFailure({ ...details, ...classifyError(undefined, details) });
}

interface ErrorDetails {
  readonly message?: string;
  readonly code?: string;
}

/** `com.amazon.coral.service#ThrottlingException` and `throttlingException` are one. */
const nameOf = (code = "") => code.replace(/^.*#/, "").toLowerCase();

function accountErrorIn(status: number, { message = "" }: ErrorDetails): AccountError | undefined {
  if (status === 401) return "credentials";
  if (status !== 403 || isModerated(message)) return undefined;
  return /signature|token|credential/i.test(message) ? "credentials" : "access";
}

function classifyError(status: number | undefined, { code, message = "" }: ErrorDetails): RequestFault {
  const byWord = ownValue(byName, nameOf(code));
  const kind = statusFirst(status, { byWord, byStatus: kindOfStatus(status) });
  return refineKind({ status, kind, message });
}

function readError(body: string): ErrorDetails {
  const value = parseJsonOrText(body);
  if (typeof value === "string") return { message: htmlTitleOrText(value) };
  if (typeof value !== "object" || value === null) return {};
  const entries = new Map<string, unknown>(Object.entries(value));
  const message = entries.get("message") ?? entries.get("Message");
  const code = entries.get("__type") ?? entries.get("code");
  return {
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof code === "string" ? { code } : {}),
  };
}
