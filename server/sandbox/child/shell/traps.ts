/** `trap`, which just-bash does not have: code for the end of a script. Signals come to nobody here. */

import type { CommandResult, Interpreter } from "./interpreter.ts";

/** They are never sent, so that their code never runs. */
const silent: ReadonlySet<string> = new Set(["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "PIPE", "ALRM"]);
const usage = "trap: usage: trap [ACTION] [CONDITION ...]\n";

const ended = (exitCode: number, { stdout = "", stderr = "" } = {}): CommandResult => ({
  stdout,
  stderr,
  exitCode,
});

/** By a script's interpreter. */
const exitCode = new WeakMap<Interpreter, string>();

export function trap(interpreter: Interpreter, args: readonly string[]): CommandResult {
  const [action, ...conditions] = args[0] === "--" ? args.slice(1) : args;
  if (action === undefined || action === "-p") {
    const code = exitCode.get(interpreter);
    return ended(0, {
      stdout: code === undefined ? "" : `trap -- '${code.replaceAll("'", "'\\''")}' EXIT\n`,
    });
  }
  if (action === "-l" || conditions.length === 0) return ended(2, { stderr: usage });
  for (const condition of conditions.map((name) => name.toUpperCase().replace(/^SIG/, ""))) {
    const isExit = condition === "EXIT" || condition === "0";
    if (isExit && isSubshell(interpreter)) {
      return ended(1, { stderr: "bash: trap: EXIT: cannot be trapped in a subshell here\n" });
    }
    if (!isExit) {
      if (silent.has(condition) || /^\d+$/.test(condition)) continue;
      return ended(1, { stderr: `bash: trap: ${condition}: cannot be trapped here\n` });
    }
    if (action === "-") exitCode.delete(interpreter);
    else exitCode.set(interpreter, action);
  }
  return ended(0);
}

const isSubshell = ({ ctx: { state } }: Interpreter): boolean => state.bashPid !== state.virtualPid;

/** The code for the end of this script, which it has once. */
export function takeExitTrap(interpreter: Interpreter): string | undefined {
  const code = exitCode.get(interpreter);
  exitCode.delete(interpreter);
  return code;
}
