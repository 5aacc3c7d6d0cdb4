/**
 * `GET /receipts/groups`: what users, sessions, applications, presets or tags have cost over time. No sums know most of
 * these, so that receipts are looked through, a slice a call.
 */

import type { OperationOutput } from "../../../shared/management/operation.ts";
import type { ReceiptGrouping } from "../../../shared/management/lists/receipt_groupings.ts";
import type { receiptApi } from "../../../shared/management/receipts.ts";
import { toNanoUsd, toUsdNumber } from "../../../shared/money.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { MAX_SCANNED } from "../../billing/ledger/index/receipt_list.ts";
import type { OperationInput } from "../core/operation.ts";
import { cursorOf, readPage, type ReceiptListDeps, scannedUntil, writeCursor } from "./list_receipts.ts";
import { receiptFilterOf } from "./receipt_filter.ts";

type Api = typeof receiptApi["receipts.groups"];

type Names = readonly (string | null)[];
const none: Names = [null];

const namesOf: { readonly [G in ReceiptGrouping]: (receipt: Receipt) => Names } = {
  user: ({ user, external_user }) => [user ?? external_user],
  session_id: ({ session_id }) => [session_id],
  app_title: ({ app_title }) => [app_title],
  preset: ({ preset }) => [preset?.slug ?? null],
  tag: ({ tags = [] }) => tags.length === 0 ? none : tags,
};

interface Sum {
  readonly name: string | null;
  /** Start of the span, ms since the epoch. */
  readonly at: number;
  requests: number;
  nano: number;
}

export async function groupReceipts(
  deps: ReceiptListDeps,
  { query: { by, span_seconds, ...query } }: OperationInput<Api>,
): Promise<OperationOutput<Api>> {
  const before = cursorOf(query.before, "group receipts");
  const filter = receiptFilterOf(query, deps);
  await deps.ledger.caughtUp();
  // A test makes the page a slice, which ends after as many receipts or as much time.
  const test = filter.test ?? (() => true);
  const page = await readPage(deps, { ...filter, test, before, limit: MAX_SCANNED });
  const sums = sumUp(page.receipts, { by, spanMs: 1_000 * span_seconds });
  return {
    data: [...sums.values()].map(({ name, at, requests, nano }) => ({
      name,
      at: new Date(at).toISOString(),
      requests,
      cost: toUsdNumber(toNanoUsd(nano)),
    })),
    next: writeCursor(page.next),
    scanned_until: scannedUntil(page.next),
  };
}

interface Grouping {
  readonly by: ReceiptGrouping;
  readonly spanMs: number;
}

function sumUp(receipts: readonly Receipt[], { by, spanMs }: Grouping): ReadonlyMap<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const receipt of receipts) {
    if (receipt.self_test === true) continue;
    const at = Math.floor(Date.parse(receipt.created_at) / spanMs) * spanMs;
    for (const name of namesOf[by](receipt)) {
      const place = JSON.stringify([name, at]);
      const sum = sums.get(place) ?? { name, at, requests: 0, nano: 0 };
      sum.requests += receipt.stands_for ?? 1;
      sum.nano += receipt.cost;
      sums.set(place, sum);
    }
  }
  return sums;
}
