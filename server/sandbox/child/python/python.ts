/** Runs Python code on the container's files. */

import type { FileTree } from "../files/file_tree.ts";

export interface PythonRun {
  /** Those of the command `python3`. */
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface PythonResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

export interface Python {
  run(input: PythonRun): Promise<PythonResult>;
}

export interface PythonWheel {
  readonly filename: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

export interface PythonOptions {
  readonly tree: FileTree;
  readonly requestPackages: (modules: readonly string[]) => Promise<readonly PythonWheel[]>;
}

export function createPython(_options: PythonOptions): Python {
  return {
    run: () =>
      Promise.resolve({
        exitCode: 127,
        stdout: new Uint8Array(0),
        stderr: new TextEncoder().encode("python3: not here yet\n"),
      }),
  };
}
