/** Commands of our own: what is wrong in a call of them becomes their message and their status. */

import { defineCommand, type ResolvedCommandContext } from "just-bash";
import { FileError, strerror } from "../../files/file_error.ts";
import { UsageError } from "./options.ts";

interface PlainResult {
  readonly stdout: string;
  readonly stdoutKind?: "bytes";
  readonly stderr: string;
  readonly exitCode: number;
}

type Run = (args: readonly string[], context: ResolvedCommandContext) => Promise<PlainResult>;

/** Statuses of wrong calls, where they are others than 1. */
const statuses: ReadonlyMap<string, number> = new Map([["cmp", 2], ["diff", 2]]);

/** Makes a command that says what is wrong. */
export const plainCommand = (name: string, run: Run) =>
  defineCommand(name, async (args, context) => {
    const failed = (message: string) => ({
      stdout: "",
      stderr: `${name}: ${message}\n`,
      exitCode: statuses.get(name) ?? 1,
    });
    try {
      return await run(args, context);
    } catch (error) {
      if (error instanceof UsageError) return failed(error.message);
      if (error instanceof FileError) return failed(`${error.path}: ${strerror[error.code]}`);
      throw error;
    }
  });

/** The bytes of a file, or of the standard input (`-`), a character each. Throws a UsageError. */
export async function bytesOf(operand: string, context: ResolvedCommandContext): Promise<Buffer> {
  const { fs, cwd, stdin } = context;
  if (operand === "-") return Buffer.from(String(stdin), "latin1");
  const bytes = await fs.readFileBuffer(fs.resolvePath(cwd, operand)).catch((error: unknown) => {
    if (error instanceof FileError) throw new UsageError(`${operand}: ${strerror[error.code]}`);
    throw error;
  });
  return Buffer.from(bytes);
}

export const printed = (stdout: string, exitCode = 0): PlainResult => ({ stdout, stderr: "", exitCode });
