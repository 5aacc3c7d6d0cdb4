/** One receipt beside the list: read by its id where the list does not have it. */

import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource } from "../../resource.ts";
import type { KeyNames } from "../keys/key_names.ts";

const listReceipts = operation<"receipts.list">("GET", "/receipts");

interface ReceiptDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly keyNames: KeyNames;
  /** The receipt where it is known already. */
  readonly known: ReceiptRecord | undefined;
}

/** The key that pays, and the one for whose session it does. */
export const keysOf = ({ key_hash, management_key_hash: manager }: ReceiptRecord): readonly string[] =>
  manager === undefined ? [key_hash] : [key_hash, manager];

/** Null where there is no such receipt. A receipt never changes, so that a known one is not read again. */
export function createReceipt(id: string, { api, keyNames, known }: ReceiptDeps) {
  // A receipt that came by itself has no names of managers with it.
  const isNamed = ({ management_key_hash: manager }: ReceiptRecord) =>
    manager === undefined || keyNames.of(manager) !== undefined;
  const resource = createResource(async (signal): Promise<ReceiptRecord | null> => {
    if (known !== undefined && isNamed(known)) return known;
    const { data: [found], key_names } = await api.call(listReceipts, { query: { id }, signal });
    if (found !== undefined) keyNames.add(keysOf(found), new Map(Object.entries(key_names)));
    return found ?? null;
  });
  if (known !== undefined) resource.set(known);
  return resource;
}

/** A span of the time line, in ms since the request came in. */
interface FallSpan {
  readonly tone: "failed" | "waiting" | "streaming";
  readonly from: number;
  readonly to: number;
}

export interface FallRow {
  readonly provider: string;
  readonly model: string;
  readonly isByok: boolean;
  /** The provider's status; 0 where it gave none. */
  readonly status: number;
  readonly code: string | undefined;
  readonly why: string | undefined;
  readonly spans: readonly FallSpan[];
  readonly ms: number;
  readonly isAnswer: boolean;
}

const isGood = ({ status, code }: ReceiptRecord["attempts"][number]): boolean =>
  code === undefined && status >= 200 && status <= 299;

/**
 * Attempts on one line of time. A receipt says how long each took, not when it began: they follow each other, and
 * the last one that answered begins where the first chunk, less its own time, was.
 */
export function waterfall(
  { attempts, latency_ms: first, total_ms: total }: ReceiptRecord,
): readonly FallRow[] {
  let at = 0;
  return attempts.map((attempt, place): FallRow => {
    const isAnswer = place === attempts.length - 1 && isGood(attempt);
    const from = Math.min(at, total);
    const to = Math.min(total, from + attempt.latency_ms);
    at = to;
    const chunk = isAnswer && first !== null && first > from && first < total ? first : to;
    const spans: FallSpan[] = isAnswer
      ? [{ tone: "waiting", from, to: chunk }, { tone: "streaming", from: chunk, to: total }]
      : [{ tone: isGood(attempt) ? "waiting" : "failed", from, to }];
    return {
      provider: attempt.provider,
      model: attempt.model,
      isByok: attempt.is_byok,
      status: attempt.status,
      code: attempt.code,
      why: attempt.why,
      spans: spans.filter((span) => span.to > span.from),
      ms: (isAnswer ? total : to) - from,
      isAnswer,
    };
  });
}
