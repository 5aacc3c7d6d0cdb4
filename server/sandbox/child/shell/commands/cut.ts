/** `cut`: just-bash's own counts characters, drops lines without a delimiter, and has half of the options. */

import type { ResolvedCommandContext } from "just-bash";
import { inputLines, latin1Output } from "./inputs.ts";
import { CallError, parseOptions } from "./options.ts";
import { plainCommand } from "./plain_command.ts";

/** From the first to the last position, both counted from 1. */
type Range = readonly [first: number, last: number];

interface CutForm {
  readonly chosen: (position: number) => boolean;
  /** Undefined: positions are those of bytes. */
  readonly delimiter: string | undefined;
  readonly isStrict: boolean;
  readonly joint: string | undefined;
}

const long: ReadonlyMap<string, string> = new Map([
  ["--bytes", "-b"],
  ["--characters", "-c"],
  ["--fields", "-f"],
  ["--delimiter", "-d"],
  ["--only-delimited", "-s"],
  ["--zero-terminated", "-z"],
  ["--complement", "-C"],
  ["--output-delimiter", "-O"],
]);

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

function rangesOf(list: string, kind: "fields" | "byte/character positions"): readonly Range[] {
  return list.split(/[, \t]/).map((part): Range => {
    const [, first = "", dash = "", last = ""] = /^(\d*)(-?)(\d*)$/.exec(part) ?? [];
    const one = kind === "fields" ? "field" : "byte/character position";
    if (first + last === "") throw new CallError(`invalid ${one} value '${part}'`);
    const range: Range = [
      first === "" ? 1 : Number(first),
      dash === "" ? Number(first) : last === "" ? Infinity : Number(last),
    ];
    if (range[0] === 0) throw new CallError(`${kind} are numbered from 1`);
    if (range[1] < range[0]) throw new CallError("invalid decreasing range");
    return range;
  });
}

function formOf(options: ReadonlyMap<string, string>): CutForm {
  const [kind, ...more] = ["b", "c", "f"].filter((letter) => options.has(letter));
  if (kind === undefined) {
    throw new CallError("you must specify a list of bytes, characters, or fields");
  }
  if (more.length > 0) throw new CallError("only one list may be specified");
  const delimiter = latin1(options.get("d") ?? "\t");
  if (delimiter.length > 1) throw new CallError("the delimiter must be a single character");
  if (kind !== "f" && options.has("d")) {
    throw new CallError("an input delimiter may be specified only when operating on fields");
  }
  const ranges = rangesOf(options.get(kind) ?? "", kind === "f" ? "fields" : "byte/character positions");
  const isIn = (position: number) => ranges.some(([first, last]) => position >= first && position <= last);
  const joint = options.get("O");
  return {
    chosen: (position) => isIn(position) !== options.has("C"),
    delimiter: kind === "f" ? delimiter || "\0" : undefined,
    isStrict: options.has("s"),
    joint: joint === undefined ? undefined : latin1(joint),
  };
}

/** Undefined: the line is left out. */
function cutLine(line: string, { chosen, delimiter, isStrict, joint }: CutForm): string | undefined {
  if (delimiter !== undefined && !line.includes(delimiter)) return isStrict ? undefined : line;
  const cells = line.split(delimiter ?? "");
  const kept = cells.map((cell, at) => ({ cell, at })).filter(({ at }) => chosen(at + 1));
  if (delimiter !== undefined) return kept.map(({ cell }) => cell).join(joint ?? delimiter);
  // Ranges of bytes are parted, and bytes within one are not.
  return kept.map(({ cell, at }, index) =>
    joint !== undefined && index > 0 && kept[index - 1]?.at !== at - 1 ? joint + cell : cell
  ).join("");
}

async function run(args: readonly string[], context: ResolvedCommandContext) {
  const { options, operands } = parseOptions(args, { without: "snzC", withValue: "bcfdO", long });
  const form = formOf(options);
  const terminator = options.has("z") ? "\0" : "\n";
  const { lines, stderr, exitCode } = await inputLines(operands, { context, terminator, name: "cut" });
  if (exitCode !== 0) return { stdout: "", stderr, exitCode };
  const cut = lines.map((line) => cutLine(line, form)).filter((line) => line !== undefined);
  return latin1Output(cut.map((line) => line + terminator).join(""));
}

export const cut = plainCommand("cut", run);
