/** Deletes containers: their records and files, and the process of each, whichever instance has it. */

import type { Runtime } from "../../runtime.ts";
import type { Sandbox } from "../sandbox.ts";
import type { ContainerRow } from "./container_rows.ts";
import type { ContainerKey, ContainerStore } from "./container_store.ts";

interface ContainerRemovalDeps {
  readonly containers: ContainerStore;
  readonly sandbox: Pick<Sandbox, "containers" | "end">;
  readonly runtime: Pick<Runtime, "log">;
}

export class ContainerRemoval {
  readonly #deps: ContainerRemovalDeps;

  constructor(deps: ContainerRemovalDeps) {
    this.#deps = deps;
  }

  /** Removes one with its files, in the middle of a command too. Harmless where it is gone. Throws an ApiError. */
  async remove(key: ContainerKey): Promise<void> {
    await this.removeUnused(key, () => true);
  }

  /** Removes one that is still unused when it goes: others may have used it since it was listed. */
  async removeUnused(key: ContainerKey, isUnused: (row: ContainerRow) => boolean): Promise<boolean> {
    const { containers, sandbox } = this.#deps;
    // The record goes first: a command that waits for the end of another one finds none then.
    const isRemoved = await containers.remove(key, isUnused);
    if (isRemoved) await sandbox.end(`${key.workspaceId}/${key.id}`);
    return isRemoved;
  }

  /** Removes all of a workspace that is being deleted. */
  async removeWorkspace(workspaceId: string): Promise<void> {
    const { containers } = this.#deps;
    for (let rows = await containers.list(workspaceId); rows.length > 0;) {
      for (const { id } of rows) await this.remove({ workspaceId, id });
      rows = await containers.list(workspaceId);
    }
  }

  /** Ends what this instance runs of containers that another one has deleted. Never rejects. */
  async endDeleted(): Promise<void> {
    const { containers, sandbox, runtime: { log } } = this.#deps;
    try {
      for (const name of sandbox.containers) {
        const [workspaceId = "", id = ""] = name.split("/");
        if (await containers.find({ workspaceId, id }) === undefined) await sandbox.end(name);
      }
    } catch (error) {
      log.warn("Cannot look for deleted containers", { error: String(error) });
    }
  }
}
