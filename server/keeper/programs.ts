/** The programs that the keeper runs, each with fixed arguments and limits. */

import { fileURLToPath } from "node:url";
import type { ProgramName } from "./messages.ts";

export interface Program {
  /** What `deno` is run with. */
  readonly args: readonly string[];
  /** What fetches its packages. */
  readonly installArgs: readonly string[];
  readonly timeMs: number;
  /** Resident, in KiB. */
  readonly memoryKib: number;
  readonly outputBytes: number;
}

const MIB = 1024 * 1024;
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** No permission at all: the modules of a program are loaded without one. */
const reader: Program = {
  args: [
    "run",
    "--no-prompt",
    "--no-remote",
    "--deny-import",
    "--cached-only",
    "--frozen",
    "--no-check",
    // A heap that is full ends the program, also where its memory cannot be watched.
    "--v8-flags=--max-old-space-size=384",
    `--config=${path("../reader/child/deno.json")}`,
    path("../reader/child/main.ts"),
  ],
  installArgs: ["install", "--frozen", `--config=${path("../reader/child/deno.json")}`],
  timeMs: 10_000,
  memoryKib: 512 * 1024,
  outputBytes: 8 * MIB,
};

export const programs: Readonly<Record<ProgramName, Program>> = { reader };
