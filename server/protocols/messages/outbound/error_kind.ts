/** What an error of the Messages API means, from its type, its message and its status. */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { saysTrouble, statusFirst } from "../../common/outbound/status_first.ts";
import type { AccountError } from "../../common/outbound/error_text.ts";

export interface MessagesErrorFields {
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

const byStatus: Readonly<Partial<Record<number, ApiErrorKind>>> = {
  400: "invalid_request",
  404: "not_found",
  408: "upstream_timeout",
  413: "too_large",
  415: "invalid_request",
  422: "invalid_request",
  429: "rate_limited",
  503: "unavailable",
  504: "upstream_timeout",
  524: "upstream_timeout",
  529: "overloaded",
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
const outOfFunds = /credit balance is too low/i;

export function findAccountError(
  status: number | undefined,
  { type = "", message = "" }: MessagesErrorFields,
): AccountError | undefined {
  return ownValue(accountTypes, type) ?? accountStatuses[status ?? 0] ??
    (outOfFunds.test(message) ? "funds" : undefined);
}

const tooLong =
  /(prompt|input) is too long|exceeds? (the )?(context|maximum)|context (window|limit|length)|maximum (number of )?(input )?tokens/i;
const imageFault = /could not process image|image (exceeds|dimensions|url)|unable to download|base64/i;
const filtered = /content filtering policy|blocked by content/i;

/** Words about the request that say more than that it is invalid, first match first. */
const aboutRequest: readonly (readonly [RegExp, ApiErrorKind])[] = [
  [tooLong, "context_length"],
  [filtered, "content_policy"],
  [imageFault, "invalid_image"],
];

export function classifyError(status: number | undefined, told: MessagesErrorFields): ApiErrorKind {
  if (findAccountError(status, told) !== undefined && !saysTrouble(status)) return "upstream_failed";
  const kind = statusFirst(status, {
    byWord: ownValue(byType, told.type ?? ""),
    byStatus: byStatus[status ?? 0],
  });
  if (kind !== "invalid_request") return kind;
  return aboutRequest.find(([words]) => words.test(told.message ?? ""))?.[1] ?? kind;
}

const unsupported =
  /(is|are) not supported|does not support|not available|extra inputs are not permitted|unexpected value/i;

/** Whether another endpoint might take the same request. */
export function isEndpointSpecific(kind: ApiErrorKind, { message = "" }: MessagesErrorFields): boolean {
  if (kind === "context_length" || kind === "not_found") return true;
  return kind === "invalid_request" && unsupported.test(message);
}
