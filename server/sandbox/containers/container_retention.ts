/** Deletes containers that nobody has used for long: once an hour, the first time a minute after the start. */

import { PeriodicJob } from "../../../shared/util/periodic_job.ts";
import type { Runtime } from "../../runtime.ts";
import type { ContainerRow } from "./container_rows.ts";
import type { ContainerService } from "./container_service.ts";

interface ContainerRetentionDeps {
  readonly containers: Pick<ContainerService, "store" | "keepMs" | "removal">;
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
    if (await containers.removal.removeUnused({ workspaceId, id }, isUnused)) removed++;
  }
  return removed;
}

export function containerRetentionJob(deps: ContainerRetentionDeps): PeriodicJob {
  const { runtime } = deps;
  return new PeriodicJob({
    runtime,
    firstMs: FIRST_MS,
    everyMs: EVERY_MS,
    step: async () => {
      const count = await removeOldContainers(deps);
      if (count > 0) runtime.log.info("Old containers removed", { count });
    },
    failure: "Cannot remove old containers yet",
  });
}
