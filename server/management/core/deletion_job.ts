/** Finishes deletions that a crash has cut off: at the start, and every 30 s on every instance. */

import type { Cancel, World } from "../../runtime.ts";
import { removeGuardrail } from "../guardrails/guardrail_deletion.ts";
import { guardrailDeletions } from "../guardrails/guardrail_rows.ts";
import { allRows } from "./pages.ts";
import { type DeletionDeps, finishDeletion } from "../workspaces/workspace_deletion.ts";
import { workspaceDeletions } from "../workspaces/workspace_rows.ts";

/** A deletion is finished within 60 s of the crash, so half of that leaves time for the work itself. */
const EVERY_MS = 30_000;
/** Deletions that are younger may still be under way on another instance, whose caller is told of the end. */
const GRACE_MS = 10_000;

export interface SweeperDeps extends DeletionDeps {
  readonly world: Pick<World, "clock" | "random" | "log">;
}

/** One round. A deletion that cannot be finished now is told of in the log, and is no reason to leave the others. */
export async function sweep(deps: SweeperDeps, { graceMs = 0 } = {}): Promise<void> {
  const now = deps.world.clock.now();
  const isLeft = ({ at }: { readonly at: string }) => now - Date.parse(at) >= graceMs;
  for (const { id } of (await allRows(workspaceDeletions(deps.store))).filter(isLeft)) {
    await tried(deps, { kind: "workspace", id, finish: () => finishDeletion(deps, { id }) });
  }
  for (const { id } of (await allRows(guardrailDeletions(deps.store))).filter(isLeft)) {
    await tried(deps, { kind: "guardrail", id, finish: () => removeGuardrail(deps, id) });
  }
}

interface Tried {
  readonly kind: "workspace" | "guardrail";
  readonly id: string;
  readonly finish: () => Promise<unknown>;
}

async function tried({ world: { log } }: SweeperDeps, { kind, id, finish }: Tried): Promise<void> {
  const fields = kind === "workspace" ? { kind, workspace: id } : { kind };
  try {
    await finish();
    log.info("A deletion that was cut off is finished", fields);
  } catch (error) {
    log.warn("A deletion cannot be finished yet", { ...fields, error: String(error) });
  }
}

export interface Sweeper {
  /** Resolves when no round is under way and none will be. */
  readonly stop: () => Promise<void>;
}

/** The first round is over when the promise resolves. Throws a StoreError when the store does not answer then. */
export async function startSweeper(deps: SweeperDeps): Promise<Sweeper> {
  const { clock, log } = deps.world;
  await sweep(deps);
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let cancel: Cancel = () => {};
  const round = () => {
    running = sweep(deps, { graceMs: GRACE_MS })
      .catch((error: unknown) => log.warn("Deletions cannot be looked for", { error: String(error) }))
      .finally(() => {
        if (!stopped) cancel = clock.after(EVERY_MS, round);
      });
  };
  cancel = clock.after(EVERY_MS, round);
  return {
    stop: () => {
      stopped = true;
      cancel();
      return running;
    },
  };
}
