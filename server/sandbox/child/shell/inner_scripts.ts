/**
 * Scripts within scripts: those of `bash -c`, `xargs` and `find -exec`, which are processes, and substitutions in
 * arithmetic, which are subshells. just-bash begins each of them with the variables of the gateway's own script as they
 * were at its start.
 */

import type { IFileSystem } from "just-bash";
import type { Interpreter, InterpreterState } from "./interpreter.ts";

/** Interpreter and command that run at the moment. */
interface Caller {
  readonly interpreter: Interpreter;
  /** The command that runs; undefined while a statement is read: what it begins is a subshell. */
  readonly command: string | undefined;
}

/** Callers that run, the innermost last. */
export class Callers {
  readonly #callers = new WeakMap<IFileSystem, Caller[]>();

  async within<T>(caller: Caller, run: () => Promise<T>): Promise<T> {
    const { fs } = caller.interpreter.ctx;
    const callers = this.#callers.get(fs) ?? [];
    this.#callers.set(fs, callers);
    callers.push(caller);
    try {
      return await run();
    } finally {
      callers.splice(callers.lastIndexOf(caller), 1);
    }
  }

  /** Undefined for a script that nothing of the container's runs. */
  of(fs: IFileSystem): Caller | undefined {
    return this.#callers.get(fs)?.at(-1);
  }
}

/** The script begins as a subshell of its caller does. */
export function inheritAll(state: InterpreterState, caller: InterpreterState): void {
  state.env.clear();
  for (const [name, value] of caller.env) state.env.set(name, value);
  state.arrays = new Map(
    [...caller.arrays ?? []].map((
      [name, { kind, elements }],
    ) => [name, { kind, elements: new Map(elements) }]),
  );
  state.functions = new Map(caller.functions);
  state.exportedVars = new Set(caller.exportedVars);
  state.cwd = caller.cwd;
}

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Every shell has it; a command that replaces the environment leaves it away. */
const SHELL_VARIABLE = "IFS";

/** The script begins as a process does; what the command gives it besides is exported too. */
export function inheritExports(state: InterpreterState, { caller, first }: Inheritance): void {
  const isReplaced = !state.env.has(SHELL_VARIABLE);
  const inherited = exportedNames(caller);
  const before = new Set(state.env.keys());
  if (!isReplaced) {
    for (const name of first) state.env.delete(name);
    for (const name of inherited) state.env.set(name, caller.env.get(name) ?? "");
  }
  const added = [...before].filter((name) => variable.test(name) && !shellVariables.has(name));
  state.exportedVars = new Set(
    [...isReplaced ? [] : inherited, ...added].filter((name) => state.env.has(name)),
  );
}

interface Inheritance {
  readonly caller: InterpreterState;
  /** Names of variables that were exported when the gateway's own script began. */
  readonly first: ReadonlySet<string>;
}

export function exportedNames(
  { exportedVars = new Set(), tempExportedVars = new Set(), env }: InterpreterState,
) {
  return [...exportedVars, ...tempExportedVars].filter((name) => env.has(name));
}

/** Variables that a shell sets for itself and exports to no program. */
const shellVariables: ReadonlySet<string> = new Set([
  "BASHOPTS",
  "HOSTNAME",
  "HOSTTYPE",
  SHELL_VARIABLE,
  "MACHTYPE",
  "OPTIND",
  "OSTYPE",
  "SHELLOPTS",
]);
