/** Spend by what only receipts know: users, sessions, applications and presets. */

import { type SingleGrouping, singleGroupings } from "../../../shared/management/lists/receipt_groupings.ts";
import { type ConsoleApi, operation, type OperationResult } from "../../api.ts";
import type { Point } from "../series.ts";
import type { OverviewPeriod } from "./period.ts";

const groupReceipts = operation<"receipts.groups">("GET", "/receipts/groups");

/** Slices that are looked through. */
const MOST_SLICES = 6;

export const isSingleGrouping = (by: string): by is SingleGrouping =>
  singleGroupings.some((one) => one === by);

interface GroupsInput {
  readonly api: Pick<ConsoleApi, "call">;
  readonly by: SingleGrouping;
  readonly period: OverviewPeriod;
  readonly workspaceId: string | undefined;
  readonly signal: AbortSignal;
}

interface ReceiptGroups {
  readonly points: readonly Point[];
  /** Moment before which nothing was looked at; null where all was. */
  readonly scannedUntil: string | null;
}

/** Name of what no request has named. */
export const NO_NAME = "–";

export async function readReceiptGroups(
  { api, by, period: { buckets }, workspaceId, signal }: GroupsInput,
): Promise<ReceiptGroups> {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return { points: [], scannedUntil: null };
  const query = {
    by,
    workspace_id: workspaceId,
    since: new Date(first.from).toISOString(),
    until: new Date(last.to).toISOString(),
    span_seconds: Math.max(60, (first.to - first.from) / 1_000),
  };
  const points: Point[] = [];
  let before: string | undefined;
  for (let slices = 1;; slices++) {
    const page: OperationResult<"receipts.groups"> = await api.call(groupReceipts, {
      query: { ...query, before },
      signal,
    });
    points.push(...page.data.map(({ name, at, cost }) => ({
      name: name ?? NO_NAME,
      at: Date.parse(at),
      value: cost,
    })));
    before = page.next ?? undefined;
    if (before === undefined) return { points, scannedUntil: null };
    if (slices === MOST_SLICES) return { points, scannedUntil: page.scanned_until };
  }
}
