/** Scripts that name their program in `#!`: just-bash runs them all as shell. */

import type { Interpreter } from "./interpreter.ts";
import type { SplitCall } from "./split_names.ts";

const MOST_LINE = 256;
/** Bits of a mode that let a file be run. */
const EXECUTABLE = 0o111;

/** The call of the program that a script names, with the script and its arguments behind. */
export async function asInterpreted(ctx: Interpreter["ctx"], call: SplitCall): Promise<SplitCall> {
  const words = await programOf(ctx, call.name);
  const [name, ...options] = words;
  if (name === undefined) return call;
  const args = argsOf({ name, options, call });
  return { name: args[0] === "-c" ? "bash" : name, args, more: [[], ...call.more.slice(1)] };
}

interface Interpreted {
  readonly name: string;
  readonly options: readonly string[];
  readonly call: SplitCall;
}

/** The shell takes options of `set` in front of a script by `-c` alone. */
function argsOf({ name, options, call }: Interpreted): readonly string[] {
  const path = call.name;
  if (name === MISSING) {
    return ["-c", 'echo "bash: $0: cannot execute: required file not found" >&2; exit 127', path];
  }
  const [option = ""] = options;
  const isSet = /^(?:bash|sh)$/.test(name) && /^-[efux]+$/.test(option);
  return isSet ? ["-c", `set ${option}; . "$0"`, path, ...call.args] : [...options, path, ...call.args];
}

/** Stands for a program that is nowhere. */
const MISSING = "\0missing";
/** Folders of the commands, which are no files of the container's. */
const commandFolder = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$/;

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
  if (!commandFolder.test(program) && !await fs.exists(fs.resolvePath(state.cwd, program))) return [MISSING];
  if (name !== "env") return rest.trim() === "" ? [name] : [name, rest.trim()];
  const words = rest.replace(/^-S\s*/, "").trim().split(/\s+/);
  return words[0] === "" ? [] : rest.startsWith("-S") ? words : [words.join(" ")];
}
