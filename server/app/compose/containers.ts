/** Puts together what runs the commands of models. */

import type { Config } from "../../config/config.ts";
import { type ContainerService, createContainerService } from "../../sandbox/containers/container_service.ts";
import { containerRetentionJob } from "../../sandbox/containers/container_retention.ts";
import type { CacheVersions } from "../../management/core/cache_versions.ts";
import type { ManagementDeps } from "../../management/core/management_deps.ts";
import type { FileLimits } from "../../storage/files/file_limits.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import { FetchError } from "../../web/fetch/fetch_error.ts";
import type { GuardedFetch } from "../../web/fetch/guarded_fetch.ts";
import type { GuardedTunnel } from "../../web/fetch/guarded_tunnel.ts";
import { RequestRefused } from "../../sandbox/allowed_requests.ts";
import { type Keeper, unavailableKeeper } from "../../sandbox/keeper/keeper.ts";
import { workspaceCheck } from "../../management/files/file_scope.ts";
import { DEFAULT_INDEX, pyodideLock } from "../../sandbox/python/packages.ts";
import { PythonPackages } from "../../sandbox/python/python_packages.ts";
import { createSandbox, type SandboxOptions } from "../../sandbox/engines.ts";
import { WheelFiles, wheelsFolder } from "../../sandbox/python/wheel_files.ts";
import type { SandboxSettings } from "../../config/sandbox_settings.ts";
import type { BlobStore } from "../../storage/blobs/blob_store.ts";
import type { Runtime } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Forwarding } from "../forwarding/create_forwarding.ts";

interface ContainerParts extends Pick<Forwarding, "leases" | "instances"> {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly files: FileStore;
  readonly blobs: BlobStore | undefined;
  readonly keeper: Keeper | undefined;
  readonly webFetch: GuardedFetch;
  readonly webTunnel: GuardedTunnel;
  readonly limits: FileLimits;
  readonly cacheVersions: Pick<CacheVersions, "put" | "on">;
}

export async function createContainers(parts: ContainerParts): Promise<ContainerService> {
  const { config: { sandbox: settings }, limits, runtime, store, files, webFetch, webTunnel } = parts;
  const { leases, instances, cacheVersions } = parts;
  const { processes, spare, memoryMib, keepMs } = settings;
  const packages = createPythonPackages(parts);
  const sandbox = createSandbox({
    engine: settings.engine === "off" ? "virtual" : settings.engine,
    keeper: parts.keeper ?? unavailableKeeper("This gateway runs without a keeper."),
    clock: runtime.clock,
    log: runtime.log,
    processes,
    spare,
    memoryMib,
    fetchPage: (input) => refusing(webFetch({ ...input, accepts: () => true })),
    openTunnel: (input) => refusing(webTunnel(input)),
    wheels: new WheelFiles({
      wheels: settings.wheels,
      folder: wheelsFolder(parts.config.dataFolder),
      log: runtime.log,
    }),
    settings: engineSettings(settings),
    findWheels: (module) => packages.find(module),
  });
  const containers = await createContainerService({
    store,
    files,
    runtime,
    sandbox,
    limits,
    keepMs,
    leases,
    instances,
    switchedOff: switchedOff(parts),
    workspaceCheck: (workspaceId) => workspaceCheck(store, workspaceId),
    deletionSignal: leases && (() => cacheVersions.put("containers")),
  });
  if (leases !== undefined) cacheVersions.on("containers", () => containers.removal.endDeleted());
  return containers;
}

/** Tells what the rules for addresses forbid from what the network does not bring. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isForbidden = error instanceof FetchError &&
      (error.kind === "forbidden_host" || error.kind === "invalid_url");
    throw isForbidden ? new RequestRefused(error.message, { cause: error }) : error;
  }
}

/** The settings of the file that one engine alone has. */
function engineSettings(settings: SandboxSettings): SandboxOptions["settings"] {
  const { root, wheels, arePackagesNamed, pythonIndex } = settings;
  return {
    bubblewrap: [
      ...root === undefined ? [] : ["sandbox.root"],
      ...wheels.length === 0 ? [] : ["sandbox.python_wheels"],
    ],
    virtual: [
      ...arePackagesNamed ? ["sandbox.python_packages"] : [],
      ...pythonIndex === undefined ? [] : ["sandbox.python_index"],
    ],
  };
}

/** Composes the packages that Python may import in containers, besides its standard library. */
export function createPythonPackages(
  { config, runtime }: Pick<ContainerParts, "config" | "runtime">,
): PythonPackages {
  const { sandbox: { pythonPackages, pythonIndex = DEFAULT_INDEX }, dataFolder } = config;
  const { fetch, clock, log } = runtime;
  return new PythonPackages({
    lock: pyodideLock(),
    allowed: pythonPackages,
    index: pythonIndex,
    folder: `${dataFolder}/python`,
    fetch,
    clock,
    log,
  });
}

function switchedOff({ config, blobs }: ContainerParts): string | undefined {
  if (config.deploy) return "On Deno Deploy no commands can be run.";
  if (config.sandbox.engine === "off") {
    return "The operator has switched containers off (TOLLGATE_SANDBOX or sandbox.engine).";
  }
  return blobs === undefined
    ? "This gateway has no place for files: its operator has set TOLLGATE_BLOBS to off."
    : undefined;
}

/** Removes containers that are over. Returns what ends that, and every process of a container. */
export function startContainerUpkeep(
  { containers, runtime }: Pick<ManagementDeps, "containers" | "runtime">,
): () => Promise<void> {
  const retention = containerRetentionJob({ containers, runtime });
  return async () => {
    await retention.close();
    await containers.close();
  };
}
