/** Settings of the configuration file for containers, `sandbox` (docs/containers.md). */

import { dirname, isAbsolute, join, normalize } from "node:path";
import * as z from "zod";
import { strictObject } from "./strict_object.ts";

/** `auto` is `bubblewrap` where every wall of it stands, and else `virtual`. */
export const sandboxEngines = ["auto", "bubblewrap", "virtual", "off"] as const;
export type SandboxEngine = (typeof sandboxEngines)[number];

const packageName = z.string().regex(
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/,
  "the name of a Python package",
);

const absolutePath = z.string().max(1_024).refine(
  (text) => isAbsolute(text) && !/[\0\n]/.test(text) && normalize(text) === text && text.length > 1,
  "an absolute path without . and .., and without a slash at its end",
);

const wheel = strictObject({
  /** Beside the configuration file. */
  file: z.string().regex(/\.whl$/, "the path of a file that ends in .whl"),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits, in small letters"),
});

export const sandboxSchema = strictObject({
  /** Runs the commands of models. */
  engine: z.enum(sandboxEngines).default("auto"),
  /** Folder with a root file system whose programs run in the engine bubblewrap, instead of this system's. */
  root: absolutePath.optional(),
  /** Packages of Python in the engine bubblewrap. */
  python_wheels: z.array(wheel).max(500).optional(),
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
  /** Folder with the root file system of the engine bubblewrap; undefined: this system's. */
  readonly root?: string;
  /** Packages of Python for the engine bubblewrap: files with their check sums. */
  readonly wheels: readonly { readonly path: string; readonly sha256: string }[];
}

interface SandboxOptions {
  /** That of the environment; undefined: that of the file. */
  readonly engine: SandboxEngine | undefined;
  /** Path of the configuration file. */
  readonly configFile: string | undefined;
  /** Deno Deploy starts no programs. */
  readonly deploy: boolean;
}

const DAY_MS = 86_400_000;
const PROCESSES_PER_CORE = 2;
const DEFAULT_PACKAGES = ["numpy", "pandas", "matplotlib"] as const;

export function parseSandbox(
  file: z.output<typeof sandboxSchema>,
  { engine, deploy, configFile }: SandboxOptions,
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
    root: file.root,
    wheels: (file.python_wheels ?? []).map(({ file: path, sha256 }) => ({
      path: isAbsolute(path) || configFile === undefined ? path : join(dirname(configFile), path),
      sha256,
    })),
  };
}
