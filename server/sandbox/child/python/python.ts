/** Python in the process of a container: Pyodide, which is loaded with the first run. */

import type { PythonWheel } from "../../python_wheel.ts";
import process from "node:process";
import type { PyodideAPI } from "pyodide";
import * as z from "zod";
import { Memo } from "../../../../shared/util/memo.ts";
import { HOME } from "../../messages.ts";
import type { Clock } from "../../../runtime.ts";
import type { CommandTime } from "../command_time.ts";
import type { FileTree } from "../files/file_tree.ts";
import { collectLater } from "../garbage.ts";
import type { MemoryRoom } from "../memory_room.ts";
import type { OutputName } from "../printed_output.ts";
import { CapturedOutput, inputReader } from "./captured_output.ts";
import { endOf, splitStack } from "./crashes.ts";
import { asEmscriptenFs } from "./emscripten.ts";
import { Interpreters, toInner } from "./interpreters.ts";
import { interruptAt } from "./interrupts.ts";
import { LoopSteps } from "./loop_steps.ts";
import { RUNNER } from "./runner.ts";
import { mountTree } from "./tree_mount.ts";

interface PythonInput {
  readonly cwd: string;
  /** Names and values. */
  readonly env: readonly (readonly [string, string])[];
  /** Gets what it writes, in the moment in which it does; absent where somebody else reads it. */
  readonly onWritten?: (name: OutputName, bytes: Uint8Array) => void;
}

export interface PythonRun extends PythonInput {
  /** Arguments of the command `python3`. */
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
}

interface PythonCall extends PythonInput {
  readonly code: string;
}

export interface PythonResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

export interface Python {
  /** In an interpreter of its own: nothing of one run is left for the next one but files. */
  run(input: PythonRun): Promise<PythonResult>;
  /** In the interpreter of the call before, as long as that one lives. Its folder and variables are those of its first. */
  call(input: PythonCall): Promise<PythonResult & { readonly isNew: boolean }>;
  /** Gives up the interpreters that wait, where they leave no room for what comes. */
  leaveRoom(): Promise<void>;
  /** Frees what earlier runs have left, and makes the interpreter of the next run ready: while nothing else runs. */
  rest(): Promise<void>;
}

interface PythonOptions {
  readonly tree: FileTree;
  readonly time: CommandTime;
  readonly room: MemoryRoom;
  readonly clock: Pick<Clock, "after">;
  /** Runs the start of an interpreter, which does not count in the command's time. */
  readonly uncounted: <T>(start: () => Promise<T>) => Promise<T>;
  readonly onNoStartMemory: () => Promise<void>;
  /** The wheels of modules that are not there. Rejects with a sentence for the model where there are none. */
  readonly requestPackages: (modules: readonly string[]) => Promise<readonly PythonWheel[]>;
}

/** Bytes of an output that are kept; much less of it is shown. */
const MAX_CAPTURED = 32 * 1024 * 1024;
const NOT_EXECUTABLE = 126;
/** An interpreter is made ready only where there would be room for so many. */
const READY_ROOM = 3;
const COLLECTIONS = 2;
const noMemory: PythonResult = {
  exitCode: NOT_EXECUTABLE,
  stdout: new Uint8Array(0),
  stderr: new TextEncoder().encode("bash: python3: Cannot allocate memory\n"),
};
/** Folders that Python shares with the shell. */
const shared = [HOME, "/tmp"] as const;

/** The runner, as JavaScript calls it. */
interface Runner {
  callPromising(...args: readonly unknown[]): Promise<unknown>;
}

/** JavaScript, as the runner calls it. */
interface RunnerCalls {
  readonly schedule: LoopSteps["schedule"];
  readonly install: (name: string) => Promise<string>;
  /** Until the program has to end. */
  readonly clockLeftMs: () => number;
  /** Whether `timeout` has ended it. */
  readonly isStopped: () => boolean;
}

export function createPython(options: PythonOptions): Python {
  const { room } = options;
  const processes = new PythonProcesses(options);
  // A function of its own: the caller must not hold the interpreter.
  const runOnce = async (input: PythonRun) => await (await processes.take()).run(input);
  let kept: PythonProcess | undefined;
  let hasRun = false;
  return {
    run: async (input) => {
      if (!await processes.hasRoom()) return noMemory;
      hasRun = true;
      return await runOnce(input).finally(() => room.makeAgain());
    },
    call: async ({ code, ...input }) => {
      const isNew = kept === undefined;
      if (isNew && !await processes.hasRoom()) return { ...noMemory, isNew };
      kept ??= await processes.take();
      const result = await kept.run({ ...input, args: [code], stdin: new Uint8Array(0) }, true);
      if (kept.hasEnded) kept = undefined;
      await room.makeAgain();
      return { ...result, isNew };
    },
    leaveRoom: async () => {
      if (kept === undefined && !processes.isOneReady || processes.leavesRoom) return;
      kept = undefined;
      processes.forgetReady();
      await room.makeAgain();
    },
    rest: async () => {
      if (!hasRun) return;
      hasRun = false;
      await collectLater();
      await processes.makeReady();
    },
  };
}

/** Makes interpreters in which nothing has run. */
class PythonProcesses {
  readonly #options: PythonOptions;
  readonly #interpreters: Interpreters;
  readonly #packages = new Map<string, Memo<readonly PythonWheel[]>>();
  /** For the next run. */
  #ready: PythonProcess | undefined;

  constructor(options: PythonOptions) {
    this.#options = options;
    this.#interpreters = new Interpreters(options);
  }

  get isOneReady(): boolean {
    return this.#ready !== undefined;
  }

  /** Whether there is room for another one. */
  get leavesRoom(): boolean {
    return this.#options.room.has(this.#interpreters.neededBytes);
  }

  /** Whether one can be taken. What is left of an earlier one may need a second collection. */
  async hasRoom(): Promise<boolean> {
    for (let attempt = 0; attempt < COLLECTIONS && !this.isOneReady; attempt++) {
      await this.#options.room.makeAgain(this.#interpreters.neededBytes);
      if (this.leavesRoom) return true;
    }
    return this.isOneReady;
  }

  async take(): Promise<PythonProcess> {
    const taken = this.#ready ?? await this.#options.uncounted(() => this.#load());
    this.#ready = undefined;
    return taken;
  }

  /** Where it leaves room for what else there may be. */
  async makeReady(): Promise<void> {
    const wanted = READY_ROOM * this.#interpreters.neededBytes;
    if (!this.isOneReady && this.#options.room.has(wanted)) this.#ready = await this.#load();
  }

  forgetReady(): void {
    this.#ready = undefined;
  }

  async #load(): Promise<PythonProcess> {
    return new PythonProcess(await this.#interpreters.load(), this.#processOptions);
  }

  get #processOptions(): PythonProcessOptions {
    const requestPackages = (name: string) => {
      const wheels = this.#packages.get(name) ?? new Memo(() => this.#options.requestPackages([name]));
      this.#packages.set(name, wheels);
      return wheels.get();
    };
    return { ...this.#options, requestPackages };
  }
}

interface PythonProcessOptions extends Pick<PythonOptions, "tree" | "time" | "clock"> {
  readonly requestPackages: (name: string) => Promise<readonly PythonWheel[]>;
}

/** One interpreter. */
class PythonProcess {
  readonly #pyodide: PyodideAPI;
  readonly #runner: Runner;
  readonly #options: PythonProcessOptions;
  readonly #installed = new Set<string>();

  constructor(pyodide: PyodideAPI, options: PythonProcessOptions) {
    this.#pyodide = pyodide;
    this.#runner = loadRunner(pyodide);
    this.#options = options;
  }

  /** Nothing can run in it any more. */
  hasEnded = false;

  /** As the command does, once, or as a call: then `args` is the code. */
  async run({ args, stdin, cwd, env, onWritten }: PythonRun, isCall = false): Promise<PythonResult> {
    const capture = (name: OutputName) =>
      new CapturedOutput(MAX_CAPTURED, onWritten && ((bytes) => onWritten(name, bytes)));
    const [stdout, stderr] = [capture("stdout"), capture("stderr")];
    const [pyodide, { time, clock }] = [this.#pyodide, this.#options];
    pyodide.setStdin({ read: inputReader(stdin) });
    pyodide.setStdout({ write: stdout.write });
    pyodide.setStderr({ write: stderr.write });
    const fs = asEmscriptenFs(pyodide.FS);
    for (const path of shared) mountTree(fs, { tree: this.#options.tree, path });
    const [argv, variables] = [pyodide.toPy(args), pyodide.toPy(env)];
    const steps = new LoopSteps({ clock, schedule: toInner(pyodide)._api.scheduleCallback });
    const endInterrupts = interruptAt(pyodide, time);
    try {
      const running = this.#runner.callPromising(argv, variables, cwd, this.#calls(steps), isCall);
      const exitCode = z.number().parse(await Promise.race([running, steps.crash]));
      return { exitCode, stdout: stdout.bytes, stderr: stderr.bytes };
    } catch (error) {
      this.hasEnded = true;
      // Emscripten takes the program's status for that of this process.
      process.exitCode = 0;
      const { exitCode, words } = endOf(error);
      const { stdout: printed, stack } = splitStack(stdout.bytes);
      return { exitCode, stdout: printed, stderr: Buffer.concat([stderr.bytes, stack, Buffer.from(words)]) };
    } finally {
      endInterrupts();
      steps.end();
    }
  }

  /** Functions that the runner calls. */
  #calls({ schedule }: LoopSteps): RunnerCalls {
    const { time } = this.#options;
    return {
      schedule,
      install: (name) => this.#install(name),
      clockLeftMs: () => time.isPartOver ? 0 : time.partLeftMs,
      isStopped: () => time.isPartOver && !time.isReached,
    };
  }

  /** Empty where the module can be had now, or nobody knows it; else what is wrong, for the model. */
  async #install(name: string): Promise<string> {
    try {
      for (const { filename, content } of await this.#options.requestPackages(name)) {
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

function loadRunner(pyodide: PyodideAPI): Runner {
  return asRunner(pyodide.runPython(RUNNER, {
    filename: "<runner>",
    globals: asGlobals(pyodide.toPy({ __name__: "runner" })),
  }));
}

function asRunner(value: unknown): Runner {
  return value as Runner;
}

function asGlobals(value: unknown): NonNullable<Parameters<PyodideAPI["runPython"]>[1]>["globals"] {
  return value as NonNullable<Parameters<PyodideAPI["runPython"]>[1]>["globals"];
}
