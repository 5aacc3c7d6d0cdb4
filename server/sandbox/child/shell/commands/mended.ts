/** Commands of just-bash whose arguments or output are put right: what it would do silently is not what was meant. */

import { type Command, defineCommand, type ResolvedCommandContext } from "just-bash";
import { parseOptions, UsageError } from "./options.ts";

type Result = Awaited<ReturnType<Command["execute"]>>;

async function original(
  args: readonly string[],
  { origCommand }: ResolvedCommandContext,
): Promise<Result> {
  if (origCommand === undefined) throw new Error("A command of the package is missing");
  return await origCommand([...args]);
}

const forms: ReadonlyMap<string, readonly string[]> = new Map([["c", ["-c"]], ["x1", ["-t", "x1"]], [
  "o1",
  [],
]]);
/** Behind the address, with -c. */
const wideColumn = /^([0-7]*) (?= {3})/gm;

/** It knows three forms of output, and shows the octal one for all others. */
export const od = defineCommand("od", async (args, context) => {
  try {
    const { options, operands } = parseOptions(args, { without: "cb", withValue: "At" });
    const form = options.get("t") ?? (options.has("c") ? "c" : options.has("b") ? "o1" : "");
    const shown = forms.get(form);
    if (shown === undefined) throw new UsageError("only -t x1, -b and -c are there: for others use python3");
    const address = options.has("A") ? ["-A", options.get("A") ?? ""] : [];
    const result = await original([...address, ...shown, ...operands], context);
    return form === "c" ? { ...result, stdout: result.stdout.replaceAll(wideColumn, "$1") } : result;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { stdout: "", stderr: `od: ${error.message}\n`, exitCode: 1 };
  }
});

/** Several patterns of `-e` are one: it knows the last of them only. Undefined: they cannot be. */
function withOnePattern(args: readonly string[]): readonly string[] | undefined {
  const isPattern = (at: number) => args[at - 1] === "-e" && args[at - 2] !== "-e";
  const patterns = args.filter((_arg, at) => isPattern(at));
  if (patterns.length < 2) return args;
  const has = (letters: RegExp) => args.some((arg, at) => !isPattern(at) && letters.test(arg));
  if (has(/^-[a-zA-Z]*F|^--fixed-strings$/)) return undefined;
  const isExtended = has(/^-[a-zA-Z]*[EP]|^--(?:extended|perl)-regexp$/);
  const rest = args.filter((arg, at) => !isPattern(at) && !(arg === "-e" && isPattern(at + 1)));
  return ["-e", patterns.join(isExtended ? "|" : "\\|"), ...rest];
}

/** Without a path, a recursive search is one of the working folder. */
export const grep = defineCommand("grep", async (all, context) => {
  const args = withOnePattern(all);
  if (args === undefined) {
    return { stdout: "", stderr: "grep: -F takes one -e here\n", exitCode: 2 };
  }
  const isRecursive = args.some((arg) => /^-[a-zA-Z]*[rR]/.test(arg) || arg === "--recursive");
  const words = args.filter((arg) => !arg.startsWith("-"));
  const hasPattern = args.some((arg) => /^-[a-zA-Z]*[ef]$/.test(arg) || arg.startsWith("--regexp"));
  const isBare = isRecursive && !hasPattern && words.length === 1 &&
    !args.some((arg) => /^-[ABCmd]$/.test(arg));
  const result = await original(isBare ? [...args, "."] : args, context);
  const isNamed = !args.some((arg) =>
    /^-[a-zA-Z]*[hq]/.test(arg) || arg === "--no-filename" || arg === "--quiet"
  );
  const isHere = isRecursive && isNamed && !isBare && words.at(-1) === ".";
  return isHere ? { ...result, stdout: result.stdout.replaceAll(/^(?!--$|\.\/)(?=.)/gm, "./") } : result;
});

/** A line without a number has blanks in the place of the tabulator, too. */
export const nl = defineCommand("nl", async (args, context) => {
  const result = await original(args, context);
  return { ...result, stdout: result.stdout.replaceAll(/^( {6})\t$/gm, "$1 ") };
});

/** A string of a program, which is left as it is, or one of the two formats. */
const jqFormat = /"(?:\\[\s\S]|[^"\\])*"|@(csv|sh)\b(?!\s*")/g;
const jqFormats: ReadonlyMap<string, string> = new Map([
  [
    "csv",
    '(map(if type == "string" then "\\"" + gsub("\\""; "\\"\\"") + "\\"" elif . == null then "" ' +
    'elif type == "number" or type == "boolean" then tostring ' +
    'else error("\(type) is not valid in a csv row") end) | join(","))',
  ],
  [
    "sh",
    '(if type == "array" then . else [.] end | map(if type == "string" then "\'" + gsub("\'"; "\'\\\\\'\'") + ' +
    '"\'" else tostring end) | join(" "))',
  ],
]);

/** A string of a program, or a filter that takes another filter: just-bash loses that one. */
const jqFilterTaker = /"(?:\\[\s\S]|[^"\\])*"|\b(?:(def)\s+\w+\s*\(|(walk)\s*\()/g;

/** How it refuses a program; undefined: it does not. */
function jqRefusal(program: string): string | undefined {
  for (const [, isDefinition, isWalk] of program.matchAll(jqFilterTaker)) {
    if (isDefinition !== undefined) return "functions with parameters are not there: use python3";
    if (isWalk !== undefined) return "walk is not there: use python3";
  }
  return undefined;
}

/** `@csv` and `@sh` quote texts, `-j` prints them as they are, and `--indent` is spelled with its number. */
export const jq = defineCommand("jq", async (args, context) => {
  const refusal = args.map(jqRefusal).find((text) => text !== undefined);
  if (refusal !== undefined) return { stdout: "", stderr: `jq: error: ${refusal}\n`, exitCode: 3 };
  const words = args.map((arg) =>
    arg.startsWith("-")
      ? arg
      : arg.replaceAll(jqFormat, (all, name?: string) => jqFormats.get(name ?? "") ?? all)
  );
  const joined = words.map((arg) => /^-[a-zA-Z]*j/.test(arg) ? arg.replace("j", "jr") : arg);
  return await original(joined, context);
});

/** A link that leads nowhere is there as well. */
export const rm = defineCommand("rm", async (args, context) => {
  const { fs, cwd } = context;
  const isLostLink = async (arg: string): Promise<boolean> => {
    const path = fs.resolvePath(cwd, arg);
    return !arg.startsWith("-") && !await fs.exists(path) &&
      await fs.readlink(path).then(() => true, () => false);
  };
  const lost = await Promise.all(args.map(isLostLink));
  if (!lost.includes(true)) return await original(args, context);
  for (const [at, arg] of args.entries()) if (lost[at] === true) await fs.rm(fs.resolvePath(cwd, arg));
  const rest = args.filter((_arg, at) => lost[at] !== true);
  const isDone = rest.every((arg) => arg.startsWith("-"));
  return isDone ? { stdout: "", stderr: "", exitCode: 0 } : await original(rest, context);
});

/** It shows each path that is named as a list of its own, in the order in which they are named. */
export const ls = defineCommand("ls", async (args, context) => {
  const options = args.filter((arg) => arg.startsWith("-") && arg !== "--");
  const paths = args.filter((arg) => !arg.startsWith("-"));
  if (paths.length < 2) return await original(args, context);
  const has = (letter: string) => options.some((option) => new RegExp(`^-[a-zA-Z]*${letter}`).test(option));
  const named = await Promise.all([...new Set(paths)].sort().map((path) => look(path, context)));
  if (has("t")) named.sort((a, b) => b.modifiedAt - a.modifiedAt);
  else if (has("S")) named.sort((a, b) => b.size - a.size);
  if (has("r")) named.reverse();
  const isList = ({ isFolder }: NamedPath) => isFolder && !has("d");
  const parts: Result[] = [];
  for (const { path } of named.filter((one) => !isList(one))) {
    parts.push(await original([...options, path], context));
  }
  for (const { path } of named.filter(isList)) {
    const shown = await original([...options, path], context);
    const gap = parts.some(({ stdout }) => stdout !== "") ? "\n" : "";
    parts.push({ ...shown, stdout: `${gap}${path}:\n${shown.stdout}` });
  }
  return {
    stdout: parts.map(({ stdout }) => stdout).join(""),
    stderr: parts.map(({ stderr }) => stderr).join(""),
    exitCode: Math.max(...parts.map(({ exitCode }) => exitCode)),
  };
});

interface NamedPath {
  readonly path: string;
  readonly isFolder: boolean;
  readonly modifiedAt: number;
  readonly size: number;
}

async function look(path: string, { fs, cwd }: ResolvedCommandContext): Promise<NamedPath> {
  try {
    const { isDirectory, mtime, size } = await fs.stat(fs.resolvePath(cwd, path));
    return { path, isFolder: isDirectory, modifiedAt: mtime.getTime(), size };
  } catch (_error) {
    // The command says what is wrong with it.
    return { path, isFolder: false, modifiedAt: 0, size: 0 };
  }
}
