/** A provider's error answer in our words (promises §3, faults U4): what routing does next hangs on it. */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import type { ProviderError } from "../../wire.ts";
import { kindOfStatus, type KindsByStatus } from "../../common/outbound/status_first.ts";
import {
  cleanMessage,
  CREDENTIALS_REFUSED,
  findError,
  isAccountError,
  kindOfCode,
  type ResponsesErrorFields,
} from "./parse_failure.ts";

/** `body` is the error answer's text; pages of proxies in front of the provider are not passed on. */
export function parseError(status: number, body: string): ProviderError {
  const reported = findError(tryParseJson(body));
  if (ownAccount.includes(status) || isAccountError(reported)) return refusedUs;
  const { kind, endpointSpecific } = classifyError(status, reported);
  return {
    kind,
    endpointSpecific,
    message: cleanMessage(reported.message ?? "") || `The provider answered with status ${status}.`,
    code: reported.code ?? reported.type,
    param: reported.param,
  };
}

/** The provider refuses the gateway's key, account or region: the client has no part in it and is not told. */
const ownAccount: readonly number[] = [401, 402, 403];
const refusedUs: ProviderError = {
  kind: "upstream_failed",
  message: CREDENTIALS_REFUSED,
  endpointSpecific: false,
};

interface ErrorClass {
  readonly kind: ApiErrorKind;
  readonly endpointSpecific: boolean;
}

const ownKinds: KindsByStatus = { 405: "not_found", 410: "not_found" };

function classifyError(status: number, reported: ResponsesErrorFields): ErrorClass {
  const byCode = kindOfCode(reported.code) ?? kindOfCode(reported.type);
  const byStatus = kindOfStatus(status, ownKinds);
  if (byStatus === "not_found") return { kind: "not_found", endpointSpecific: true };
  if (byCode === "overloaded") return { kind: "overloaded", endpointSpecific: false };
  if (byStatus !== undefined && byStatus !== "invalid_request") {
    return { kind: byStatus, endpointSpecific: false };
  }
  if (status < 400 || status >= 500) return { kind: "upstream_failed", endpointSpecific: false };
  return judgeRequest(reported, byCode);
}

const tooLong =
  /context (?:length|window|size)|maximum (?:context|prompt|input) length|prompt is too long|too many tokens/i;
const unsupported =
  /unsupported|not support|unknown (?:parameter|argument)|unrecognized|not available for this model/i;

/** The provider blames the request. What is beyond this endpoint alone may be within another's reach. */
function judgeRequest(
  { code, message = "" }: ResponsesErrorFields,
  byCode: ApiErrorKind | undefined,
): ErrorClass {
  if (byCode === "context_length" || tooLong.test(message)) {
    return { kind: "context_length", endpointSpecific: true };
  }
  if (byCode === "content_policy" || byCode === "invalid_image") {
    return { kind: byCode, endpointSpecific: false };
  }
  const elsewhere = unsupported.test(code ?? "") || unsupported.test(message) ||
    otherMaker.includes(code ?? "");
  return { kind: "invalid_request", endpointSpecific: elsewhere };
}

/** Encrypted reasoning and stored things of another maker: the endpoint that made them would know them. */
const otherMaker: readonly string[] = ["unknown_parameter", "invalid_encrypted_content"];
