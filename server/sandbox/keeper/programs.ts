/** The programs that the keeper runs, each with fixed arguments and limits. */

import { fileURLToPath } from "node:url";
import type { ProgramName, SessionProgramName } from "./messages.ts";

interface ProgramBase {
  /** Arguments that fetch its packages. */
  readonly installArgs: readonly string[];
  /** Above the keeper's own, up to 19 for the lowest priority. */
  readonly niceness: number;
}

export interface Program extends ProgramBase {
  /** Arguments that `deno` is run with. */
  readonly args: readonly string[];
  /** Time limit of the processor, in ms. */
  readonly timeMs: number;
  /** Resident, in KiB. */
  readonly memoryKib: number;
  readonly outputBytes: number;
}

export interface SessionProgram extends ProgramBase {
  readonly args: (options: SessionProgramOptions) => readonly string[];
  /** Time limit of the processor from its start to its first frame, in ms. */
  readonly startMs: number;
  /** Time limit of the processor while it has nothing to do, in ms. */
  readonly idleWorkMs: number;
}

export interface SessionProgramOptions {
  readonly memoryMib: number;
  /** Where Deno keeps packages. */
  readonly denoDir: string;
}

const MIB = 1024 * 1024;
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** No permission but those named: the modules of a program are loaded without one. */
const confined = [
  "run",
  "--no-prompt",
  "--no-remote",
  "--deny-import",
  "--cached-only",
  "--frozen",
  "--no-check",
] as const;

const readerConfig = `--config=${path("../../web/reader/child/deno.json")}`;

const reader: Program = {
  args: [
    ...confined,
    // A heap that is full ends the program, also where its memory cannot be watched.
    "--v8-flags=--max-old-space-size=384",
    readerConfig,
    path("../../web/reader/child/main.ts"),
  ],
  installArgs: ["install", "--frozen", readerConfig],
  niceness: 10,
  timeMs: 10_000,
  memoryKib: 512 * 1024,
  outputBytes: 8 * MIB,
};

export const programs: Readonly<Record<ProgramName, Program>> = { reader };

const sandboxConfig = `--config=${path("../child/deno.json")}`;
/** Most memory in which V8 makes new objects: as large as it is by itself, or a small part of the whole. */
const MAX_SEMI_SPACE_MIB = 16;
const SEMI_SPACES = 64;
/** Number of pages of 64 KiB. */
const WASM_PAGES_PER_MIB = 16;

/** Pyodide reads its interpreter as files. */
const readsPyodide = (denoDir: string) =>
  packageFolders(denoDir, "pyodide").map((folder) => `--allow-read=${folder}`);

const sandbox: SessionProgram = {
  args: ({ memoryMib, denoDir }) => [
    ...confined,
    // Heap and WebAssembly end at these also where memory cannot be watched; typed arrays do not.
    // Memory is given back when it is collected, which the program asks for, and before it goes on.
    `--v8-flags=${
      [
        "--expose-gc",
        "--no-concurrent-array-buffer-sweeping",
        "--memory-pool-timeout=0",
        `--max-semi-space-size=${Math.min(MAX_SEMI_SPACE_MIB, Math.ceil(memoryMib / SEMI_SPACES))}`,
        `--max-old-space-size=${memoryMib}`,
        `--wasm-max-mem-pages=${memoryMib * WASM_PAGES_PER_MIB}`,
      ].join()
    }`,
    ...readsPyodide(denoDir),
    sandboxConfig,
    path("../child/main.ts"),
    String(memoryMib),
  ],
  installArgs: ["install", "--frozen", sandboxConfig],
  niceness: 19,
  startMs: 30_000,
  idleWorkMs: 5_000,
};

/** Makes what containers start Python with (server/sandbox/python/start_memory.ts). The gateway cannot ask for it. */
export const startMemoryProgram = (denoDir: string): Omit<Program, "installArgs"> => ({
  args: [
    ...confined,
    "--v8-flags=--expose-gc",
    ...readsPyodide(denoDir),
    sandboxConfig,
    path("../child/python/make_start_memory.ts"),
  ],
  niceness: 19,
  timeMs: 30_000,
  memoryKib: 512 * 1024,
  outputBytes: 64 * MIB,
});

/** Programs that `deno` runs; the programs of `bubblewrap` are in server/sandbox/bubblewrap/. */
export const sessionPrograms: Readonly<Record<DenoSessionName, SessionProgram>> = { sandbox };

export type DenoSessionName = Exclude<SessionProgramName, "bubblewrap">;

/** Where Deno keeps a package: below a folder for each registry, none where none is there yet. */
export function packageFolders(denoDir: string, name: string): readonly string[] {
  try {
    // As Deno names the files of a package, whatever links lead to it.
    const npm = Deno.realPathSync(`${denoDir}/npm`);
    const registries = [...Deno.readDirSync(npm)].filter(({ isDirectory }) => isDirectory);
    return registries.map((registry) => `${npm}/${registry.name}/${name}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
