/** Finishes deletions that a crash has cut off: at the start, and every 30 s on every instance. */

import { PeriodicJob } from "../../../shared/util/periodic_job.ts";
import type { Runtime } from "../../runtime.ts";
import { removeGuardrail } from "../guardrails/guardrail_deletion.ts";
import { guardrailDeletions } from "../guardrails/guardrail_rows.ts";
import { readAllRecords } from "./pages.ts";
import { finishDeletion, type WorkspaceDeletionDeps } from "../workspaces/workspace_deletion.ts";
import { workspaceDeletions } from "../workspaces/workspace_rows.ts";

/** A deletion is finished within 60 s of the crash, so half of that leaves time for the work itself. */
const EVERY_MS = 30_000;
/** Deletions that are younger may still be under way on another instance, whose caller is told of the end. */
const GRACE_MS = 10_000;

interface DeletionJobDeps extends WorkspaceDeletionDeps {
  readonly runtime: Pick<Runtime, "clock" | "random" | "log">;
}

/** One round. A deletion that cannot be finished now is told of in the log, and is no reason to leave the others. */
export async function runDeletions(deps: DeletionJobDeps, { graceMs = 0 } = {}): Promise<void> {
  const now = deps.runtime.clock.now();
  const isLeft = ({ at }: { readonly at: string }) => now - Date.parse(at) >= graceMs;
  for (const { id } of (await readAllRecords(workspaceDeletions(deps.store))).filter(isLeft)) {
    await finishOrLog(deps, { kind: "workspace", id, finish: () => finishDeletion(deps, { id }) });
  }
  for (const { id } of (await readAllRecords(guardrailDeletions(deps.store))).filter(isLeft)) {
    await finishOrLog(deps, { kind: "guardrail", id, finish: () => removeGuardrail(deps, id) });
  }
}

interface PendingDeletion {
  readonly kind: "workspace" | "guardrail";
  readonly id: string;
  readonly finish: () => Promise<unknown>;
}

async function finishOrLog(
  { runtime: { log } }: DeletionJobDeps,
  { kind, id, finish }: PendingDeletion,
): Promise<void> {
  const fields = kind === "workspace" ? { kind, workspace: id } : { kind };
  try {
    await finish();
    log.info("Interrupted deletion finished", fields);
  } catch (error) {
    log.warn("Cannot finish deletion yet", { ...fields, error: String(error) });
  }
}

/**
 * Returns what ends it. The first round is over when the promise resolves. Throws a StoreError when the store does not
 * answer then.
 */
export async function startDeletionJob(deps: DeletionJobDeps): Promise<() => Promise<void>> {
  await runDeletions(deps);
  const job = new PeriodicJob({
    runtime: deps.runtime,
    everyMs: EVERY_MS,
    step: () => runDeletions(deps, { graceMs: GRACE_MS }),
    failure: "Cannot list pending deletions",
  });
  return () => job.close();
}
