/** The engines that run commands. */

import type { Clock, Logger } from "../runtime.ts";
import { BoxProcess } from "./bubblewrap/box_process.ts";
import { BoxSession } from "./bubblewrap/box_session.ts";
import { trySandbox, withBox } from "./bubblewrap/try_sandbox.ts";
import { unpackWheel } from "./bubblewrap/wheels/unpack_wheel.ts";
import { ChosenSandbox, type Trial } from "./chosen_sandbox.ts";
import { ContainerProcess } from "./container_process.ts";
import type { Keeper } from "./keeper/keeper.ts";
import type { OpenTunnel } from "./bubblewrap/network/command_proxy.ts";
import type { FetchPage, FindWheels } from "./process_calls.ts";
import type { WheelFiles } from "./python/wheel_files.ts";
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
  /** Packages of Python for the engine `bubblewrap`; absent: none. */
  readonly wheels?: WheelFiles;
  /** Settings that the file has and that are for one engine alone. */
  readonly settings?: Readonly<Record<EngineName, readonly string[]>>;
}

/** Makes the sandbox; the engine `bubblewrap` is tried at once, where it is wanted. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { engine, log, settings = { bubblewrap: [], virtual: [] } } = options;
  return new ChosenSandbox({
    log,
    settings,
    bubblewrap: engine === "virtual" ? undefined : {
      sandbox: bubblewrapSandbox(options),
      tryIt: (signal) => tryBubblewrap(options, signal),
    },
    virtual: engine === "bubblewrap" ? undefined : virtualSandbox(options),
  });
}

/** Also unpacks the packages of Python, so that the first container has them. */
async function tryBubblewrap(options: SandboxOptions, signal: AbortSignal): Promise<Trial> {
  const { wheels, log } = options;
  const trial = await trySandbox({ ...options, signal });
  if (trial.fault !== undefined || wheels === undefined || wheels.isEmpty) return trial;
  try {
    if (trial.python === undefined) throw new Error("there is no python3");
    await wheels.install({
      python: trial.python,
      unpack: (wheel) => withBox(options, { signal, use: (session) => unpackWheel(session, wheel) }),
    });
  } catch (error) {
    if (!signal.aborted) log.error("Wheels of Python cannot be unpacked", { error: String(error) });
  }
  return trial;
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
