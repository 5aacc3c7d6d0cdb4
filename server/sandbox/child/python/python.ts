/** Python in the process of a container: Pyodide, which is loaded with the first run. */

import type { PyodideAPI } from "pyodide";
import * as z from "zod";
import { Memo } from "../../../../shared/util/memo.ts";
import { HOME } from "../../messages.ts";
import type { FileTree } from "../files/file_tree.ts";
import { CapturedOutput, inputReader } from "./captured_output.ts";
import { asEmscriptenFs, type EmscriptenFs } from "./emscripten.ts";
import { RUNNER } from "./runner.ts";
import { mountTree } from "./tree_mount.ts";

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
  /** The wheels of modules that are not there. Rejects with a sentence for the model where there are none. */
  readonly requestPackages: (modules: readonly string[]) => Promise<readonly PythonWheel[]>;
}

/** Bytes of an output that are kept; much less of it is shown. */
const MAX_CAPTURED = 32 * 1024 * 1024;
/** Folders that Python shares with the shell. */
const shared = [HOME, "/tmp"] as const;

/** The runner, as JavaScript calls it. */
interface Runner {
  callPromising(...args: readonly unknown[]): Promise<unknown>;
}

export function createPython(options: PythonOptions): Python {
  const interpreter = new Memo(() => Interpreter.load(options));
  return { run: async (input) => await (await interpreter.get()).run(input) };
}

class Interpreter implements Python {
  readonly #pyodide: PyodideAPI;
  readonly #runner: Runner;
  readonly #fs: EmscriptenFs;
  readonly #options: PythonOptions;
  readonly #installed = new Set<string>();
  #isMounted = false;

  constructor(pyodide: PyodideAPI, options: PythonOptions) {
    this.#pyodide = pyodide;
    this.#options = options;
    this.#fs = asEmscriptenFs(pyodide.FS);
    this.#runner = asRunner(
      pyodide.runPython(RUNNER, {
        filename: "<runner>",
        globals: asGlobals(pyodide.toPy({ __name__: "runner" })),
      }),
    );
  }

  static async load(options: PythonOptions): Promise<Interpreter> {
    const { loadPyodide } = await import("pyodide");
    return new Interpreter(await loadPyodide({ env: { HOME } }), options);
  }

  async run({ args, stdin, cwd, env }: PythonRun): Promise<PythonResult> {
    const [stdout, stderr] = [new CapturedOutput(MAX_CAPTURED), new CapturedOutput(MAX_CAPTURED)];
    this.#pyodide.setStdin({ read: inputReader(stdin) });
    this.#pyodide.setStdout({ write: stdout.write });
    this.#pyodide.setStderr({ write: stderr.write });
    this.#mount();
    const install = (name: string) => this.#install(name);
    const exitCode = z.number().parse(
      await this.#runner.callPromising(this.#pyodide.toPy(args), this.#pyodide.toPy(env), cwd, install),
    );
    return { exitCode, stdout: stdout.bytes, stderr: stderr.bytes };
  }

  /** The shell may have changed files since the last run, and nodes are remembered. */
  #mount(): void {
    for (const path of shared) {
      if (this.#isMounted) this.#fs.unmount(path);
      mountTree(this.#fs, { tree: this.#options.tree, path });
    }
    this.#isMounted = true;
  }

  /** Empty where the module can be had now, or nobody knows it; else what is wrong, for the model. */
  async #install(name: string): Promise<string> {
    try {
      for (const { filename, content } of await this.#options.requestPackages([name])) {
        if (this.#installed.has(filename)) continue;
        this.#pyodide.unpackArchive(content, "wheel");
        this.#installed.add(filename);
      }
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

function asRunner(value: unknown): Runner {
  return value as Runner;
}

function asGlobals(value: unknown): NonNullable<Parameters<PyodideAPI["runPython"]>[1]>["globals"] {
  return value as NonNullable<Parameters<PyodideAPI["runPython"]>[1]>["globals"];
}
