/** Error answers and exceptions inside a stream: `{message}` and a name (faults U2–U4). */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { Failure } from "../../../canonical/event.ts";
import {
  kindOfStatus,
  type KindsByStatus,
  saysTrouble,
  statusFirst,
} from "../../common/outbound/status_first.ts";
import {
  accountErrorMessages,
  cleanErrorText,
  htmlTitleOrText,
  parseJsonOrText,
} from "../../common/outbound/error_text.ts";
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

const ownKinds: KindsByStatus = { 413: "too_large" };

/** Words about the request that say more than that it is invalid, first match first. */
const aboutRequest: readonly (readonly [RegExp, ApiErrorKind])[] = [
  [
    /input is too long|too many (input )?tokens|maximum (number of )?tokens|context (window|length)/i,
    "context_length",
  ],
  [/content filter|guardrail/i, "content_policy"],
  [/image/i, "invalid_image"],
];

const unsupported = /(is|are)(n't| not) supported|does(n't| not) support|not permitted|on-demand throughput/i;

/** The frame's `event` names an exception. */
export const isException = (event: string): boolean => /exception$/i.test(event);

/** What an error answer says. `body` is its text, JSON or not. */
export function parseError(status: number, body: string): ProviderError {
  const reported = reportedIn(body);
  const account =
    status === 401 || (status === 403 && /signature|token|credential/i.test(reported.message ?? ""))
      ? "credentials" as const
      : status === 403
      ? "access" as const
      : undefined;
  const kind = account ? "upstream_failed" : kindOf(
    statusFirst(status, {
      byWord: ownValue(byName, nameOf(reported.code)),
      byStatus: kindOfStatus(status, ownKinds),
    }),
    reported,
  );
  const specific = kind === "context_length" || kind === "not_found" ||
    (!saysTrouble(status) && unsupported.test(reported.message ?? ""));
  return {
    kind,
    message: (account ? accountErrorMessages[account] : cleanErrorText(reported.message)) ??
      `The provider answered ${status}.`,
    code: reported.code,
    endpointSpecific: account === undefined && specific,
  };
}

/** What an exception inside a stream says. */
export function parseFailure(name: string, data: string): Failure {
  const reported = reportedIn(data);
  return {
    kind: kindOf(ownValue(byName, nameOf(name)), reported),
    message: cleanErrorText(reported.message) ?? "Provider call failed in the middle of its response.",
    code: name,
  };
}

interface ErrorDetails {
  readonly message?: string;
  readonly code?: string;
}

/** `com.amazon.coral.service#ThrottlingException` and `throttlingException` are one. */
const nameOf = (code = "") => code.replace(/^.*#/, "").toLowerCase();

function kindOf(kind: ApiErrorKind = "upstream_failed", { message = "" }: ErrorDetails): ApiErrorKind {
  if (kind !== "invalid_request") return kind;
  return aboutRequest.find(([words]) => words.test(message))?.[1] ?? kind;
}

function reportedIn(body: string): ErrorDetails {
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
