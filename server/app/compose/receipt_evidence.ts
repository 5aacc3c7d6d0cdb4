/** Receipts as evidence of routers: read at the start and every two minutes. */

import { PeriodicJob } from "../../../shared/util/periodic_job.ts";
import { readTaskSums } from "../../billing/ledger/usage/task_query.ts";
import { workspaceCollection } from "../../management/workspaces/workspace_rows.ts";
import { ReceiptEvidenceTable } from "../../pipeline/routing/routers/receipt_evidence.ts";
import type { Runtime } from "../../runtime.ts";
import type { CompositionParts } from "../composition_parts.ts";
import type { InForce } from "../reload/in_force.ts";

export const EVERY_MS = 120_000;

interface EvidenceParts extends Pick<CompositionParts, "store" | "ledger" | "runtime"> {
  readonly inForce: Pick<InForce, "catalog">;
}

/** Empty until it is renewed. */
export function createReceiptEvidence(
  { store, ledger, inForce, runtime: { clock, log } }: EvidenceParts,
): ReceiptEvidenceTable {
  const workspaces = workspaceCollection(store);
  return new ReceiptEvidenceTable({
    log,
    read: async () => {
      await ledger.caughtUp();
      return await readTaskSums(store, {
        now: clock.now(),
        modelId: (name) => inForce.catalog.resolve(name)[0]?.model.id ?? name,
        hasWorkspace: async (id) => (await workspaces.get(id))?.record.state === "active",
      });
    },
  });
}

interface StartOptions {
  readonly runtime: Pick<Runtime, "clock" | "log">;
  readonly receiptEvidence: Pick<ReceiptEvidenceTable, "renew">;
}

/** Resolves when it was read once, or could not be. Returns what ends the renewal. */
export async function startReceiptEvidence(
  { runtime, receiptEvidence }: StartOptions,
): Promise<() => Promise<void>> {
  const failure = "Cannot read receipts as evidence of routers; retrying in two minutes";
  try {
    await receiptEvidence.renew();
  } catch (error) {
    runtime.log.warn(failure, { error: String(error) });
  }
  const job = new PeriodicJob({ runtime, everyMs: EVERY_MS, step: () => receiptEvidence.renew(), failure });
  return () => job.close();
}
