/** Scripts that name their program in `#!`: just-bash runs them all as shell. */

import type { Interpreter } from "./interpreter.ts";
import type { SplitCall } from "./split_names.ts";

const MOST_LINE = 256;
/** Bits of a mode that let a file be run. */
const EXECUTABLE = 0o111;

/** The call of the program that a script names, with the script and its arguments behind. */
export async function asInterpreted(ctx: Interpreter["ctx"], call: SplitCall): Promise<SplitCall> {
  const words = await programOf(ctx, call.name);
  const [name] = words;
  if (name === undefined) return call;
  return { name, args: [...words.slice(1), call.name, ...call.args], more: [[], ...call.more.slice(1)] };
}

/** Its name and its argument; nothing where the shell runs the file, or says what is wrong with it. */
async function programOf({ fs, state }: Interpreter["ctx"], path: string): Promise<readonly string[]> {
  if (!path.includes("/")) return [];
  const full = fs.resolvePath(state.cwd, path);
  if (!await fs.exists(full)) return [];
  const { isFile, mode } = await fs.stat(full);
  if (!isFile || (mode & EXECUTABLE) === 0) return [];
  const start = Buffer.from((await fs.readFileBuffer(full)).subarray(0, MOST_LINE)).toString("latin1");
  const [, program = "", rest = ""] = /^#![ \t]*(\S+)[ \t]*(.*)/.exec(start) ?? [];
  const name = program.replace(/^.*\//, "");
  if (name === "") return [];
  if (name !== "env") return rest.trim() === "" ? [name] : [name, rest.trim()];
  const words = rest.replace(/^-S\s*/, "").trim().split(/\s+/);
  return words[0] === "" ? [] : rest.startsWith("-S") ? words : [words.join(" ")];
}
