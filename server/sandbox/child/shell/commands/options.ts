/** Options of commands as GNU's take them: letters together, values attached, long names. */

/** A call that a command cannot do, and its status. */
export class UsageError extends Error {
  readonly exitCode: number | undefined;

  constructor(message: string, exitCode?: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A call that is wrong whatever there is: GNU's commands name their help. */
export class CallError extends UsageError {}

export interface OptionForm {
  /** Letters. */
  readonly without: string;
  readonly withValue: string;
  /** Names of letters. */
  readonly long?: ReadonlyMap<string, string>;
  /** The first operand ends the options. */
  readonly endsAtOperand?: boolean;
}

interface ParsedOptions {
  /** By letter, the last value of each. */
  readonly options: ReadonlyMap<string, string>;
  /** By letter, all values. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

/** Throws a CallError. */
export function parseOptions(args: readonly string[], form: OptionForm): ParsedOptions {
  const keys = new Map<string, string[]>();
  const operands: string[] = [];
  const add = (letter: string, value: string) => keys.set(letter, [...keys.get(letter) ?? [], value]);
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      if (form.endsAtOperand === true) {
        operands.push(...args.slice(index));
        break;
      }
      operands.push(arg);
      continue;
    }
    const { letters, attached } = lettersOf(arg, form);
    for (let at = 0; at < letters.length; at++) {
      const letter = letters.charAt(at);
      if (form.without.includes(letter)) add(letter, "");
      else if (!form.withValue.includes(letter)) throw new CallError(`invalid option -- '${letter}'`);
      else {
        const rest = attached ?? letters.slice(at + 1);
        const value = rest === "" ? args[++index] : rest;
        if (value === undefined) throw new CallError(`option requires an argument -- '${letter}'`);
        add(letter, value);
        break;
      }
    }
  }
  const options = new Map([...keys].map(([letter, values]) => [letter, values.at(-1) ?? ""]));
  return { options, keys, operands };
}

function lettersOf(arg: string, { long }: OptionForm) {
  if (!arg.startsWith("--")) return { letters: arg.slice(1), attached: undefined };
  const [name = "", value] = arg.split(/=(.*)/s);
  const short = long?.get(name);
  if (short === undefined) throw new CallError(`unrecognized option '${name}'`);
  return { letters: short.slice(1), attached: value };
}
