/** A provider's error answer in our words (promises §3, faults U4): what routing does next hangs on it. */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import type { AccountError } from "../../canonical/event.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import type { ProviderError } from "../../wire.ts";
import { kindOfStatus, type KindsByStatus } from "../../common/outbound/status_first.ts";
import { isModerated, type RequestFault } from "../../common/outbound/request_fault.ts";
import {
  cleanMessage,
  CREDENTIALS_REFUSED,
  findAccountError,
  findError,
  kindOfCode,
  refineFailure,
  type ResponsesErrorFields,
} from "./parse_failure.ts";

/** `body` is the error answer's text; pages of proxies in front of the provider are not passed on. */
export function parseError(status: number, body: string): ProviderError {
  const reported = findError(tryParseJson(body));
  const account = findAccountError(reported) ??
    (isRefusedContent(status, reported) ? undefined : accountStatuses[status]);
  if (account !== undefined) {
    return { kind: "upstream_failed", message: CREDENTIALS_REFUSED, endpointSpecific: false, account };
  }
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
const accountStatuses: Readonly<Partial<Record<number, AccountError>>> = {
  401: "credentials",
  402: "funds",
  403: "access",
};

/** Some say with 403 that the contents are against their rules. */
const isRefusedContent = (status: number, { code, message }: ResponsesErrorFields): boolean =>
  status === 403 && isModerated(`${code} ${message}`);

const ownKinds: KindsByStatus = { 405: "not_found", 410: "not_found" };

function classifyError(status: number, reported: ResponsesErrorFields): RequestFault {
  const byCode = kindOfCode(reported.code) ?? kindOfCode(reported.type);
  const byStatus = kindOfStatus(status, ownKinds);
  if (byStatus === "not_found") return { kind: "not_found", endpointSpecific: true };
  if (byCode === "overloaded") return { kind: "overloaded", endpointSpecific: false };
  const isRequest = byStatus === "invalid_request" || status === 403;
  const kind = (isRequest && isKnown(byCode) ? byCode : byStatus) ?? "upstream_failed";
  return refineFailure(kind, { status, reported });
}

/** The kinds that a code makes of a request that is at fault. */
const isKnown = (kind: ApiErrorKind | undefined): boolean =>
  kind === "context_length" || kind === "content_policy" || kind === "invalid_image";
