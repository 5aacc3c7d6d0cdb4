/**
 * Scripts that commands run: those of `bash -c`, `xargs`, `find -exec`. just-bash begins each of them with the
 * variables of the gateway's own script as they were at its start; a process has those that its caller exports.
 */

import type { IFileSystem } from "just-bash";
import type { Interpreter, InterpreterState } from "./interpreter.ts";

/** Whose commands run, the innermost last. */
export class Callers {
  readonly #callers = new WeakMap<IFileSystem, Interpreter[]>();

  async within<T>(interpreter: Interpreter, run: () => Promise<T>): Promise<T> {
    const { fs } = interpreter.ctx;
    const callers = this.#callers.get(fs) ?? [];
    this.#callers.set(fs, callers);
    callers.push(interpreter);
    try {
      return await run();
    } finally {
      callers.splice(callers.lastIndexOf(interpreter), 1);
    }
  }

  /** Undefined for a script that no command runs. */
  of(fs: IFileSystem): InterpreterState | undefined {
    return this.#callers.get(fs)?.at(-1)?.ctx.state;
  }
}

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Every shell has it; a command that replaces the environment leaves it away. */
const SHELL_VARIABLE = "IFS";

/** What a command gives its script besides is exported too. */
export function inheritVariables(state: InterpreterState, { caller, first }: Inheritance): void {
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

/** What a shell sets for itself and exports to nobody. */
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
