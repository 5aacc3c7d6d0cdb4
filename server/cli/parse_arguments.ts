/** The words and flags of a command line. Reads nothing but what it is given. */

import { CommandError } from "./command_error.ts";

export interface CommandLine {
  /** In order, without flags. */
  readonly words: readonly string[];
  /** Name without dashes → text; a flag without a value is `true`. */
  readonly flags: ReadonlyMap<string, string>;
}

const flag = /^--([a-z][\w.-]*)(?:=(.*))?$/is;

/** Flags that never take the next word. */
const switches: ReadonlySet<string> = new Set(["json", "yes", "help"]);

/** `--limit 5`, `--limit=5`, `--disabled`. What follows a lone `--` are words. Throws a CommandError. */
export function parseArguments(args: readonly string[]): CommandLine {
  const words: string[] = [];
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return { words: [...words, ...args.slice(at + 1)], flags };
    if (!arg.startsWith("--")) {
      words.push(arg);
      continue;
    }
    const [, name, input] = flag.exec(arg) ?? [];
    if (name === undefined) throw new CommandError(`${arg} is no flag: flags are written --name value`);
    if (flags.has(name)) throw new CommandError(`--${name} is given twice`);
    const next = args[at + 1];
    const takesNext = input === undefined && !switches.has(name) && next !== undefined &&
      !next.startsWith("--");
    flags.set(name, input ?? (takesNext ? next : "true"));
    if (takesNext) at++;
  }
  return { words, flags };
}
