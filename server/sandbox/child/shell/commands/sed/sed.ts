/** `sed`, as GNU's. */

import { isUtf8 } from "node:buffer";
import type { ResolvedCommandContext } from "just-bash";
import { strerror } from "../../../files/file_error.ts";
import { parseOptions, UsageError } from "../options.ts";
import { bytesOf, plainCommand, UnreadableFile } from "../plain_command.ts";
import { Machine, PANIC, type SedInput } from "./machine.ts";
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
  readonly sources: readonly Source[];
  /** Words about files that are not there. */
  readonly stderr: string;
  /** They are no text: a character is a byte. */
  readonly isBinary: boolean;
  readonly isQuiet: boolean;
  readonly isSeparate: boolean;
  /** The ending of the copy of a changed file; undefined: files are not changed. */
  readonly suffix: string | undefined;
  readonly terminator: string;
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
  const isExtended = options.has("E") || options.has("r");
  const read = (script: string) => new ScriptReader(script, isExtended).read();
  const commands = read(source);
  const files = await readSources(scripts.length === 0 ? others : operands, { context, suffix });
  return {
    ...files,
    commands: files.isBinary ? read(toBytes(source)) : commands,
    isQuiet,
    isSeparate: options.has("s") || suffix !== undefined,
    suffix,
    terminator: options.has("z") ? "\0" : "\n",
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

/** UTF-8, a character for each byte. */
const toBytes = (text: string): string => Buffer.from(text).toString("latin1");

/** Files one behind the other: the last line of each of them is a line. */
function joined(sources: readonly Source[], terminator: string): SedInput {
  const inputs = sources.map(({ text }) => toInput(text, terminator));
  const isTerminated = inputs.findLast(({ lines }) => lines.length > 0)?.isTerminated ?? true;
  return { lines: inputs.flatMap(({ lines }) => lines), isTerminated };
}

/** Files that are there, and what is wrong with the others. */
async function readSources(
  operands: readonly string[],
  { context, suffix }: Pick<SedCall, "suffix"> & { readonly context: ResolvedCommandContext },
): Promise<Pick<SedCall, "sources" | "stderr" | "isBinary">> {
  const found: { readonly name: string; readonly bytes: Buffer }[] = [];
  let stderr = "";
  for (const name of operands.length === 0 ? ["-"] : operands) {
    try {
      found.push({ name, bytes: await bytesOf(name, context) });
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      if (error.code === "EISDIR") throw new UsageError(folderWords(name, suffix), PANIC);
      stderr += `sed: can't read ${error.message}\n`;
    }
  }
  const isBinary = found.some(({ bytes }) => !isUtf8(bytes));
  const encoding = isBinary ? "latin1" : "utf8";
  const sources = found.map(({ name, bytes }) => ({ name, text: bytes.toString(encoding) }));
  return { sources, stderr, isBinary };
}

const folderWords = (name: string, suffix: string | undefined): string =>
  suffix === undefined
    ? `read error on ${name}: ${strerror.EISDIR}`
    : `couldn't edit ${name}: not a regular file`;

/** Files of `r` are read before, those of `w` written behind: commands do not wait. */
async function readTexts({ commands, isBinary }: SedCall, context: ResolvedCommandContext) {
  const names = commands.flatMap(({ name, text }) => name === "r" ? [text] : []);
  const texts = new Map<string, string>();
  for (const name of names) {
    const path = name === "/dev/stdin" ? "-" : name;
    const bytes = await bytesOf(path, context).catch((error: unknown) => {
      if (error instanceof UsageError) return undefined;
      throw error;
    });
    if (bytes !== undefined) texts.set(name, bytes.toString(isBinary ? "latin1" : "utf8"));
  }
  return texts;
}

async function run(args: readonly string[], context: ResolvedCommandContext) {
  const call = await parseCall(args, context);
  const { commands, isQuiet, terminator, suffix, sources, stderr, isBinary } = call;
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
  const encode = (text: string) => isBinary ? text : toBytes(text);
  const writeFile = (path: string, text: string) =>
    context.fs.writeFile(context.fs.resolvePath(context.cwd, path), Buffer.from(encode(text), "latin1"));
  const stdout = call.isSeparate
    ? await runEach(machine, { sources, suffix, terminator, context, writeFile })
    : machine.run(joined(sources, terminator), { firstLine: 0 });
  const errors = await writeAll(written, writeFile);
  return {
    stdout: encode(stdout + (written.get("/dev/stdout") ?? "")),
    stdoutKind: "bytes" as const,
    stderr: stderr + errors,
    exitCode: machine.exitCode ?? (stderr === "" ? 0 : 2),
  };
}

/** Returns what goes to standard error. */
async function writeAll(
  written: ReadonlyMap<string, string>,
  writeFile: WriteFile,
): Promise<string> {
  for (const [path, text] of written) if (!path.startsWith("/dev/std")) await writeFile(path, text);
  return written.get("/dev/stderr") ?? "";
}

type WriteFile = (path: string, text: string) => Promise<void>;

interface EachInput {
  readonly writeFile: WriteFile;
  readonly sources: readonly Source[];
  readonly suffix: string | undefined;
  readonly terminator: string;
  readonly context: ResolvedCommandContext;
}

/** Each file has lines of its own; with `-i` what comes of them is written into it. */
async function runEach(
  machine: Machine,
  { sources, suffix, terminator, context, writeFile }: EachInput,
): Promise<string> {
  const { fs, cwd } = context;
  let stdout = "";
  for (const { name, text } of sources) {
    if (machine.isEnded) break;
    if (suffix !== undefined) machine.beginOutput();
    const output = machine.run(toInput(text, terminator), { firstLine: 0 });
    if (suffix === undefined) {
      stdout += output;
      continue;
    }
    const path = fs.resolvePath(cwd, name);
    const { mode } = await fs.stat(path);
    if (suffix !== "") {
      await writeFile(
        suffix.includes("*") ? path.replace(/[^/]*$/, (file) => suffix.replaceAll("*", file)) : path + suffix,
        text,
      );
    }
    await writeFile(path, output);
    await fs.chmod(path, mode);
  }
  return stdout;
}

export const sed = plainCommand("sed", run);
