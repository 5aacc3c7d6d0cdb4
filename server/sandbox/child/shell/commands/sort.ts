/** `sort`, as GNU's in the C locale: just-bash's own takes blanks in front of a key for a field. */

import { defineCommand, type ResolvedCommandContext } from "just-bash";
import { inputLines, latin1Output } from "./inputs.ts";
import { parseOptions, UsageError } from "./options.ts";

/** Letters that say how keys are compared. */
const ORDERS = "bdfghinrVR";

interface Key {
  readonly from: Position;
  /** Undefined: to the end of the line. */
  readonly to: Position | undefined;
  readonly flags: string;
}

interface Position {
  /** From 1. */
  readonly field: number;
  /** From 1; 0: the whole field. */
  readonly char: number;
}

const keyForm = /^(\d{1,6})(?:\.(\d{1,6}))?([a-zA-Z]*)(?:,(\d{1,6})(?:\.(\d{1,6}))?([a-zA-Z]*))?$/;

function parseKey(text: string): Key {
  const found = keyForm.exec(text);
  if (found === null || found[1] === "0") throw new UsageError(`invalid key: '${text}'`);
  const [, field, char = "1", flags = "", toField, toChar = "0", toFlags = ""] = found;
  return {
    from: { field: Number(field), char: Number(char) },
    to: toField === undefined ? undefined : { field: Number(toField), char: Number(toChar) },
    flags: flags + toFlags,
  };
}

/** Where each field begins and ends; without a separator blanks in front belong to a field. */
function fieldsOf(line: string, separator: string | undefined): readonly (readonly [number, number])[] {
  if (separator === undefined) {
    return [...line.matchAll(/[ \t]*[^ \t]+|[ \t]+$/g)].map((
      { 0: text, index },
    ) => [index, index + text.length]);
  }
  const fields: [number, number][] = [];
  for (let start = 0;;) {
    const end = line.indexOf(separator, start);
    fields.push([start, end === -1 ? line.length : end]);
    if (end === -1) return fields;
    start = end + separator.length;
  }
}

interface ReadKey extends Key {
  readonly separator: string | undefined;
}

function keyOf(line: string, { from, to, separator, flags }: ReadKey): string {
  const fields = fieldsOf(line, separator);
  const skipBlanks = (at: number) =>
    flags.includes("b") ? at + (/^[ \t]*/.exec(line.slice(at))?.[0].length ?? 0) : at;
  const first = fields[from.field - 1];
  if (first === undefined) return "";
  const start = skipBlanks(first[0]) + from.char - 1;
  const last = to === undefined ? undefined : fields[to.field - 1];
  const end = to === undefined || last === undefined
    ? line.length
    : to.char === 0
    ? last[1]
    : skipBlanks(last[0]) + to.char;
  return line.slice(start, end);
}

const numberOf = (text: string): number => Number(/^[ \t]*(-?\d*\.?\d*)/.exec(text)?.[1] || 0) || 0;
const generalOf = (text: string): number => {
  const value = Number.parseFloat(text);
  return Number.isNaN(value) ? -Infinity : value;
};
const SUFFIXES = "KMGTPEZY";
const humanOf = (text: string): readonly [number, number] => {
  const suffix = /^[ \t]*-?[\d.]+([kKMGTPEZY])/.exec(text)?.[1]?.toUpperCase() ?? "";
  const sign = text.trimStart().startsWith("-") ? -1 : 1;
  return [sign * (suffix === "" ? 0 : SUFFIXES.indexOf(suffix) + 1), numberOf(text)];
};
const bytes = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;

/** Digits by their number, everything else by its bytes. */
function byVersion(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? []);
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const [x = "", y = ""] = [left?.[at], right?.[at]];
    const isNumber = /^\d/.test(x) && /^\d/.test(y);
    const order = isNumber ? Number(x) - Number(y) : bytes(x, y);
    if (order !== 0) return order;
  }
  return bytes(a, b);
}

function compare([a, b]: readonly [string, string], flags: string): number {
  if (flags.includes("n")) return numberOf(a) - numberOf(b);
  if (flags.includes("g")) return generalOf(a) < generalOf(b) ? -1 : generalOf(a) > generalOf(b) ? 1 : 0;
  if (flags.includes("h")) {
    const [[p, q], [r, s]] = [humanOf(a), humanOf(b)];
    return p - r || q - s;
  }
  if (flags.includes("V")) return byVersion(a, b);
  const seen = (text: string) => {
    const kept = flags.includes("d") ? text.replaceAll(/[^a-zA-Z0-9 \t]/g, "") : text;
    return flags.includes("f") ? kept.toUpperCase() : kept;
  };
  return bytes(seen(a), seen(b));
}

async function run(args: readonly string[], context: ResolvedCommandContext) {
  const { options, keys, operands } = parseOptions(args, {
    without: `${ORDERS}cCmsuz`,
    withValue: "kotST",
    long: new Map([
      ["--numeric-sort", "-n"],
      ["--reverse", "-r"],
      ["--unique", "-u"],
      ["--key", "-k"],
      ["--field-separator", "-t"],
      ["--output", "-o"],
      ["--ignore-case", "-f"],
      ["--stable", "-s"],
      ["--zero-terminated", "-z"],
      ["--version-sort", "-V"],
      ["--human-numeric-sort", "-h"],
      ["--general-numeric-sort", "-g"],
      ["--check", "-c"],
      ["--ignore-leading-blanks", "-b"],
      ["--dictionary-order", "-d"],
    ]),
  });
  if (options.has("R") || options.has("m") || options.has("i")) {
    throw new UsageError("this order is not there");
  }
  const terminator = options.has("z") ? "\0" : "\n";
  const { lines, stderr, exitCode } = await inputLines(operands, { context, terminator, name: "sort" });
  if (exitCode !== 0) return { stdout: "", stderr, exitCode: 2 };
  const order = orderOf(options, keys.get("k") ?? []);
  if (options.has("c") || options.has("C")) return checked(lines, { order, isQuiet: options.has("C") });
  const sorted = [...lines].sort((a, b) => order.full(a, b));
  const kept = options.has("u")
    ? sorted.filter((line, at) => at === 0 || order.keys(sorted[at - 1] ?? "", line) !== 0)
    : sorted;
  const output = kept.map((line) => line + terminator).join("");
  const target = options.get("o");
  if (target === undefined) return latin1Output(output);
  await context.fs.writeFile(context.fs.resolvePath(context.cwd, target), Buffer.from(output, "latin1"));
  return { stdout: "", stderr: "", exitCode: 0 };
}

interface Order {
  /** By the keys alone. */
  readonly keys: (a: string, b: string) => number;
  /** Equal keys are compared as whole lines. */
  readonly full: (a: string, b: string) => number;
}

function orderOf(options: ReadonlyMap<string, string>, keyTexts: readonly string[]): Order {
  const global = [...ORDERS].filter((letter) => options.has(letter)).join("");
  const separator = options.get("t") === "\\0" ? "\0" : options.get("t");
  const all: Key = { from: { field: 1, char: 1 }, to: undefined, flags: "" };
  const parsed = keyTexts.length === 0 ? [all] : keyTexts.map(parseKey);
  const byKeys = (a: string, b: string): number => {
    for (const key of parsed) {
      const flags = key.flags === "" ? global : key.flags;
      const read = (line: string) =>
        key === all && !flags.includes("b") ? line : keyOf(line, { ...key, separator, flags });
      const found = compare([read(a), read(b)], flags);
      if (found !== 0) return flags.includes("r") ? -found : found;
    }
    return 0;
  };
  const isStable = options.has("s") || options.has("u");
  const last = (a: string, b: string) => options.has("r") ? bytes(b, a) : bytes(a, b);
  return { keys: byKeys, full: (a, b) => byKeys(a, b) || (isStable ? 0 : last(a, b)) };
}

function checked(
  lines: readonly string[],
  { order, isQuiet }: { readonly order: Order; readonly isQuiet: boolean },
) {
  const at = lines.findIndex((line, index) => index > 0 && order.full(lines[index - 1] ?? "", line) > 0);
  if (at === -1) return { stdout: "", stderr: "", exitCode: 0 };
  return { stdout: "", stderr: isQuiet ? "" : `sort: -:${at + 1}: disorder: ${lines[at]}\n`, exitCode: 1 };
}

export const sort = defineCommand("sort", async (args, context) => {
  try {
    return await run(args, context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { stdout: "", stderr: `sort: ${error.message}\n`, exitCode: 2 };
  }
});
