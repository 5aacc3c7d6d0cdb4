/** Keeps the memory of an interpreter of Python that has started, for the processes of containers to come. */

import type { Clock } from "../../runtime.ts";
import { PYODIDE_VERSION } from "../python/pyodide_version.ts";
import { START_MEMORY_FILE } from "../python/start_memory.ts";
import { ChildRun } from "./child_run.ts";
import { packageFolders, startMemoryProgram } from "./programs.ts";

interface PythonStartOptions {
  readonly denoDir: string;
  readonly clock: Clock;
}

export class PythonStart {
  #maker: ChildRun | undefined;
  #isTried = false;

  /** Makes the file where it is not there, once in a keeper's life. Without it each process starts Python by itself. */
  keep(options: PythonStartOptions): void {
    if (this.#isTried) return;
    this.#isTried = true;
    this.#make(options).catch(() => {
      // The system starts no more programs.
    });
  }

  async #make({ denoDir, clock }: PythonStartOptions): Promise<void> {
    const files = packageFolders(denoDir, "pyodide")
      .map((folder) => `${folder}/${PYODIDE_VERSION}`)
      .filter(exists)
      .map((folder) => `${folder}/${START_MEMORY_FILE}`);
    if (files.every(exists)) return;
    this.#maker = new ChildRun({
      program: startMemoryProgram(denoDir),
      input: new Uint8Array(0),
      env: { DENO_DIR: denoDir },
      clock,
    });
    const { outcome, output } = await this.#maker.result;
    if (outcome === "done") files.forEach((file) => writeWhole(file, output));
  }

  stop(): void {
    this.#maker?.kill("stopped");
  }
}

/** Whole or not at all, also when the power fails: others may read it in this moment, or write it, too. */
function writeWhole(file: string, content: Uint8Array): void {
  const unfinished = `${file}.${Deno.pid}`;
  try {
    writeToDisk(unfinished, content);
    Deno.renameSync(unfinished, file);
  } catch (_error) {
    // Deno's cache is read-only here, or the disk is full.
    removeIfThere(unfinished);
  }
}

function writeToDisk(file: string, content: Uint8Array): void {
  using handle = Deno.openSync(file, { write: true, create: true, truncate: true });
  for (let offset = 0; offset < content.length;) offset += handle.writeSync(content.subarray(offset));
  handle.syncSync();
}

function removeIfThere(file: string): void {
  try {
    Deno.removeSync(file);
  } catch (_error) {
    // It was not begun.
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (_error) {
    // It cannot be read either, where it is there.
    return false;
  }
}
