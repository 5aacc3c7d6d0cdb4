/** Reads and prints the bytes of commands, one character each. */

import { latin1FromBytes, type ResolvedCommandContext } from "just-bash";

interface InputOptions {
  readonly context: ResolvedCommandContext;
  readonly terminator: string;
  /** Name of the command, for its errors. */
  readonly name: string;
}

/** The text of a file, or of the standard input (`-`). */
async function readInput(operand: string, context: ResolvedCommandContext): Promise<string> {
  const { fs, cwd, stdin } = context;
  if (operand === "-") return latin1FromBytes(stdin);
  return Buffer.from(await fs.readFileBuffer(fs.resolvePath(cwd, operand))).toString("latin1");
}

/** Lines of all operands; none: the standard input. */
export async function inputLines(operands: readonly string[], { context, terminator, name }: InputOptions) {
  const lines: string[] = [];
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    try {
      const text = await readInput(operand, context);
      if (text !== "") {
        lines.push(...(text.endsWith(terminator) ? text.slice(0, -1) : text).split(terminator));
      }
    } catch (_error) {
      // The words are made more exact where the shell prints them.
      return { lines: [], stderr: `${name}: ${operand}: No such file or directory\n`, exitCode: 1 };
    }
  }
  return { lines, stderr: "", exitCode: 0 };
}

export const latin1Output = (stdout: string) => ({
  stdout,
  stdoutKind: "bytes" as const,
  stderr: "",
  exitCode: 0,
});
