/** Settings of the configuration file for containers, `sandbox` (docs/containers.md). */

import * as z from "zod";
import { strictObject } from "./strict_object.ts";

/** `auto` is `bubblewrap` where every wall of it stands, and else `virtual`. */
export const sandboxEngines = ["auto", "bubblewrap", "virtual", "off"] as const;
export type SandboxEngine = (typeof sandboxEngines)[number];

const packageName = z.string().regex(
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/,
  "the name of a Python package",
);

export const sandboxSchema = strictObject({
  /** Runs the commands of models. */
  engine: z.enum(sandboxEngines).default("auto"),
  /** Processes at the same time; by default twice the number of cores. */
  processes: z.int().min(1).max(256).optional(),
  /** Whether one process is kept ready once containers have been used. */
  spare: z.enum(["on", "off"]).default("on"),
  /** Memory of a process, in MiB. */
  memory_mib: z.int().min(128).max(4_096).default(512),
  /** Days after its last use that a container is deleted. */
  keep_days: z.number().positive().max(3_650).default(30),
  /** Packages that Python may import besides its standard library. */
  python_packages: z.array(packageName).max(100).optional(),
  /** Where their files are, instead of the address of Pyodide's distribution. */
  python_index: z.string().refine(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
    "an http or https address",
  ).optional(),
});

export interface SandboxSettings {
  readonly engine: SandboxEngine;
  readonly processes: number;
  readonly spare: boolean;
  readonly memoryMib: number;
  /** Milliseconds. */
  readonly keepMs: number;
  readonly pythonPackages: readonly string[];
  /** The configuration file names them; they are not the default. */
  readonly arePackagesNamed: boolean;
  readonly pythonIndex?: string;
}

interface SandboxOptions {
  /** That of the environment; undefined: that of the file. */
  readonly engine: SandboxEngine | undefined;
  /** Deno Deploy starts no programs. */
  readonly deploy: boolean;
}

const DAY_MS = 86_400_000;
const PROCESSES_PER_CORE = 2;
const DEFAULT_PACKAGES = ["numpy", "pandas", "matplotlib"] as const;

export function parseSandbox(
  file: z.output<typeof sandboxSchema>,
  { engine, deploy }: SandboxOptions,
): SandboxSettings {
  return {
    engine: deploy ? "off" : engine ?? file.engine,
    processes: file.processes ?? PROCESSES_PER_CORE * navigator.hardwareConcurrency,
    spare: file.spare === "on",
    memoryMib: file.memory_mib,
    keepMs: file.keep_days * DAY_MS,
    pythonPackages: file.python_packages ?? DEFAULT_PACKAGES,
    arePackagesNamed: file.python_packages !== undefined,
    pythonIndex: file.python_index,
  };
}
