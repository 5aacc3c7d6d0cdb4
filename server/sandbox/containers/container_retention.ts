/** Deletes containers that nobody has used for long: once an hour, the first time a minute after the start. */

import type { Cancel, Runtime } from "../../runtime.ts";
import type { ContainerRow } from "./container_rows.ts";
import type { ContainerService } from "./container_service.ts";

export interface ContainerRetentionDeps {
  readonly containers: Pick<ContainerService, "store" | "keepMs" | "removeUnused">;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

/** One round over all containers; counts those that were deleted. */
export async function removeOldContainers({ containers, runtime }: ContainerRetentionDeps): Promise<number> {
  const before = runtime.clock.now() - containers.keepMs;
  let removed = 0;
  const isUnused = ({ last_used_at }: ContainerRow) => Date.parse(last_used_at) <= before;
  for await (const row of containers.store.all()) {
    if (!isUnused(row)) continue;
    const { id, workspace_id: workspaceId } = row;
    if (await containers.removeUnused({ workspaceId, id }, isUnused)) removed++;
  }
  return removed;
}

export class ContainerRetention {
  readonly #deps: ContainerRetentionDeps;
  #cancel: Cancel;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: ContainerRetentionDeps) {
    this.#deps = deps;
    this.#cancel = this.#after(FIRST_MS);
  }

  /** Waits for a round that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#running;
  }

  #after(ms: number): Cancel {
    return this.#deps.runtime.clock.after(ms, () => {
      this.#running = this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { log } = this.#deps.runtime;
    try {
      const removed = await removeOldContainers(this.#deps);
      if (removed > 0) log.info("Old containers removed", { count: removed });
    } catch (error) {
      if (!this.#isClosed) log.warn("Cannot remove old containers yet", { error: String(error) });
    }
    if (!this.#isClosed) this.#cancel = this.#after(EVERY_MS);
  }
}
