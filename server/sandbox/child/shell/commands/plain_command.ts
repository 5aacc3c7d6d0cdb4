/** Commands of our own: what is wrong in a call of them becomes their message and their status. */

import { defineCommand, type ResolvedCommandContext } from "just-bash";
import { FileError, strerror } from "../../files/file_error.ts";
import { CallError, UsageError } from "./options.ts";

interface PlainResult {
  readonly stdout: string;
  readonly stdoutKind?: "bytes";
  readonly stderr: string;
  readonly exitCode: number;
}

type Run = (args: readonly string[], context: ResolvedCommandContext) => Promise<PlainResult>;

/** Statuses of what cannot be done, where they are others than 1. */
const statuses: ReadonlyMap<string, number> = new Map([["cmp", 2], ["diff", 2]]);
/** Commands that do not name their help as the others do. */
const hints: ReadonlyMap<string, string> = new Map([
  ["cmp", "cmp: Try 'cmp --help' for more information.\n"],
  ["diff", "diff: Try 'diff --help' for more information.\n"],
  ["sed", ""],
  ["xxd", ""],
]);

/** A file that cannot be read. */
export class UnreadableFile extends UsageError {
  readonly operand: string;
  readonly code: FileError["code"];

  constructor(operand: string, code: FileError["code"]) {
    super(`${operand}: ${strerror[code]}`);
    this.operand = operand;
    this.code = code;
  }
}

/** Makes a command that says what is wrong. */
export const plainCommand = (name: string, run: Run) =>
  defineCommand(name, async (args, context) => {
    const failed = (message: string, { hint = "", exitCode = statuses.get(name) ?? 1 } = {}) => ({
      stdout: "",
      stderr: `${name}: ${message}\n${hint}`,
      exitCode,
    });
    const help = hints.get(name) ?? `Try '${name} --help' for more information.\n`;
    try {
      return await run(args, context);
    } catch (error) {
      if (error instanceof CallError) return failed(error.message, { hint: help });
      if (error instanceof UsageError) return failed(error.message, { exitCode: error.exitCode });
      if (error instanceof FileError) return failed(`${error.path}: ${strerror[error.code]}`);
      throw error;
    }
  });

/** The bytes of a file, or of the standard input (`-`), a character each. Throws a UsageError. */
export async function bytesOf(operand: string, context: ResolvedCommandContext): Promise<Buffer> {
  const { fs, cwd, stdin } = context;
  if (operand === "-") return Buffer.from(String(stdin), "latin1");
  const bytes = await fs.readFileBuffer(fs.resolvePath(cwd, operand)).catch((error: unknown) => {
    if (error instanceof FileError) throw new UnreadableFile(operand, error.code);
    throw error;
  });
  return Buffer.from(bytes);
}

export const printed = (stdout: string, exitCode = 0): PlainResult => ({ stdout, stderr: "", exitCode });
