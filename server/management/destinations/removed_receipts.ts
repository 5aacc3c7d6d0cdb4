/** Receipts that are removed, because their time is over, before a destination was sent them: they are counted as lost. */

import type { LeavingBatches } from "../../billing/ledger/retention/receipt_retention.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { LogFields, Runtime } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";
import { iterateRecords } from "../core/pages.ts";
import { retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { chooseReceipts } from "./chosen_receipts.ts";
import {
  commitState,
  destinationCollection,
  type DestinationState,
  destinationStates,
  type EndedDelivery,
} from "./destination_rows.ts";

interface RemovedDeps {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "random" | "log">;
  readonly count: (ended: EndedDelivery) => void;
}

/**
 * Moves destinations past batches before these go. Called again it counts nothing twice. Throws a StoreError, or an
 * ApiError `unavailable` where others write a state all the time.
 */
export async function loseRemoved(deps: RemovedDeps, leaving: LeavingBatches): Promise<void> {
  for await (const { id: [id = ""], record } of iterateRecords(destinationStates(deps.store))) {
    if (leftIn(record, leaving).length === 0) continue;
    await retryOnConflict(deps.runtime, () => pass(deps, { id: String(id), leaving }));
  }
}

/** Batches that are not done; of a journal that was never begun those since the destination is on. */
function leftIn(
  { cursors, since, over = since }: DestinationState,
  { instance, batches }: LeavingBatches,
): LeavingBatches["batches"] {
  const done = ownValue(cursors, instance);
  return batches.filter(({ seq, at }) => done === undefined ? at >= Math.max(since, over) : seq > done);
}

interface Passing {
  readonly id: string;
  readonly leaving: LeavingBatches;
}

async function pass(
  { store, count, runtime: { log } }: RemovedDeps,
  { id, leaving }: Passing,
): Promise<void | typeof WRITE_CONFLICT> {
  const row = (await destinationCollection(store).get(id))?.record;
  const state = await destinationStates(store).get(id);
  if (row?.enabled !== true || state === undefined) return;
  const { record, version } = state;
  const left = leftIn(record, leaving);
  const to = left.at(-1)?.seq;
  if (to === undefined) return;
  const chosen = await chooseReceipts(store, { row, receipts: left.flatMap(({ receipts }) => receipts) });
  const unread = left.flatMap((batch) => batch.unread).filter((of) => of === row.workspace_id);
  const lost = chosen.length + unread.length;
  const { instance } = leaving;
  const { part } = record;
  const next = {
    ...record,
    cursors: { ...record.cursors, [instance]: to },
    part: part?.instance === instance && part.to <= to ? null : part,
    lost: record.lost + lost,
  };
  if (await commitState(store, { id, version, next }) === undefined) return WRITE_CONFLICT;
  if (lost === 0) return;
  count({ type: row.type, outcome: "lost", receipts: lost });
  const fields: LogFields = { destination: id, count: lost };
  log.warn("Receipts are lost: they were removed before they could be sent", fields);
}
