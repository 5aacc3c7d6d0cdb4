/** Error answers and errors inside a stream: `{type: "error", error: {type, message}}` (faults U2–U4). */

import type { AccountError, Failure } from "../../canonical/event.ts";
import { accountErrorMessages, htmlTitleOrText, parseJsonOrText } from "../../common/outbound/error_text.ts";
import { type ErrorReading, toFailure, toProviderError } from "../../common/outbound/failures.ts";
import type { ProviderError } from "../../wire.ts";
import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { isModerated, refineKind, type RequestFault } from "../../common/outbound/request_fault.ts";
import { kindOfStatus, saysTrouble, statusFirst } from "../../common/outbound/status_first.ts";

/** Parses an error answer. `body` is its text, JSON or not. */
export const parseError = (status: number, body: string): ProviderError =>
  toProviderError(status, read(status, readError(parseJsonOrText(body))));

/** Parses an error inside a stream or inside a 200: its `error` value, or the frame's data. */
export const parseFailure = (error: unknown): Failure =>
  toFailure(read(undefined, readError(typeof error === "string" ? parseJsonOrText(error) : error)));

/** A status of trouble says more than the word beside it; words about our account stay here all the same. */
function read(status: number | undefined, details: MessagesErrorFields): ErrorReading {
  const fault = classifyError(status, details);
  const account = findAccountError(status, details);
  return {
    ...fault,
    account: saysTrouble(status) ? undefined : account,
    message: account === undefined ? details.message : accountErrorMessages[account],
    code: details.type,
    param: fault.kind === "invalid_request" ? paramOf(details) : undefined,
  };
}

/** The error object, however deep a proxy has put it; text by itself is a page or a server's plain words. */
function readError(body: unknown): MessagesErrorFields {
  if (typeof body === "string") return { message: htmlTitleOrText(body) };
  if (!isRecord(body)) return {};
  const inner = body.error ?? body.detail;
  if (inner !== undefined && inner !== null) return readError(inner);
  const { type, message } = body;
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}

/** The provider begins with the place that it blames: `messages.1.content.0.text: Field required`. */
function paramOf({ message = "" }: MessagesErrorFields): string | undefined {
  return /^([a-z_]+(?:\.[\w-]+)*): /.exec(message)?.[1];
}

interface MessagesErrorFields {
  readonly type?: string;
  readonly message?: string;
}

/** The provider's own words for what went wrong, but for `api_error`, which is anything. */
const byType: Readonly<Record<string, ApiErrorKind>> = {
  invalid_request_error: "invalid_request",
  not_found_error: "not_found",
  request_too_large: "too_large",
  rate_limit_error: "rate_limited",
  timeout_error: "upstream_timeout",
  overloaded_error: "overloaded",
};

const accountTypes: Readonly<Record<string, AccountError>> = {
  authentication_error: "credentials",
  billing_error: "funds",
  permission_error: "access",
};

const accountStatuses: Readonly<Partial<Record<number, AccountError>>> = {
  401: "credentials",
  402: "funds",
  403: "access",
};

/** Said with status 400. */
const outOfFunds = /^(?:your )?credit balance is too low/i;

function findAccountError(
  status: number | undefined,
  { type = "", message = "" }: MessagesErrorFields,
): AccountError | undefined {
  if (status === 403 && isModerated(message)) return undefined;
  return ownValue(accountTypes, type) ?? accountStatuses[status ?? 0] ??
    (outOfFunds.test(message) ? "funds" : undefined);
}

function classifyError(status: number | undefined, reported: MessagesErrorFields): RequestFault {
  const { type = "", message = "" } = reported;
  if (findAccountError(status, reported) !== undefined && !saysTrouble(status)) {
    return { kind: "upstream_failed", endpointSpecific: false };
  }
  const kind = statusFirst(status, { byWord: ownValue(byType, type), byStatus: kindOfStatus(status) });
  return refineKind({ status, kind, word: type, message });
}
