/** `xargs`, as GNU's: just-bash's own knows no quotes, no options with their value attached and no statuses. */

import { decodeBytesToUtf8, defineCommand, type ResolvedCommandContext } from "just-bash";
import { type OptionForm, parseOptions, UsageError } from "./options.ts";

interface XargsCall {
  readonly delimiter: string | undefined;
  /** Arguments of a command line at most. */
  readonly most: number;
  /** Lines of a command line at most. */
  readonly lines: number;
  readonly placeholder: string | undefined;
  readonly isVerbose: boolean;
  readonly skipsEmpty: boolean;
  readonly file: string | undefined;
  readonly command: readonly string[];
}

const form: OptionForm = {
  without: "0trx",
  withValue: "IdnLPsaE",
  endsAtOperand: true,
  long: new Map([
    ["--null", "-0"],
    ["--no-run-if-empty", "-r"],
    ["--verbose", "-t"],
    ["--exit", "-x"],
    ["--max-args", "-n"],
    ["--max-lines", "-L"],
    ["--max-procs", "-P"],
    ["--replace", "-I"],
    ["--delimiter", "-d"],
    ["--arg-file", "-a"],
  ]),
};

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["0", "\0"],
  ["r", "\r"],
  ["\\", "\\"],
]);

function parseCall(args: readonly string[]): XargsCall {
  const { options, operands } = parseOptions(args, form);
  const placeholder = options.get("I");
  const delimiter = options.get("d")?.replace(/^\\(.)$/s, (all, letter) => escapes.get(letter) ?? all);
  return {
    delimiter: options.has("0") ? "\0" : delimiter ?? (placeholder === undefined ? undefined : "\n"),
    most: numberOf(options, "n"),
    lines: numberOf(options, "L"),
    placeholder,
    isVerbose: options.has("t"),
    skipsEmpty: options.has("r"),
    file: options.get("a"),
    command: operands.length === 0 ? ["echo"] : operands,
  };
}

function numberOf(options: ReadonlyMap<string, string>, letter: string): number {
  const text = options.get(letter);
  if (text === undefined) return Infinity;
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new UsageError(`invalid number "${text}" for -${letter} option`);
  }
  return Number(text);
}

/** Lines of arguments: blanks separate, quotes and backslashes keep them. */
function quotedLines(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  for (const line of text.split("\n")) {
    const words = line.matchAll(/(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+|['"]/g);
    const found = [...words].map(([word]) => {
      if (word === "'" || word === '"') {
        throw new UsageError("unmatched quote; by default quotes are special");
      }
      return word.replaceAll(
        /\\(.)|'([^']*)'|"([^"]*)"/g,
        (_all, ...[a, b, c]: readonly string[]) => a ?? b ?? c ?? "",
      );
    });
    if (found.length > 0) lines.push(found);
  }
  return lines;
}

function linesOf(text: string, { delimiter, placeholder }: XargsCall): readonly (readonly string[])[] {
  if (delimiter === undefined) return quotedLines(text);
  const items = text.endsWith(delimiter) ? text.slice(0, -delimiter.length) : text;
  if (items === "") return [];
  const all = items.split(delimiter);
  // With -I a line is one argument, without the blanks in front.
  return placeholder === undefined || delimiter !== "\n"
    ? all.map((item) => [item])
    : all.map((item) => [item.trimStart()]).filter(([item]) => item !== "");
}

function commandLines(
  lines: readonly (readonly string[])[],
  call: XargsCall,
): readonly (readonly string[])[] {
  const { command, placeholder, most, lines: mostLines, skipsEmpty } = call;
  if (placeholder !== undefined) {
    return lines.map(([item = ""]) => command.map((word) => word.replaceAll(placeholder, () => item)));
  }
  const groups: string[][] = [];
  const perGroup = mostLines < Infinity ? mostLines : lines.length;
  for (let from = 0; from < lines.length; from += perGroup) {
    const words = lines.slice(from, from + perGroup).flat();
    for (let at = 0; at < words.length; at += Math.min(most, words.length)) {
      groups.push(words.slice(at, at + most));
    }
  }
  if (groups.length === 0 && !skipsEmpty) groups.push([]);
  return groups.map((words) => [...command, ...words]);
}

/** The status of all, by those of each. */
function statusOf(code: number): number {
  if (code === 126 || code === 127) return code;
  return code === 255 ? 124 : code === 0 ? 0 : 123;
}

async function run(args: readonly string[], context: ResolvedCommandContext) {
  const { exec, cwd, signal, fs, stdin } = context;
  const call = parseCall(args);
  const text = call.file === undefined
    ? decodeBytesToUtf8(stdin)
    : await fs.readFile(fs.resolvePath(cwd, call.file));
  const outputs: { stdout: string; stderr: string }[] = [];
  let exitCode = 0;
  for (const [name = "", ...words] of commandLines(linesOf(text, call), call)) {
    if (call.isVerbose) outputs.push({ stdout: "", stderr: `${[name, ...words].join(" ")}\n` });
    if (exec === undefined) throw new UsageError("no command can be run");
    const result = await exec("command", { cwd, signal, args: [name, ...words] });
    outputs.push(result);
    exitCode ||= statusOf(result.exitCode);
    if (result.exitCode === 127 || result.exitCode === 255) break;
  }
  return {
    stdout: outputs.map(({ stdout }) => stdout).join(""),
    stderr: outputs.map(({ stderr }) => stderr).join(""),
    exitCode,
  };
}

export const xargs = defineCommand("xargs", async (args, context) => {
  try {
    return await run(args, context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { stdout: "", stderr: `xargs: ${error.message}\n`, exitCode: 1 };
  }
});
