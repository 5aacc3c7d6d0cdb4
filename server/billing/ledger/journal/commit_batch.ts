/** One try to commit a journal batch. */

import type { Clock, Logger } from "../../../runtime.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import type { PreparedBatch } from "./batch_builder.ts";
import { batchIdOf } from "./journal_batch.ts";

export interface CommitObserver {
  /** Is told of each commit that has succeeded: of how many requests, and how many ms it took. */
  readonly onCommit?: (commit: { readonly requests: number; readonly ms: number }) => void;
}

interface CommitTry extends CommitObserver {
  readonly store: Store;
  readonly log: Logger;
  readonly clock: Pick<Clock, "monotonic">;
  /** Together with what others want written with it. */
  readonly whole: boolean;
}

/** `fenced`: another instance's batch stands in its place. `refused`: the store never takes it. */
type CommitOutcome = "landed" | "fenced" | "refused" | "failed";

export async function commitBatch(
  batch: PreparedBatch,
  { store, log, clock, onCommit, whole }: CommitTry,
): Promise<CommitOutcome> {
  const puts = whole ? [...batch.puts, ...batch.extra] : batch.puts;
  try {
    const checks = [{ key: batch.key, version: null }];
    const began = clock.monotonic();
    const result = await store.commit({ checks, puts, small: true });
    if (result.type === "ok") onCommit?.({ requests: batch.items.length, ms: clock.monotonic() - began });
    return result.type === "ok" ? "landed" : await outcomeOf(batch, store);
  } catch (error) {
    const kind = error instanceof StoreError ? error.kind : undefined;
    const ours = kind === "invalid" || kind === "too_large";
    if (!ours) log.warn("Ledger commit failed", { error: String(error) });
    if (ours) log.error("Store rejected ledger commit", { error: String(error) });
    return ours ? "refused" : "failed";
  }
}

/** Owner of the batch that stands where ours should: our own, when the reply to its commit was lost. */
async function outcomeOf({ key, id }: PreparedBatch, store: Store): Promise<CommitOutcome> {
  const entry = await store.get(key);
  if (!entry) return "failed";
  return batchIdOf(entry) === id ? "landed" : "fenced";
}
