/** Puts together what runs the commands of models. */

import type { Config } from "./config/config.ts";
import { type ContainerService, createContainerService } from "./containers/container_service.ts";
import type { FileStore } from "./files/file_store.ts";
import type { GuardedFetch } from "./fetch/guarded_fetch.ts";
import { type Keeper, unavailableKeeper } from "./keeper/keeper.ts";
import { workspaceCheck } from "./management/files/file_scope.ts";
import { VirtualSandbox } from "./sandbox/virtual_sandbox.ts";
import type { BlobStore } from "./blobs/blob_store.ts";
import type { Runtime } from "./runtime.ts";
import type { Store } from "./stores/store.ts";

export interface ContainerParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly files: FileStore;
  readonly blobs: BlobStore | undefined;
  readonly keeper: Keeper | undefined;
  readonly webFetch: GuardedFetch;
}

export async function createContainers(parts: ContainerParts): Promise<ContainerService> {
  const { config: { sandbox: settings, limits }, runtime, store, files, webFetch } = parts;
  const { processes, spare, memoryMib, keepMs } = settings;
  const sandbox = new VirtualSandbox({
    keeper: parts.keeper ?? unavailableKeeper("This gateway runs without a keeper."),
    clock: runtime.clock,
    log: runtime.log,
    processes,
    spare,
    memoryMib,
    fetchPage: ({ url, allows, signal }) => webFetch({ url, allows, signal, accepts: () => true }),
    findWheels: () => Promise.reject(new Error("There are no further packages here.")),
  });
  return await createContainerService({
    store,
    files,
    runtime,
    sandbox,
    limits,
    keepMs,
    switchedOff: switchedOff(parts),
    workspaceCheck: (workspaceId) => workspaceCheck(store, workspaceId),
  });
}

function switchedOff({ config, blobs }: ContainerParts): string | undefined {
  if (config.deploy) return "On Deno Deploy no commands can be run.";
  if (config.sandbox.engine === "off") return "The operator has switched containers off (TOLLGATE_SANDBOX).";
  return blobs === undefined
    ? "This gateway has no place for files: its operator has to set TOLLGATE_BLOBS."
    : undefined;
}
