/** Runs shell commands on the container's files with just-bash. */

import { Bash, type BashOptions, defineCommand, getCommandNames } from "just-bash";
import { Memo } from "../../../../shared/util/memo.ts";
import type { Cancel, Clock } from "../../../runtime.ts";
import { HOME, MAX_ENVIRONMENT_CHARS } from "../../messages.ts";
import type { CommandTime } from "../command_time.ts";
import type { FileTree } from "../files/file_tree.ts";
import { ShellFiles } from "../files/shell_files.ts";
import type { MemoryRoom } from "../memory_room.ts";
import type { OutputName } from "../printed_output.ts";
import type { Python, PythonResult, PythonRun } from "../python/python.ts";
import { env, printenv } from "./commands/env.ts";
import { cmp, xxd } from "./commands/bytes.ts";
import { digests } from "./commands/digests.ts";
import { date } from "./commands/date.ts";
import { diff } from "./commands/diff/diff.ts";
import { cut } from "./commands/cut.ts";
import { awk, printf, stat, tar, tr } from "./commands/guarded.ts";
import { head, tail } from "./commands/head_tail.ts";
import { grep, jq, ls, nl, od, rm } from "./commands/mended.ts";
import { mktemp, realpath, truncate } from "./commands/paths.ts";
import { sed } from "./commands/sed/sed.ts";
import { paste } from "./commands/paste.ts";
import { sort } from "./commands/sort.ts";
import { timeoutCommand } from "./commands/timeout.ts";
import { xargs } from "./commands/xargs.ts";
import { ErrorWords } from "./error_words.ts";
import type { Printed } from "./direct_output.ts";
import type { InterpreterState } from "./interpreter.ts";
import { Timeouts } from "./timeouts.ts";
import { Turns } from "./turns.ts";
import { directOutput, installWatch, watchScripts } from "./watched_interpreter.ts";

interface ShellOptions {
  readonly tree: FileTree;
  readonly python: Python;
  readonly time: CommandTime;
  readonly room: Pick<MemoryRoom, "has" | "make" | "tidy">;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Gets what each pipeline of a script has printed. */
  readonly onPrinted: (printed: Printed) => void | Promise<void>;
  /** Before Python runs, which lets nothing else have a turn. */
  readonly onBeforePython: () => void | Promise<void>;
  /** Gets what Python writes where the script does, in the moment in which it does. */
  readonly onWritten: (name: OutputName, bytes: Uint8Array) => void;
}

/** State that lasts from one command to the next. */
interface LastingState {
  readonly workingFolder: string;
  /** Exported variables: name and value. */
  readonly environment: readonly (readonly [string, string])[];
}

interface ShellCommand extends LastingState {
  readonly code: string;
  /** Fetches for `curl`; undefined: there is no `curl`. */
  readonly fetch: BashOptions["fetch"];
}

export interface ShellResult extends LastingState {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Not every limit may be infinite. */
const COUNTLESS = Number.MAX_SAFE_INTEGER;

/** Time and memory decide, and these only where a command would take the whole process with it. */
const executionLimits: NonNullable<BashOptions["executionLimits"]> = {
  maxCommandCount: COUNTLESS,
  maxCallDepth: 1_000,
  maxLoopIterations: COUNTLESS,
  maxAwkIterations: COUNTLESS,
  maxSedIterations: COUNTLESS,
  maxJqIterations: COUNTLESS,
  maxWorkUnits: COUNTLESS,
  maxGlobOperations: COUNTLESS,
  maxTraversalWork: COUNTLESS,
  maxAwkParserOperations: COUNTLESS,
  maxExecutionTimeMs: Infinity,
  // Else the whole script ends where a command takes longer to end than this: they all end, at their time.
  maxExtensionCleanupTimeMs: COUNTLESS,
  maxOutputSize: 256 * 1024 * 1024,
};

/** It needs a thread of Node's that Deno does not have. */
const missing: ReadonlySet<string> = new Set(["sqlite3"]);
/** just-bash has them as empty files, which would be read without an error. */
const endlessFiles: readonly string[] = ["/dev/zero"];
/** Variables that a shell sets itself. */
const ownVariables: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "_", "SHLVL"]);

/** Besides Python. */
const ownCommands = [
  ...digests,
  awk,
  cmp,
  cut,
  date,
  diff,
  env,
  grep,
  head,
  jq,
  ls,
  mktemp,
  nl,
  od,
  paste,
  printenv,
  printf,
  realpath,
  rm,
  sed,
  sort,
  stat,
  tail,
  tar,
  tr,
  truncate,
  xargs,
  xxd,
];

/** The package lists the names of its own commands as plain texts. */
function commandNames(): NonNullable<BashOptions["commands"]> {
  return asCommandNames(getCommandNames().filter((name) => !missing.has(name)));
}

function asCommandNames(names: readonly string[]) {
  return [...names] as NonNullable<BashOptions["commands"]>;
}

export class Shell {
  readonly #options: ShellOptions;
  readonly #watch = new Memo(installWatch);
  /** Ends with the last run of Python. */
  #python: Promise<void> = Promise.resolve();
  #isPythonRunning = false;

  constructor(options: ShellOptions) {
    const { tree } = options;
    this.#options = options;
    tree.makeFolder(HOME, true);
    tree.makeFolder("/tmp", true);
  }

  /** In an interpreter of its own: nothing lasts but files and what the result names. */
  async run({ code, workingFolder, environment, fetch }: ShellCommand): Promise<ShellResult> {
    await this.#watch.get();
    const { tree, time, room, onPrinted, clock } = this.#options;
    const cwd = this.#isFolder(workingFolder) ? workingFolder : HOME;
    const fs = new ShellFiles(tree, room);
    let state: InterpreterState | undefined;
    const words = new ErrorWords(tree, () => state?.cwd ?? cwd);
    const turns = new Turns(clock.monotonic);
    const timeouts = new Timeouts({ time, clock, isBusy: () => this.#isPythonRunning });
    watchScripts(fs, {
      onBegin: (begun) => state = begun,
      onPrinted,
      isOver: () => this.#isOver(turns, timeouts),
      wordsOf: (error) => words.wordsOf(error),
      mendWords: (stderr) => words.mendWords(stderr),
    });
    const runPython = (input: PythonRun) => this.#runPython(fs, input);
    const bash = new Bash({
      fs,
      cwd,
      env: { HOME, ...Object.fromEntries(environment) },
      commands: commandNames(),
      customCommands: [
        ...["python3", "python"].map((name) => pythonCommand(name, runPython)),
        timeoutCommand(timeouts),
        ...ownCommands,
      ],
      fetch,
      executionLimits,
      // The process has no rights to defend; the patches to JavaScript's globals would break Python.
      defenseInDepth: false,
    });
    for (const path of endlessFiles) if (await fs.exists(path)) tree.remove(path);
    const wait = this.#endOfWaits();
    const { stdout, stderr, exitCode } = await bash.exec(code, { signal: wait.signal });
    wait.cancel();
    const lasting = state === undefined ? { workingFolder: cwd, environment } : lastingState(state);
    return { exitCode: exitCode & 255, stdout, stderr, ...lasting };
  }

  async #runPython(fs: ShellFiles, input: PythonRun): Promise<PythonResult> {
    const { python, onBeforePython, onWritten } = this.#options;
    await onBeforePython();
    const running = python.run({
      ...input,
      onWritten: (name, bytes) => {
        if (directOutput.takes(fs, name)) onWritten(name, bytes);
      },
    });
    this.#python = running.then(() => {}, () => {});
    this.#isPythonRunning = true;
    try {
      return await running;
    } finally {
      this.#isPythonRunning = false;
    }
  }

  #isOver(turns: Turns, timeouts: Timeouts): boolean | Promise<boolean> {
    timeouts.stopOverdue();
    return turns.isDue ? this.#takeTurn(turns) : this.#options.time.isOver;
  }

  async #takeTurn(turns: Turns): Promise<boolean> {
    const { room, time } = this.#options;
    await room.tidy();
    await turns.yield();
    return time.isOver;
  }

  /**
   * Aborts what waits at the end of the command's time: only what works asks for it. Python ends its waits itself, and
   * has something to say then.
   */
  #endOfWaits(): { readonly signal: AbortSignal; readonly cancel: Cancel } {
    const { time, clock } = this.#options;
    const abort = new AbortController();
    let cancel: Cancel = () => {};
    // Behind the shell, which takes what Python has printed.
    const end = () => this.#python.then(() => cancel = clock.after(0, () => abort.abort()));
    const wait = () => {
      if (time.clockLeftMs === Infinity) return;
      cancel = clock.after(time.clockLeftMs, () => time.isOver ? end() : wait());
    };
    wait();
    return { signal: abort.signal, cancel: () => cancel() };
  }

  #isFolder(path: string): boolean {
    try {
      return this.#options.tree.node(path, { operation: "stat" }).type === "folder";
    } catch (_error) {
      // There is nothing, or a way that is none.
      return false;
    }
  }
}

/** Makes the lasting state, with the exported variables that fit, in their order. */
function lastingState({ cwd, env, exportedVars = new Set() }: InterpreterState): LastingState {
  let left = MAX_ENVIRONMENT_CHARS;
  const exported = [...exportedVars].flatMap((name) => {
    const value = env.get(name);
    return value === undefined || ownVariables.has(name) ? [] : [[name, value] as const];
  });
  return {
    workingFolder: cwd,
    environment: exported.filter(([name, value]) => (left -= name.length + value.length) >= 0),
  };
}

const pythonCommand = (name: string, run: Python["run"]) =>
  defineCommand(name, async (args, { stdin, cwd, exportedEnv }) => {
    const { exitCode, stdout, stderr } = await run({
      args,
      stdin: Buffer.from(String(stdin), "latin1"),
      cwd,
      env: Object.entries(exportedEnv ?? {}),
    });
    return {
      exitCode,
      stdout: Buffer.from(stdout).toString("latin1"),
      stdoutKind: "bytes",
      stderr: new TextDecoder().decode(stderr),
    };
  });
