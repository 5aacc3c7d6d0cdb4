/** `diff`, as GNU's: the normal and the unified form, files and folders. */

import { posix } from "node:path";
import type { ResolvedCommandContext } from "just-bash";
import { CallError, parseOptions, UsageError } from "../options.ts";
import { bytesOf, plainCommand } from "../plain_command.ts";
import { type FileLines, normalForm, unifiedForm } from "./forms.ts";
import { changesOf } from "./lines.ts";

const CONTEXT = 3;
/** More lines than that take too long to compare. */
const MOST_EDITS_LINES = 200_000;

const form = {
  without: "uqrNsiwbad",
  withValue: "ULx",
  long: new Map([
    ["--unified", "-u"],
    ["--normal", "-d"],
    ["--brief", "-q"],
    ["--recursive", "-r"],
    ["--new-file", "-N"],
    ["--report-identical-files", "-s"],
    ["--ignore-case", "-i"],
    ["--ignore-all-space", "-w"],
    ["--ignore-space-change", "-b"],
    ["--label", "-L"],
    ["--exclude", "-x"],
    ["--text", "-a"],
  ]),
};

type Parsed = ReturnType<typeof parseOptions>;

interface Call {
  readonly parsed: Parsed;
  readonly context: ResolvedCommandContext;
  /** The options, as they are shown in front of files of folders. */
  readonly shownOptions: string;
}

function linesOf(text: string): FileLines {
  if (text === "") return { lines: [], isTerminated: true };
  const isTerminated = text.endsWith("\n");
  return { lines: (isTerminated ? text.slice(0, -1) : text).split("\n"), isTerminated };
}

/** As lines are compared. */
function keysOf({ lines, isTerminated }: FileLines, { options }: Parsed): readonly string[] {
  return lines.map((line, at) => {
    const cased = options.has("i") ? line.toLowerCase() : line;
    const spaced = options.has("w")
      ? cased.replaceAll(/\s/g, "")
      : options.has("b")
      ? cased.replaceAll(/\s+/g, " ").trimEnd()
      : cased;
    return !isTerminated && at === lines.length - 1 ? `${spaced}\0` : spaced;
  });
}

interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const result = (stdout: string, exitCode: number): Result => ({ stdout, stderr: "", exitCode });

/** A file that is missing counts as empty with -N. */
async function textOf(path: string, { context, parsed: { options } }: Call): Promise<string> {
  const { fs, cwd } = context;
  const isMissing = path !== "-" && options.has("N") && !await fs.exists(fs.resolvePath(cwd, path));
  return isMissing || path === "/dev/null" ? "" : (await bytesOf(path, context)).toString();
}

/** Throws a UsageError, which names both files where neither can be read. */
async function bothTexts(names: readonly [string, string], call: Call): Promise<readonly [string, string]> {
  const [left, right] = await Promise.allSettled(names.map((name) => textOf(name, call)));
  if (left?.status === "fulfilled" && right?.status === "fulfilled") return [left.value, right.value];
  const reasons = [left, right].flatMap((one) => one?.status === "rejected" ? [one.reason] : []);
  const other = reasons.find((reason) => !(reason instanceof UsageError));
  if (other !== undefined) throw other;
  throw new UsageError(reasons.map(({ message }) => message).join("\ndiff: "));
}

async function compareFiles(names: readonly [string, string], call: Call): Promise<Result> {
  const { parsed } = call;
  const { options, keys } = parsed;
  const [left, right] = await bothTexts(names, call);
  const same = options.has("s") ? `Files ${names[0]} and ${names[1]} are identical\n` : "";
  if (left === right) return result(same, 0);
  if (options.has("q")) return result(`Files ${names[0]} and ${names[1]} differ\n`, 1);
  if (left.includes("\0") || right.includes("\0")) {
    return result(`Binary files ${names[0]} and ${names[1]} differ\n`, 1);
  }
  const [a, b] = [linesOf(left), linesOf(right)];
  if (a.lines.length + b.lines.length > MOST_EDITS_LINES) {
    throw new UsageError("the files are too long to be compared here");
  }
  const changes = changesOf({ a: keysOf(a, parsed), b: keysOf(b, parsed) });
  if (changes.length === 0) return result(same, 0);
  const compared = { a, b, changes };
  if (!options.has("u") && !options.has("U")) return result(normalForm(compared), 1);
  const lines = Number(options.get("U") ?? CONTEXT);
  const labels = keys.get("L") ?? [];
  const titles = await Promise.all(
    names.map(async (name, at) => labels[at] ?? `${name}\t${await timeOf(name, call)}`),
  );
  return result(`--- ${titles[0]}\n+++ ${titles[1]}\n${unifiedForm(compared, lines)}`, 1);
}

async function timeOf(name: string, { context: { fs, cwd } }: Call): Promise<string> {
  const path = fs.resolvePath(cwd, name);
  const { mtime } = name !== "-" && await fs.exists(path) ? await fs.stat(path) : { mtime: new Date(0) };
  return `${mtime.toISOString().replace("T", " ").replace("Z", "000000")} +0000`;
}

async function isFolder(name: string, { context: { fs, cwd } }: Call): Promise<boolean> {
  const path = fs.resolvePath(cwd, name);
  return name !== "-" && await fs.exists(path) && (await fs.stat(path)).isDirectory;
}

async function compareFolders(names: readonly [string, string], call: Call): Promise<Result> {
  const { parsed: { options, keys }, context: { fs, cwd }, shownOptions } = call;
  const excluded = new Set(keys.get("x") ?? []);
  const [left, right] = await Promise.all(
    names.map(async (name) => new Set(await fs.readdir(fs.resolvePath(cwd, name)))),
  );
  const results: Result[] = [];
  const all = new Set([...left ?? [], ...right ?? []]);
  for (const name of [...all].filter((one) => !excluded.has(one)).sort()) {
    const pair = [posix.join(names[0], name), posix.join(names[1], name)] as const;
    const only = left?.has(name) !== true ? names[1] : right?.has(name) !== true ? names[0] : undefined;
    if (only !== undefined && !options.has("N")) results.push(result(`Only in ${only}: ${name}\n`, 1));
    else if (await isFolder(pair[0], call) && await isFolder(pair[1], call)) {
      results.push(
        options.has("r")
          ? await compareFolders(pair, call)
          : result(`Common subdirectories: ${pair[0]} and ${pair[1]}\n`, 0),
      );
    } else {
      const one = await compareFiles(pair, call);
      const isShown = one.stdout !== "" && !options.has("q") && !one.stdout.startsWith("Binary");
      results.push(
        isShown ? { ...one, stdout: `diff ${shownOptions}${pair[0]} ${pair[1]}\n${one.stdout}` } : one,
      );
    }
  }
  return result(
    results.map(({ stdout }) => stdout).join(""),
    Math.max(0, ...results.map(({ exitCode }) => exitCode)),
  );
}

export const diff = plainCommand("diff", async (args, context) => {
  const parsed = parseOptions(args, form);
  const [a, b, ...more] = parsed.operands;
  if (a === undefined || b === undefined || more.length > 0) {
    const extra = more[0];
    throw new CallError(
      extra === undefined ? `missing operand after '${a ?? "diff"}'` : `extra operand '${extra}'`,
    );
  }
  const options = args.filter((arg) => arg.startsWith("-") && arg !== "-" && arg !== "--");
  const call = { parsed, context, shownOptions: options.map((option) => `${option} `).join("") };
  const [left, right] = [await isFolder(a, call), await isFolder(b, call)];
  if (left && right) return await compareFolders([a, b], call);
  if (left) return await compareFiles([posix.join(a, posix.basename(b)), b], call);
  return await compareFiles([a, right ? posix.join(b, posix.basename(a)) : b], call);
});
