/** How a ledger ends: within seconds, whatever the store and the disk do. */

import { endsWithin } from "../../../../shared/util/within.ts";
import type { Runtime } from "../../../runtime.ts";
import type { BatchCommitLoop } from "../journal/group_commit.ts";
import type { UnwrittenReceipts } from "./ledger.ts";

/** How long one step of the end may take. */
const STEP_MS = 2_000;

const ALL_WRITTEN: UnwrittenReceipts = { spooled: 0, lost: 0 };

type CloseRuntime = Pick<Runtime, "clock" | "log">;

/** Writes what is left to the store or, where that cannot be, to the spool. Does not throw. */
export async function writeRest(
  loop: BatchCommitLoop,
  { clock, log }: CloseRuntime,
): Promise<UnwrittenReceipts> {
  // Another instance has closed its requests.
  if (loop.state === "fenced" || loop.state === "stopped") return ALL_WRITTEN;
  try {
    await loop.flush();
    return ALL_WRITTEN;
  } catch (error) {
    log.error("Ledger closes with unwritten receipts", { error: String(error) });
  }
  const isSynced = await endsWithin(loop.spoolRest(), { clock, ms: STEP_MS });
  const { spooled, lost } = loop.unwritten;
  return isSynced ? { spooled, lost } : { spooled: 0, lost: spooled + lost };
}

/** Waits for one step of the end, and goes on when that takes too long or fails. Does not throw. */
export async function endStep(
  step: string,
  { work, clock, log }: CloseRuntime & { readonly work: Promise<unknown> | undefined },
): Promise<void> {
  if (work === undefined) return;
  try {
    if (await endsWithin(work, { clock, ms: STEP_MS })) return;
    log.warn("Ledger cannot wait any longer", { name: step });
  } catch (error) {
    log.warn("Ledger cannot end a step of its own", { name: step, error: String(error) });
  }
}
