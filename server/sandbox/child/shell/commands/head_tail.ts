/** `head` and `tail`, as GNU's: just-bash's own know no counts from the other end, and no devices. */

import type { ResolvedCommandContext } from "just-bash";
import { strerror } from "../../files/file_error.ts";
import { type OptionForm, parseOptions, UsageError } from "./options.ts";
import { bytesOf, plainCommand, UnreadableFile } from "./plain_command.ts";

const form: OptionForm = {
  without: "qvzf",
  withValue: "nc",
  long: new Map([
    ["--lines", "-n"],
    ["--bytes", "-c"],
    ["--quiet", "-q"],
    ["--silent", "-q"],
    ["--verbose", "-v"],
    ["--zero-terminated", "-z"],
  ]),
};

const units: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 512],
  ["k", 1024],
  ["K", 1024],
  ["KiB", 1024],
  ["kB", 1000],
  ["KB", 1000],
  ["M", 1024 ** 2],
  ["MiB", 1024 ** 2],
  ["MB", 1000 ** 2],
  ["G", 1024 ** 3],
]);
/** Bytes that are read of a device at most. */
const MOST = 256 * 1024 ** 2;

interface Count {
  readonly sign: string;
  readonly number: number;
  readonly isBytes: boolean;
}

function countOf({ options }: ReturnType<typeof parseOptions>): Count {
  const isBytes = options.has("c");
  const text = options.get(isBytes ? "c" : "n") ?? "10";
  const [, sign = "", digits = "", unit = ""] = /^([-+]?)(\d{1,15})([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = units.get(unit);
  if (digits === "" || factor === undefined) {
    throw new UsageError(`invalid number of ${isBytes ? "bytes" : "lines"}: '${text}'`);
  }
  return { sign, number: Number(digits) * factor, isBytes };
}

/** Where the first `number` lines end. */
function endOfLines(
  text: string,
  { number, terminator }: { readonly number: number; readonly terminator: string },
) {
  let end = 0;
  for (let count = 0; count < number; count++) {
    const next = text.indexOf(terminator, end);
    if (next < 0) return text.length;
    end = next + 1;
  }
  return end;
}

const linesIn = (text: string, terminator: string): number =>
  text.split(terminator).length - (text.endsWith(terminator) || text === "" ? 1 : 0);

/** The old form: `-5`, `+3`. */
const withOldCount = (args: readonly string[]): readonly string[] =>
  args.flatMap((arg, at) => at === 0 && /^-\d+$/.test(arg) ? ["-n", arg.slice(1)] : [arg]);

/** A device has no end. */
function ofDevice(operand: string, { sign, number, isBytes }: Count): string | undefined {
  if (operand !== "/dev/zero") return undefined;
  if (!isBytes || sign === "-") throw new UsageError(`${operand} has no end here: use -c with a number`);
  if (number > MOST) throw new UsageError(`error reading '${operand}': No space left on device`);
  return "\0".repeat(number);
}

interface Part {
  readonly text: string;
  readonly count: Count;
  readonly terminator: string;
}

function firstPart({ text, count: { sign, number, isBytes }, terminator }: Part): string {
  if (isBytes) return text.slice(0, sign === "-" ? Math.max(text.length - number, 0) : number);
  const lines = sign === "-" ? Math.max(linesIn(text, terminator) - number, 0) : number;
  return text.slice(0, endOfLines(text, { number: lines, terminator }));
}

function lastPart({ text, count: { sign, number, isBytes }, terminator }: Part): string {
  if (isBytes) return text.slice(sign === "+" ? Math.max(number - 1, 0) : Math.max(text.length - number, 0));
  const skipped = sign === "+" ? Math.max(number - 1, 0) : Math.max(linesIn(text, terminator) - number, 0);
  return text.slice(endOfLines(text, { number: skipped, terminator }));
}

type Cut = (part: Part) => string;

function unreadWords(error: UsageError): string {
  if (!(error instanceof UnreadableFile)) return error.message;
  const { operand, code } = error;
  return code === "EISDIR"
    ? `error reading '${operand}': ${strerror[code]}`
    : `cannot open '${operand}' for reading: ${strerror[code]}`;
}

async function run(args: readonly string[], { context, cut, name }: {
  readonly context: ResolvedCommandContext;
  readonly cut: Cut;
  readonly name: string;
}) {
  const parsed = parseOptions(withOldCount(args), form);
  const { options, operands } = parsed;
  if (options.has("f")) throw new UsageError("-f waits for lines that nothing can write meanwhile");
  const [count, terminator] = [countOf(parsed), options.has("z") ? "\0" : "\n"];
  const names = operands.length === 0 ? ["-"] : operands;
  const hasNames = options.has("v") || (names.length > 1 && !options.has("q"));
  let [stdout, stderr] = ["", ""];
  for (const operand of names) {
    try {
      const device = name === "head" ? ofDevice(operand, count) : undefined;
      const text = device ?? (await bytesOf(operand, context)).toString("latin1");
      const title = operand === "-" ? "standard input" : operand;
      if (hasNames) stdout += `${stdout === "" ? "" : "\n"}==> ${title} <==\n`;
      stdout += cut({ text, count, terminator });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      stderr += `${name}: ${unreadWords(error)}\n`;
    }
  }
  return { stdout, stdoutKind: "bytes" as const, stderr, exitCode: stderr === "" ? 0 : 1 };
}

export const head = plainCommand(
  "head",
  (args, context) => run(args, { context, cut: firstPart, name: "head" }),
);
export const tail = plainCommand(
  "tail",
  (args, context) => run(args, { context, cut: lastPart, name: "tail" }),
);
