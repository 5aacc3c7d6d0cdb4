/** Classifies a provider's error by its status, its own words for it and its message. */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { kindOfStatus, saysTrouble, statusFirst } from "./status_first.ts";
import type { AccountError } from "../../canonical/event.ts";
import { isModerated, refineKind, type RequestFault } from "./request_fault.ts";

/** An error as the provider told it, in whatever dialect. */
export interface ProviderErrorFields {
  readonly message?: string;
  /** The provider's own word: its `code`, else its `type`. */
  readonly code?: string;
  readonly type?: string;
  readonly param?: string;
  /** An HTTP status named inside the error (streams, gateways). */
  readonly status?: number;
}

/** The provider's own words that mean more than its status does, first match first. */
const words: readonly (readonly [RegExp, ApiErrorKind])[] = [
  [/^voices_loading\b/, "not_ready"],
  [/overloaded/i, "overloaded"],
  [/rate_limit|too_many_requests|resource_exhausted|tokens_per|requests_per/i, "rate_limited"],
  [/context_length|context_size|context_window|string_above_max_length/i, "context_length"],
  [/content_(policy|filter)|responsibleai/i, "content_policy"],
];

/** Words for which the status inside a stream is missing, so that they decide where no status does. */
const looseWords: readonly (readonly [RegExp, ApiErrorKind])[] = [
  [/timeout|deadline/i, "upstream_timeout"],
  [/unavailable/i, "unavailable"],
  [/not_found/i, "not_found"],
  [/invalid_(request|prompt|value|argument)|badrequest|bad_request/i, "invalid_request"],
];

const accountWords = {
  credentials: /invalid_api_key|authentication_error|invalid_authentication/i,
  funds: /insufficient_(?:quota|balance|funds|credits)|billing|exceeded_current_quota/i,
  access: /permission_(?:error|denied)/i,
} as const satisfies Readonly<Record<AccountError, RegExp>>;

/** How messages begin that are about the account. Further on they may quote the caller. */
const accountMessages: readonly (readonly [RegExp, AccountError])[] = [
  [
    /^(?:error: )?(?:invalid|incorrect) api[ -]?key|^(?:error: )?api[ -]?key (?:not valid|is invalid|expired)/i,
    "credentials",
  ],
  [/^(?:error: )?(?:(?:you have )?insufficient (?:credits?|balance|funds)|billing )/i, "funds"],
];

export function findAccountError(
  status: number | undefined,
  { message, code, type }: ProviderErrorFields,
): AccountError | undefined {
  const word = `${code} ${type}`;
  if (status === 401 || accountWords.credentials.test(word)) return "credentials";
  if (status === 402 || accountWords.funds.test(word)) return "funds";
  const byMessage = saysTrouble(status) ? undefined : accountErrorInMessage(message);
  if (byMessage !== undefined) return byMessage;
  if (status === 403) return isModerated(`${word} ${message}`) ? undefined : "access";
  return accountWords.access.test(word) ? "access" : undefined;
}

const accountErrorInMessage = (message = ""): AccountError | undefined =>
  accountMessages.find(([beginning]) => beginning.test(message.trimStart()))?.[1];

/** The error's meaning; without a status the words alone decide. */
export function classifyError(status: number | undefined, reported: ProviderErrorFields): RequestFault {
  if (findAccountError(status, reported) !== undefined) {
    return { kind: "upstream_failed", endpointSpecific: false };
  }
  const { code = "", type = "", message = "" } = reported;
  return refineKind({ status, kind: kindOf(status, reported), word: `${code} ${type}`, message });
}

function kindOf(status: number | undefined, reported: ProviderErrorFields): ApiErrorKind {
  const byWord = kindByWords(reported);
  if (status === undefined) return byWord ?? kindByLooseWords(reported);
  // Some servers answer 500 where they mean that the prompt is too long for them.
  if (status === 500 && byWord === "context_length") return byWord;
  return statusFirst(status, { byWord, byStatus: kindByStatus(status, reported) });
}

const find = (table: typeof words, text: string) => table.find(([pattern]) => pattern.test(text))?.[1];

const kindByWords = ({ code = "", type = "" }: ProviderErrorFields) => find(words, `${code} ${type}`);

function kindByLooseWords({ code = "", type = "", message = "" }: ProviderErrorFields): ApiErrorKind {
  if (/overloaded/i.test(message)) return "overloaded";
  return find(looseWords, `${code} ${type}`) ?? "upstream_failed";
}

function kindByStatus(status: number, { message = "" }: ProviderErrorFields): ApiErrorKind {
  if (status >= 500 && /overloaded/i.test(message)) return "overloaded";
  return kindOfStatus(status) ?? "upstream_failed";
}
