/** `sed`, as GNU's. */

import type { ResolvedCommandContext } from "just-bash";
import { parseOptions, UsageError } from "../options.ts";
import { bytesOf, plainCommand } from "../plain_command.ts";
import { Machine, type SedInput } from "./machine.ts";
import { ScriptReader, type SedCommand } from "./script.ts";

const long = new Map([
  ["--expression", "-e"],
  ["--file", "-f"],
  ["--quiet", "-n"],
  ["--silent", "-n"],
  ["--regexp-extended", "-E"],
  ["--separate", "-s"],
  ["--null-data", "-z"],
  ["--in-place", "-i"],
]);

interface SedCall {
  readonly commands: readonly SedCommand[];
  readonly isQuiet: boolean;
  readonly isSeparate: boolean;
  /** The ending of the copy of a changed file; undefined: files are not changed. */
  readonly suffix: string | undefined;
  readonly terminator: string;
  readonly operands: readonly string[];
}

/** `-i` has its value attached, if it has one. */
function takeInPlace(args: readonly string[]) {
  let suffix: string | undefined;
  const rest = args.flatMap((arg, at) => {
    if (args.slice(0, at).includes("--")) return [arg];
    const found = /^(?:--in-place(?:=(.*))?|-([nErsuz]*)i(.*))$/s.exec(arg);
    if (found === null || /^-[ef]$/.test(args[at - 1] ?? "")) return [arg];
    suffix = found[1] ?? found[3] ?? "";
    return found[2] === undefined || found[2] === "" ? [] : [`-${found[2]}`];
  });
  return { suffix, rest };
}

async function parseCall(args: readonly string[], context: ResolvedCommandContext): Promise<SedCall> {
  const { suffix, rest } = takeInPlace(args);
  const scripts = await scriptsOf(rest, context);
  const { options, operands } = parseOptions(rest, { without: "nErsuz", withValue: "efl", long });
  const [first, ...others] = operands;
  if (scripts.length === 0 && first === undefined) throw new UsageError("no script specified");
  const source = scripts.length === 0 ? first ?? "" : scripts.join("\n");
  const isQuiet = options.has("n") || /^#n(?:\n|$)/.test(source);
  return {
    commands: new ScriptReader(source, options.has("E") || options.has("r")).read(),
    isQuiet,
    isSeparate: options.has("s") || suffix !== undefined,
    suffix,
    terminator: options.has("z") ? "\0" : "\n",
    operands: scripts.length === 0 ? others : operands,
  };
}

/** Reads the scripts of -e and -f, in their order. */
async function scriptsOf(
  args: readonly string[],
  context: ResolvedCommandContext,
): Promise<readonly string[]> {
  const order: [string, string][] = [];
  const { keys } = parseOptions(args, { without: "nErsuz", withValue: "efl", long });
  for (const letter of ["e", "f"]) for (const value of keys.get(letter) ?? []) order.push([letter, value]);
  const at = ([letter, value]: readonly [string, string]) =>
    args.findIndex((arg) => arg.includes(value) || arg === `-${letter}`);
  order.sort((a, b) => at(a) - at(b));
  return await Promise.all(order.map(async ([letter, value]) => {
    if (letter === "e") return value;
    const text = (await bytesOf(value, context)).toString();
    return text.replace(/^#!.*\n/, (line) => /\s-[a-z]*n/.test(line) ? "#n\n" : "").replace(/\n$/, "");
  }));
}

function toInput(text: string, terminator: string): SedInput {
  if (text === "") return { lines: [], isTerminated: true };
  const isTerminated = text.endsWith(terminator);
  return { lines: (isTerminated ? text.slice(0, -terminator.length) : text).split(terminator), isTerminated };
}

interface Source {
  readonly name: string;
  readonly text: string;
}

/** Files that are there, and what is wrong with the others. */
async function readSources(operands: readonly string[], context: ResolvedCommandContext) {
  const sources: Source[] = [];
  let stderr = "";
  for (const name of operands.length === 0 ? ["-"] : operands) {
    try {
      sources.push({ name, text: (await bytesOf(name, context)).toString() });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      stderr += `sed: can't read ${error.message}\n`;
    }
  }
  return { sources, stderr };
}

/** Files of `r` are read before, those of `w` written behind: commands do not wait. */
async function readTexts({ commands }: SedCall, context: ResolvedCommandContext) {
  const names = commands.flatMap(({ name, text }) => name === "r" ? [text] : []);
  const texts = new Map<string, string>();
  for (const name of names) {
    const path = name === "/dev/stdin" ? "-" : name;
    const bytes = await bytesOf(path, context).catch((error: unknown) => {
      if (error instanceof UsageError) return undefined;
      throw error;
    });
    if (bytes !== undefined) texts.set(name, bytes.toString());
  }
  return texts;
}

async function run(args: readonly string[], context: ResolvedCommandContext) {
  const call = await parseCall(args, context);
  const { commands, isQuiet, terminator, suffix } = call;
  const texts = await readTexts(call, context);
  const written = new Map<string, string>(
    commands.flatMap(({ name, text, substitution }) => {
      const file = name === "w" ? text : substitution?.file;
      return file === undefined ? [] : [[file, ""]];
    }),
  );
  const machine = new Machine({
    commands,
    isQuiet,
    terminator,
    readFile: (path) => texts.get(path),
    writeFile: (path, text) => written.set(path, (written.get(path) ?? "") + text),
  });
  const { sources, stderr } = await readSources(call.operands, context);
  const stdout = call.isSeparate
    ? await runEach(machine, { sources, suffix, terminator, context })
    : machine.run(toInput(sources.map(({ text }) => text).join(""), terminator), { firstLine: 0 });
  const errors = await writeAll(written, context);
  return {
    stdout: Buffer.from(stdout + (written.get("/dev/stdout") ?? "")).toString("latin1"),
    stdoutKind: "bytes" as const,
    stderr: stderr + errors,
    exitCode: machine.exitCode ?? (stderr === "" ? 0 : 2),
  };
}

/** Returns what goes to standard error. */
async function writeAll(
  written: ReadonlyMap<string, string>,
  { fs, cwd }: ResolvedCommandContext,
): Promise<string> {
  for (const [path, text] of written) {
    if (!path.startsWith("/dev/std")) await fs.writeFile(fs.resolvePath(cwd, path), text);
  }
  return written.get("/dev/stderr") ?? "";
}

interface EachInput {
  readonly sources: readonly Source[];
  readonly suffix: string | undefined;
  readonly terminator: string;
  readonly context: ResolvedCommandContext;
}

/** Each file has lines of its own; with `-i` what comes of them is written into it. */
async function runEach(
  machine: Machine,
  { sources, suffix, terminator, context }: EachInput,
): Promise<string> {
  const { fs, cwd } = context;
  let stdout = "";
  for (const { name, text } of sources) {
    if (machine.isEnded) break;
    const output = machine.run(toInput(text, terminator), { firstLine: 0 });
    if (suffix === undefined) {
      stdout += output;
      continue;
    }
    const path = fs.resolvePath(cwd, name);
    const { mode } = await fs.stat(path);
    if (suffix !== "") {
      await fs.writeFile(
        suffix.includes("*") ? path.replace(/[^/]*$/, (file) => suffix.replaceAll("*", file)) : path + suffix,
        text,
      );
    }
    await fs.writeFile(path, output);
    await fs.chmod(path, mode);
  }
  return stdout;
}

export const sed = plainCommand("sed", run);
