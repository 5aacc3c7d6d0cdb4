/** Which of two says what went wrong at a provider: its status, or its own word for the error. */

import type { ApiErrorKind } from "../../../../shared/errors.ts";

export type KindsByStatus = Readonly<Partial<Record<number, ApiErrorKind>>>;

/** Error kinds of statuses on every wire, unless the wire says otherwise. */
const defaultKinds: KindsByStatus = {
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

/** The kind of a status; `overrides` are the wire's own. */
export const kindOfStatus = (
  status: number | undefined,
  overrides: KindsByStatus = {},
): ApiErrorKind | undefined => overrides[status ?? 0] ?? defaultKinds[status ?? 0];

/** Words that only say more of what a status of 5xx says. */
const ofServer: readonly (ApiErrorKind | undefined)[] = [
  "overloaded",
  "unavailable",
  "not_ready",
  "upstream_timeout",
];

interface Evidence {
  readonly byWord: ApiErrorKind | undefined;
  readonly byStatus: ApiErrorKind | undefined;
}

/**
 * The word says more than the status, unless it only says that the request is invalid. But for 429 and 5xx: whatever a
 * provider calls its error there, the request is not to blame, and another endpoint may take it.
 */
export function statusFirst(status: number | undefined, { byWord, byStatus }: Evidence): ApiErrorKind {
  if (!saysTrouble(status)) {
    const more = byWord === "invalid_request" ? undefined : byWord;
    return more ?? byStatus ?? byWord ?? "upstream_failed";
  }
  if (status !== 429 && byWord !== undefined && ofServer.includes(byWord)) return byWord;
  return byStatus ?? "upstream_failed";
}

/** Whether a status says that there were too many requests, or that the server failed. */
export const saysTrouble = (status: number | undefined): boolean =>
  status !== undefined && (status === 429 || status >= 500);
