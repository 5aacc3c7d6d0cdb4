/** Standing of a request: sign and words. */

import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import type { ReceiptStatus } from "../../../shared/receipts.ts";
import type { IconName, Tone } from "../../components/icon.tsx";
import { requestsText, statusNames } from "../../text/requests.ts";

interface RequestState {
  readonly tone: Tone;
  readonly text: string;
  readonly icon?: IconName;
}

const signs: { readonly [S in ReceiptStatus]: Omit<RequestState, "text"> } = {
  completed: { tone: "good" },
  incomplete: { tone: "warn" },
  failed: { tone: "bad" },
  cancelled: { tone: "off" },
  refused: { tone: "warn", icon: "disabled" },
  interrupted: { tone: "bad", icon: "alert" },
};

/** `Failed 503`; several refusals that one receipt stands for are counted. */
export function requestState(
  { status, error, stands_for: count }: Pick<ReceiptRecord, "status" | "error" | "stands_for">,
): RequestState {
  const words = error === null ? statusNames[status] : `${statusNames[status]} ${error.status}`;
  return { ...signs[status], text: count === undefined ? words : requestsText.times(words, count) };
}

/** When it was made; for one that stands for several, when the last of them ended: lists are in this order. */
export function shownMoment(
  { created_at: created, ended_at: ended, stands_for: count = 1 }: Pick<
    ReceiptRecord,
    "created_at" | "ended_at" | "stands_for"
  >,
): string {
  return count > 1 ? ended : created;
}

/** Number of calls before the one that ended it; attempts of several calls of one request are no fallbacks. */
export function triesBefore({ attempts, calls }: Pick<ReceiptRecord, "attempts" | "calls">): number {
  return calls === undefined ? Math.max(0, attempts.length - 1) : 0;
}
