/** What a provider's error means, from its status, its own words for it and its message. */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { kindOfStatus, statusFirst } from "./status_first.ts";
import type { AccountError } from "./error_text.ts";

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

export interface ErrorMeaning {
  readonly kind: ApiErrorKind;
  /** Another endpoint might take the same request. */
  readonly endpointSpecific: boolean;
}

/** Statuses that tell of the request; for the others its words are no evidence. */
const aboutRequest: readonly number[] = [400, 404, 413, 422, 500];

const tooLong =
  /context[ _]?(length|window|size)|exceeds? the (model'?s )?(maximum|available) (context|token)|(prompt|input|request) is too long|maximum (prompt|input) length|too many (input |prompt )?tokens|reduce the length/i;

const unsupported =
  /unsupported[_ ](parameter|value|content|modality)|(is|are) not supported|does not support|not a multimodal model|unrecognized request argument|unknown (parameter|field)|extra (fields|inputs) (are )?not permitted/i;

const imageFault =
  /invalid[_ ](base64[_ ])?image|image[_ ](parse|too|file|url|download|content)|failed[_ ]to[_ ]download[_ ]image|unsupported[_ ]image|could not process image/i;

const filtered = /content[_ ](policy|filter|management)|safety system|moderation|responsibleai/i;

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

const account = {
  credentials:
    /invalid_api_key|authentication_error|(invalid|incorrect) api key|api key (not valid|is invalid|expired)/i,
  funds: /insufficient_quota|billing|insufficient (credits|balance|funds)/i,
  access: /permission_(error|denied)/i,
} as const satisfies Readonly<Record<AccountError, RegExp>>;

export function findAccountError(
  status: number | undefined,
  { message, code, type }: ProviderErrorFields,
): AccountError | undefined {
  const text = `${code} ${type} ${message}`;
  if (status === 401 || account.credentials.test(text)) return "credentials";
  if (status === 402 || account.funds.test(text)) return "funds";
  if (status === 403 || account.access.test(`${code} ${type}`)) return "access";
  return undefined;
}

/** The error's meaning; without a status the words alone decide. */
export function classifyError(status: number | undefined, reported: ProviderErrorFields): ErrorMeaning {
  if (findAccountError(status, reported) !== undefined) {
    return { kind: "upstream_failed", endpointSpecific: false };
  }
  const kind = kindOf(status, reported);
  return { kind, endpointSpecific: isEndpointSpecific(kind, reported) };
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

function kindByLooseWords(reported: ProviderErrorFields): ApiErrorKind {
  const { code = "", type = "", message = "" } = reported;
  if (tooLong.test(message)) return "context_length";
  if (/overloaded/i.test(message)) return "overloaded";
  return find(looseWords, `${code} ${type}`) ?? "upstream_failed";
}

function kindByStatus(status: number, { message = "", code = "" }: ProviderErrorFields): ApiErrorKind {
  const text = `${code} ${message}`;
  if (aboutRequest.includes(status) && tooLong.test(text)) return "context_length";
  if (status === 400 && filtered.test(text)) return "content_policy";
  if ((status === 400 || status === 422) && imageFault.test(text)) return "invalid_image";
  if (status >= 500 && /overloaded/i.test(message)) return "overloaded";
  return kindOfStatus(status) ?? "upstream_failed";
}

function isEndpointSpecific(kind: ApiErrorKind, { code = "", message = "" }: ProviderErrorFields): boolean {
  if (kind === "context_length" || kind === "not_found") return true;
  return kind === "invalid_request" && unsupported.test(`${code} ${message}`);
}
