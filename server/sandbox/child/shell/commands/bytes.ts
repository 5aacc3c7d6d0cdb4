/** Commands that show and compare bytes: `xxd` and `cmp`. */

import type { ResolvedCommandContext } from "just-bash";
import { strerror } from "../../files/file_error.ts";
import { CallError, parseOptions, UsageError } from "./options.ts";
import { bytesOf, plainCommand, printed, UnreadableFile } from "./plain_command.ts";

const PLAIN_COLUMNS = 30;
const COLUMNS = 16;
const MAX_COLUMNS = 256;

function wholeNumber(text: string): number {
  if (!/^(?:0x[0-9a-f]{1,8}|\d{1,12})$/i.test(text)) throw new UsageError(`invalid number '${text}'`);
  return Number(text);
}

/** As `xxd` says it, with its status. */
async function dumpedBytes(operand: string, context: ResolvedCommandContext): Promise<Buffer> {
  try {
    return await bytesOf(operand, context);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new UsageError(error.code === "EISDIR" ? strerror[error.code] : error.message, 2);
  }
}

const shownChar = (byte: number): string => byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".";

function dumpLine(
  bytes: Buffer,
  { address, columns, group }: {
    readonly address: number;
    readonly columns: number;
    /** Bytes that stand together. */
    readonly group: number;
  },
): string {
  const pairs = bytes.toString("hex").match(new RegExp(`.{1,${2 * group}}`, "g")) ?? [];
  const width = columns * 2 + Math.ceil(columns / group);
  const hex = pairs.map((pair) => `${pair} `).join("").padEnd(width);
  return `${address.toString(16).padStart(8, "0")}: ${hex} ${[...bytes].map(shownChar).join("")}\n`;
}

/** Bytes of a dump, plain or with addresses. */
function undumped(text: string, isPlain: boolean): Buffer {
  const lines = isPlain ? [text.replaceAll(/\s/g, "")] : text.split("\n").map((line) => {
    const [, hex = ""] = /^\s*[0-9a-f]+:\s?((?:[0-9a-f]{2,} ?)*)/i.exec(line) ?? [];
    return hex.replaceAll(" ", "");
  });
  return Buffer.from(lines.map((line) => /^(?:[0-9a-f]{2})*/i.exec(line)?.[0] ?? "").join(""), "hex");
}

const MOST_IN_LINE = 12;

/** As an array of C. */
function arrayOf(bytes: Buffer, operand: string | undefined): string {
  const all = [...bytes].map((byte) => `0x${byte.toString(16).padStart(2, "0")}`);
  const lines: string[] = [];
  for (let at = 0; at < all.length; at += MOST_IN_LINE) {
    lines.push(`  ${all.slice(at, at + MOST_IN_LINE).join(", ")}`);
  }
  const body = lines.length === 0 ? "" : `${lines.join(",\n")}\n`;
  if (operand === undefined || operand === "-") return body;
  const name = operand.replaceAll(/[^A-Za-z0-9]/g, "_").replace(/^(?=\d)/, "__");
  return `unsigned char ${name}[] = {\n${body}};\nunsigned int ${name}_len = ${all.length};\n`;
}

/** The part of the bytes that is shown, and where it begins. */
function shownPart(all: Buffer, options: ReadonlyMap<string, string>) {
  const seek = options.get("s") ?? "0";
  const start = seek.startsWith("-")
    ? Math.max(all.length - wholeNumber(seek.slice(1)), 0)
    : wholeNumber(seek);
  const length = options.has("l") ? wholeNumber(options.get("l") ?? "") : all.length;
  return { start, bytes: all.subarray(start, start + length) };
}

interface Dump {
  readonly bytes: Buffer;
  readonly start: number;
  readonly options: ReadonlyMap<string, string>;
}

function dumped({ bytes, start, options }: Dump): string {
  const isPlain = options.has("p");
  const columns = wholeNumber(options.get("c") ?? String(isPlain ? PLAIN_COLUMNS : COLUMNS)) || bytes.length;
  if (columns > MAX_COLUMNS && !isPlain) {
    throw new UsageError(`invalid number of columns (max. ${MAX_COLUMNS}).`);
  }
  const group = wholeNumber(options.get("g") ?? "2") || columns;
  let out = "";
  for (let at = 0; at < bytes.length; at += columns) {
    const line = bytes.subarray(at, at + columns);
    out += isPlain ? `${line.toString("hex")}\n` : dumpLine(line, { address: start + at, columns, group });
  }
  return out;
}

/** The digits of bytes alone: addresses and characters stay as they are. */
const inUpperCase = (dump: string): string =>
  dump.replaceAll(
    /^([0-9a-f]{8}: )?((?:[0-9a-f]{2,} ?)+)/gm,
    (_all, address: string | undefined, hex: string) => `${address ?? ""}${hex.toUpperCase()}`,
  );

export const xxd = plainCommand("xxd", async (args, context) => {
  const words = args.map((arg) =>
    /^-(?:ps|plain|postscript)$/.test(arg) ? "-p" : arg === "-revert" ? "-r" : arg
  );
  const { options, operands } = parseOptions(words, { without: "ipru", withValue: "cgls" });
  if (operands.length > 1) throw new UsageError("an output file is not there: use >");
  const all = await dumpedBytes(operands[0] ?? "-", context);
  if (options.has("r")) {
    const stdout = undumped(all.toString("latin1"), options.has("p")).toString("latin1");
    return { ...printed(stdout), stdoutKind: "bytes" };
  }
  const { start, bytes } = shownPart(all, options);
  if (options.has("i")) return printed(arrayOf(bytes, operands[0]));
  const out = dumped({ bytes, start, options });
  return printed(options.has("u") ? inUpperCase(out) : out);
});

const octal = (byte: number | undefined): string => (byte ?? 0).toString(8).padStart(3);

/** As `cmp -b` shows a byte. */
function shownByte(byte = 0): string {
  const high = byte >= 0x80 ? "M-" : "";
  const low = byte & 0x7f;
  if (low === 0x7f) return `${high}^?`;
  return high + (low < 0x20 ? `^${String.fromCharCode(low + 0x40)}` : String.fromCharCode(low));
}

function countOf(text: string, option: string): number {
  const found = /^(\d{1,12})(k|K|KiB|kB|M|MB|MiB|)$/.exec(text);
  const factors = new Map([["", 1], ["k", 1024], ["K", 1024], ["KiB", 1024], ["kB", 1000], ["M", 1024 ** 2], [
    "MB",
    1000 ** 2,
  ], ["MiB", 1024 ** 2]]);
  if (found === null) throw new CallError(`invalid ${option} value '${text}'`);
  return Number(found[1]) * (factors.get(found[2] ?? "") ?? 1);
}

interface Compared {
  readonly names: readonly [string, string];
  readonly bytes: readonly [Buffer, Buffer];
  readonly options: ReadonlyMap<string, string>;
}

/** The bytes that both have and that differ; without `-l` the first of them alone. */
function differingBytes({ bytes: [a, b], options }: Compared): readonly number[] {
  const differing: number[] = [];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    if (a[at] === b[at]) continue;
    differing.push(at);
    if (!options.has("l")) break;
  }
  return differing;
}

function report(compared: Compared) {
  const { names: [name, other], bytes: [a, b], options } = compared;
  const shorter = Math.min(a.length, b.length);
  const differing = differingBytes(compared);
  const [first] = differing;
  if (first === undefined && a.length === b.length) return printed("");
  if (options.has("s")) return printed("", 1);
  const lines = a.subarray(0, first ?? shorter).toString("latin1").split("\n").length;
  const width = String(Math.max(a.length, b.length)).length;
  const listed = differing.map((at) => {
    const [left, right] = [a[at], b[at]];
    const bytes = options.has("b")
      ? `${octal(left)} ${shownByte(left).padEnd(4)} ${octal(right)} ${shownByte(right)}`
      : `${octal(left)} ${octal(right)}`;
    return `${String(at + 1).padStart(width)} ${bytes}\n`;
  });
  const bytes = first !== undefined && options.has("b")
    ? ` is ${octal(a[first])} ${shownByte(a[first])} ${octal(b[first])} ${shownByte(b[first])}`
    : "";
  const stdout = options.has("l")
    ? listed.join("")
    : first === undefined
    ? ""
    : `${name} ${other} differ: byte ${first + 1}, line ${lines}${bytes}\n`;
  const isShort = a.length !== b.length && (first === undefined || options.has("l"));
  const short = a.length < b.length ? name : other;
  const where = shorter === 0 ? "which is empty" : `after byte ${shorter}, in line ${lines}`;
  return { stdout, stderr: isShort ? `cmp: EOF on ${short} ${where}\n` : "", exitCode: 1 };
}

export const cmp = plainCommand("cmp", async (args, context) => {
  const { options, operands } = parseOptions(args, {
    without: "slb",
    withValue: "ni",
    long: new Map([["--silent", "-s"], ["--quiet", "-s"], ["--verbose", "-l"], ["--print-bytes", "-b"], [
      "--bytes",
      "-n",
    ], ["--ignore-initial", "-i"]]),
  });
  const [name, other = "-", ...skips] = operands;
  if (name === undefined) throw new CallError("missing operand after 'cmp'");
  const extra = skips[2];
  if (extra !== undefined) throw new CallError(`extra operand '${extra}'`);
  const most = options.has("n") ? countOf(options.get("n") ?? "", "--bytes") : Infinity;
  const [both = "0", ofOther = both] = (options.get("i") ?? "0").split(":");
  const skip = (at: 0 | 1) => countOf(skips[at] ?? (at === 0 ? both : ofOther), "--ignore-initial");
  const part = (bytes: Buffer, from: number) => bytes.subarray(from, from + most);
  try {
    const bytes = [await bytesOf(name, context), await bytesOf(other, context)] as const;
    const parts = [part(bytes[0], skip(0)), part(bytes[1], skip(1))] as const;
    return report({ names: [name, other], bytes: parts, options });
  } catch (error) {
    if (error instanceof UnreadableFile && options.has("s")) return printed("", 2);
    throw error;
  }
});
