/** The provider's error codes and messages in our words, for answers that break off and for those never begun. */

import * as z from "zod";
import type { ApiErrorKind } from "../../../../shared/errors.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { AccountError, Failure, FailureEvent } from "../../canonical/event.ts";
import { refineKind, type RequestFault } from "../../common/outbound/request_fault.ts";

/** Codes and types by which the provider refuses the gateway's own key or account. */
const accountErrors: ReadonlyMap<string | undefined, AccountError> = new Map([
  ["account_deactivated", "credentials"],
  ["authentication_error", "credentials"],
  ["billing_hard_limit_reached", "funds"],
  ["billing_not_active", "funds"],
  ["insufficient_quota", "funds"],
  ["invalid_api_key", "credentials"],
  ["permission_error", "access"],
]);

/** The client has no part in it and is not told: it would take the message for its own key's (faults U4). */
export const CREDENTIALS_REFUSED = "The provider refused the credentials.";

export const findAccountError = ({ code, type }: ResponsesErrorFields): AccountError | undefined =>
  accountErrors.get(code) ?? accountErrors.get(type);

/** Codes and types of the provider's other errors. */
const kindsByCode: Readonly<Record<string, ApiErrorKind>> = {
  // Compatible servers give the status as the code.
  400: "invalid_request",
  408: "upstream_timeout",
  429: "rate_limited",
  503: "unavailable",
  504: "upstream_timeout",
  524: "upstream_timeout",
  529: "overloaded",
  rate_limit_exceeded: "rate_limited",
  rate_limit_error: "rate_limited",
  requests: "rate_limited",
  tokens: "rate_limited",
  server_error: "upstream_failed",
  overloaded: "overloaded",
  overloaded_error: "overloaded",
  server_overloaded: "overloaded",
  engine_overloaded: "overloaded",
  server_is_overloaded: "overloaded",
  slow_down: "overloaded",
  service_unavailable: "unavailable",
  context_length_exceeded: "context_length",
  invalid_prompt: "invalid_request",
  invalid_request_error: "invalid_request",
  data_residency_mismatch: "invalid_request",
  content_filter: "content_policy",
  content_policy_violation: "content_policy",
  bio_policy: "content_policy",
  cyber_policy: "content_policy",
  misalignment_policy_violation: "content_policy",
  image_content_policy_violation: "content_policy",
  vector_store_timeout: "upstream_timeout",
  timeout: "upstream_timeout",
  invalid_image: "invalid_image",
  invalid_image_format: "invalid_image",
  invalid_base64_image: "invalid_image",
  invalid_image_url: "invalid_image",
  invalid_image_mode: "invalid_image",
  image_too_large: "invalid_image",
  image_too_small: "invalid_image",
  image_parse_error: "invalid_image",
  image_file_too_large: "invalid_image",
  unsupported_image_media_type: "invalid_image",
  empty_image_file: "invalid_image",
  failed_to_download_image: "invalid_image",
  image_file_not_found: "invalid_image",
};

/** Kind of an error code; undefined for codes that we do not know. */
export function kindOfCode(code: string | undefined): ApiErrorKind | undefined {
  return code !== undefined && Object.hasOwn(kindsByCode, code) ? kindsByCode[code] : undefined;
}

const word = z.union([z.string(), z.number().transform(String)]).optional().catch(undefined);
const errorObject = z.looseObject({ message: word, code: word, type: word, param: word });

/** FastAPI's way of saying what is wrong with a request, as vLLM and its like use it. */
const detailList = z.array(z.looseObject({ msg: z.string() }));

export interface ResponsesErrorFields {
  readonly message?: string;
  readonly code?: string;
  readonly type?: string;
  readonly param?: string;
}

/** Finds the error in an event or a body: nested, flat, a bare string, or a list of details. */
export function findError(value: unknown): ResponsesErrorFields {
  const record = z.looseObject({ error: z.unknown().optional(), detail: z.unknown().optional() }).safeParse(
    value,
  );
  if (!record.success) return {};
  const { error, detail } = record.data;
  if (typeof error === "string") return { message: error };
  const nested = errorObject.safeParse(error);
  if (nested.success) return nested.data;
  if (typeof detail === "string") return { message: detail };
  const list = detailList.safeParse(detail);
  if (list.success) return { message: list.data.map(({ msg }) => msg).join("; ") };
  const flat = errorObject.parse(record.data);
  return flat.type === "error" ? { ...flat, type: undefined } : flat;
}

/** Forms of a provider's account, key or organisation in its messages. */
const secrets =
  /\b(?:sk|pk|rk|gsk|xai|key|org|proj)[-_](?=[\w*.-]*[\d*])[\w*.-]{4,}|\bAIza[\w-]{10,}|\bBearer\s+\S+/gi;
const longestMessage = 300;

/** One line, short, without secrets. */
export function cleanMessage(message: string): string {
  const line = message.slice(0, 4 * longestMessage).replace(/[\s\p{Cc}]+/gu, " ").trim();
  const clean = line.replace(secrets, "[redacted]");
  return clean.length <= longestMessage ? clean : `${clean.slice(0, longestMessage - 1)}…`;
}

interface FailureWords {
  /** Absent inside of an answer. */
  readonly status?: number;
  readonly reported: ResponsesErrorFields;
}

/** Encrypted reasoning and stored things of another maker: the endpoint that made them would know them. */
const otherMaker: readonly string[] = ["unknown_parameter", "invalid_encrypted_content"];

/** The kind made more exact by what the provider says. */
export function refineFailure(kind: ApiErrorKind, { status, reported }: FailureWords): RequestFault {
  const { code = "", type = "", message = "" } = reported;
  const refined = refineKind({ status, kind, word: `${code} ${type}`, message });
  return refined.kind === "invalid_request" && otherMaker.includes(code)
    ? { ...refined, endpointSpecific: true }
    : refined;
}

/** The answer broke off with the error that the provider tells of. */
export function toFailureEvent(reported: ResponsesErrorFields, usage?: Usage): FailureEvent {
  const account = findAccountError(reported);
  if (account !== undefined) {
    return { ...failureEvent({ kind: "upstream_failed", message: CREDENTIALS_REFUSED, account }), usage };
  }
  const code = reported.code ?? reported.type;
  const byCode = kindOfCode(reported.code) ?? kindOfCode(reported.type) ?? "upstream_failed";
  const { kind, endpointSpecific } = refineFailure(byCode, { reported });
  const message = cleanMessage(reported.message ?? "") || "Provider call failed without saying why.";
  const failure = { kind, message, code, ...(endpointSpecific ? { endpointSpecific } : {}) };
  return { type: "failure", failure, ...(usage === undefined ? {} : { usage }) };
}

/** The answer broke off and the provider did not say so. */
export const brokenResponse = (message: string): FailureEvent =>
  failureEvent({ kind: "upstream_failed", message });

const failureEvent = (failure: Failure): FailureEvent => ({ type: "failure", failure });
