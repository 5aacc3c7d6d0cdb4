/** The engines that run commands. */

import type { Clock, Logger } from "../runtime.ts";
import { BoxProcess } from "./bubblewrap/box_process.ts";
import { BoxSession } from "./bubblewrap/box_session.ts";
import { trySandbox } from "./bubblewrap/try_sandbox.ts";
import { ChosenSandbox } from "./chosen_sandbox.ts";
import { ContainerProcess } from "./container_process.ts";
import type { Keeper } from "./keeper/keeper.ts";
import type { OpenTunnel } from "./bubblewrap/network/command_proxy.ts";
import type { FetchPage, FindWheels } from "./process_calls.ts";
import { ProcessPool } from "./process_pool.ts";
import { ProcessSession } from "./process_session.ts";
import type { CommandSandbox, EngineName, Sandbox } from "./sandbox.ts";

export interface SandboxOptions {
  /** `auto`: bubblewrap where all of its walls stand, else virtual. */
  readonly engine: EngineName | "auto";
  readonly keeper: Keeper;
  readonly clock: Clock;
  readonly log: Logger;
  readonly fetchPage: FetchPage;
  readonly openTunnel: OpenTunnel;
  readonly findWheels: FindWheels;
  /** At the same time. */
  readonly processes: number;
  /** Whether a process of the engine `virtual` is kept ready once containers have been used. */
  readonly spare: boolean;
  /** Memory of one process, in MiB. */
  readonly memoryMib: number;
}

/** Makes the sandbox; the engine `bubblewrap` is tried at once, where it is wanted. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { engine, log } = options;
  return new ChosenSandbox({
    log,
    bubblewrap: engine === "virtual" ? undefined : {
      sandbox: bubblewrapSandbox(options),
      tryIt: (signal) => trySandbox({ ...options, signal }),
    },
    virtual: engine === "bubblewrap" ? undefined : virtualSandbox(options),
  });
}

/** just-bash and Pyodide in processes of their own. */
function virtualSandbox(options: SandboxOptions): CommandSandbox {
  return new ProcessPool({
    ...options,
    engine: {
      start: () => new ProcessSession(options),
      use: (session, input) => new ContainerProcess({ ...options, session, ...input }),
    },
  });
}

/** The programs of this system in namespaces of Linux. They start at once: none is kept ready. */
function bubblewrapSandbox(options: SandboxOptions): CommandSandbox {
  return new ProcessPool({
    ...options,
    spare: false,
    engine: {
      start: () => new BoxSession(options),
      use: (session, input) => new BoxProcess({ ...options, session, ...input }),
    },
  });
}
