/** Runs shell commands on the container's files with just-bash. */

import { Bash, type BashOptions, defineCommand, getCommandNames } from "just-bash";
import { HOME } from "../messages.ts";
import type { FileTree } from "./files/file_tree.ts";
import { ShellFiles } from "./files/shell_files.ts";
import type { Python } from "./python/python.ts";
import { type LastingState, ShellState } from "./shell_state.ts";

export interface ShellOptions {
  readonly tree: FileTree;
  readonly python: Python;
  /** What `curl` does; undefined: there is no `curl`. */
  readonly fetch: BashOptions["fetch"];
}

export interface ShellCommand extends LastingState {
  readonly code: string;
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
  maxLoopIterations: COUNTLESS,
  maxAwkIterations: COUNTLESS,
  maxSedIterations: COUNTLESS,
  maxJqIterations: COUNTLESS,
  maxWorkUnits: COUNTLESS,
  maxGlobOperations: COUNTLESS,
  maxTraversalWork: COUNTLESS,
  maxAwkParserOperations: COUNTLESS,
  maxExecutionTimeMs: Infinity,
  maxOutputSize: 64 * 1024 * 1024,
};

/** It needs a thread of Node's that Deno does not have. */
const missing: ReadonlySet<string> = new Set(["sqlite3"]);

/** The package lists the names of its own commands as plain texts. */
function commandNames(): NonNullable<BashOptions["commands"]> {
  return asCommandNames(getCommandNames().filter((name) => !missing.has(name)));
}

function asCommandNames(names: readonly string[]) {
  return [...names] as NonNullable<BashOptions["commands"]>;
}

export class Shell {
  readonly #tree: FileTree;
  readonly #bash: Bash;
  readonly #state = new ShellState();

  constructor({ tree, python, fetch }: ShellOptions) {
    this.#tree = tree;
    tree.makeFolder(HOME, true);
    tree.makeFolder("/tmp", true);
    this.#bash = new Bash({
      fs: new ShellFiles(tree),
      commands: commandNames(),
      customCommands: [
        ...["python3", "python"].map((name) => pythonCommand(name, python)),
        this.#state.command,
      ],
      fetch,
      executionLimits,
      // The process has no rights to defend; the patches to JavaScript's globals would break Python.
      defenseInDepth: false,
    });
    this.#bash.registerTransformPlugin(this.#state.plugin);
  }

  async run({ code, workingFolder, environment }: ShellCommand): Promise<ShellResult> {
    const cwd = this.#isFolder(workingFolder) ? workingFolder : HOME;
    this.#state.begin(environment);
    const { stdout, stderr, exitCode } = await this.#bash.exec(code, {
      cwd,
      env: Object.fromEntries(environment),
    });
    const state = this.#state.take() ?? { workingFolder: cwd, environment };
    return { exitCode: exitCode & 255, stdout, stderr, ...state };
  }

  #isFolder(path: string): boolean {
    try {
      return this.#tree.node(path, { operation: "stat" }).type === "folder";
    } catch (_error) {
      // There is nothing, or a way that is none.
      return false;
    }
  }
}

const pythonCommand = (name: string, python: Python) =>
  defineCommand(name, async (args, { stdin, cwd, exportedEnv }) => {
    const { exitCode, stdout, stderr } = await python.run({
      args,
      stdin: Buffer.from(String(stdin), "latin1"),
      cwd,
      env: exportedEnv ?? {},
    });
    return {
      exitCode,
      stdout: Buffer.from(stdout).toString("latin1"),
      stdoutKind: "bytes",
      stderr: new TextDecoder().decode(stderr),
    };
  });
