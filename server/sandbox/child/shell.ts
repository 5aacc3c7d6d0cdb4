/** Runs shell commands on the container's files with just-bash. */

import { Bash, type BashOptions, defineCommand, getCommandNames } from "just-bash";
import * as z from "zod";
import { HOME, MAX_ENVIRONMENT_CHARS } from "../messages.ts";
import type { FileTree } from "./files/file_tree.ts";
import { ShellFiles } from "./files/shell_files.ts";
import type { Python } from "./python/python.ts";

export interface ShellOptions {
  readonly tree: FileTree;
  readonly python: Python;
  /** What `curl` does; undefined: there is no `curl`. */
  readonly fetch: BashOptions["fetch"];
}

export interface ShellCommand {
  readonly code: string;
  readonly workingFolder: string;
  readonly environment: readonly (readonly [string, string])[];
}

export interface ShellResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly workingFolder: string;
  readonly environment: readonly (readonly [string, string])[];
}

/** Time and memory decide, and these only where a command would take the whole process with it. */
const executionLimits: NonNullable<BashOptions["executionLimits"]> = {
  maxCommandCount: Infinity,
  maxLoopIterations: Infinity,
  maxAwkIterations: Infinity,
  maxSedIterations: Infinity,
  maxJqIterations: Infinity,
  maxWorkUnits: Infinity,
  maxGlobOperations: Infinity,
  maxTraversalWork: Infinity,
  maxAwkParserOperations: Infinity,
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

/** Names of variables that a shell sets itself. */
const ownVariables: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "_", "SHLVL"]);

export class Shell {
  readonly #tree: FileTree;
  readonly #bash: Bash;

  constructor({ tree, python, fetch }: ShellOptions) {
    this.#tree = tree;
    tree.makeFolder(HOME, true);
    tree.makeFolder("/tmp", true);
    this.#bash = new Bash({
      fs: new ShellFiles(tree),
      commands: commandNames(),
      customCommands: ["python3", "python"].map((name) => pythonCommand(name, python)),
      fetch,
      executionLimits,
      // The process has no rights to defend; the patches to JavaScript's globals would break Python.
      defenseInDepth: false,
    });
  }

  async run({ code, workingFolder, environment }: ShellCommand): Promise<ShellResult> {
    const cwd = this.#isFolder(workingFolder) ? workingFolder : HOME;
    const state = asShellState(this.#bash);
    state.exportedVars = new Set(["HOME", "PATH", "PWD", "OLDPWD", ...environment.map(([name]) => name)]);
    const { stdout, stderr, exitCode, env } = await this.#bash.exec(code, {
      cwd,
      env: Object.fromEntries(environment),
    });
    const exported = state.exportedVars;
    return {
      exitCode: exitCode & 255,
      stdout,
      stderr,
      workingFolder: env.PWD ?? cwd,
      environment: withinLimit(
        Object.entries(env).filter(([name]) => exported.has(name) && !ownVariables.has(name)),
      ),
    };
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

/** Those that fit, in the order in which they stand. */
function withinLimit(variables: readonly (readonly [string, string])[]) {
  let left = MAX_ENVIRONMENT_CHARS;
  return variables.filter(([name, value]) => (left -= name.length + value.length) >= 0);
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

const shellStateSchema = z.object({ state: z.object({ exportedVars: z.set(z.string()) }) });

/** What a command has exported is known to just-bash's own state only. Throws where a new version has it no more. */
function asShellState(bash: unknown): { exportedVars: Set<string> } {
  shellStateSchema.parse(bash);
  return (bash as { readonly state: { exportedVars: Set<string> } }).state;
}
