/** Commands that show and compare bytes: `xxd`, `cmp`, and checksums of SHA-2 that just-bash does not have. */

import { createHash } from "node:crypto";
import type { ResolvedCommandContext } from "just-bash";
import { parseOptions, UsageError } from "./options.ts";
import { bytesOf, plainCommand, printed } from "./plain_command.ts";

const PLAIN_COLUMNS = 30;
const COLUMNS = 16;
const MAX_COLUMNS = 256;

function wholeNumber(text: string): number {
  if (!/^(?:0x[0-9a-f]{1,8}|\d{1,12})$/i.test(text)) throw new UsageError(`invalid number '${text}'`);
  return Number(text);
}

const shownChar = (byte: number): string => byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".";

function dumpLine(
  bytes: Buffer,
  { address, columns }: { readonly address: number; readonly columns: number },
): string {
  const pairs = bytes.toString("hex").match(/.{1,4}/g) ?? [];
  const width = columns * 2 + Math.ceil(columns / 2);
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

export const xxd = plainCommand("xxd", async (args, context) => {
  const words = args.map((arg) =>
    /^-(?:ps|plain|postscript)$/.test(arg) ? "-p" : arg === "-revert" ? "-r" : arg
  );
  const { options, operands } = parseOptions(words, { without: "pru", withValue: "cls" });
  if (operands.length > 1) throw new UsageError("an output file is not there: use >");
  const all = await bytesOf(operands[0] ?? "-", context);
  if (options.has("r")) {
    const stdout = undumped(all.toString("latin1"), options.has("p")).toString("latin1");
    return { ...printed(stdout), stdoutKind: "bytes" };
  }
  const start = wholeNumber(options.get("s") ?? "0");
  const length = options.has("l") ? wholeNumber(options.get("l") ?? "") : all.length;
  const bytes = all.subarray(start, start + length);
  const isPlain = options.has("p");
  const columns = wholeNumber(options.get("c") ?? String(isPlain ? PLAIN_COLUMNS : COLUMNS)) || bytes.length;
  if (columns > MAX_COLUMNS && !isPlain) {
    throw new UsageError(`invalid number of columns (max. ${MAX_COLUMNS})`);
  }
  let out = "";
  for (let at = 0; at < bytes.length; at += columns) {
    const line = bytes.subarray(at, at + columns);
    out += isPlain ? `${line.toString("hex")}\n` : dumpLine(line, { address: start + at, columns });
  }
  return printed(options.has("u") ? out.toUpperCase() : out);
});

const octal = (byte: number | undefined): string => (byte ?? 0).toString(8).padStart(3);

export const cmp = plainCommand("cmp", async (args, context) => {
  const { options, operands } = parseOptions(args, {
    without: "slb",
    withValue: "n",
    long: new Map([["--silent", "-s"], ["--quiet", "-s"], ["--verbose", "-l"], ["--bytes", "-n"]]),
  });
  const [name = "", other = "-", ...more] = operands;
  if (name === "" || more.length > 0) throw new UsageError("one or two files are compared");
  const most = options.has("n") ? wholeNumber(options.get("n") ?? "") : undefined;
  const [a, b] = [
    (await bytesOf(name, context)).subarray(0, most),
    (await bytesOf(other, context)).subarray(0, most),
  ];
  const shorter = Math.min(a.length, b.length);
  const differing: number[] = [];
  for (let at = 0; at < shorter; at++) {
    if (a[at] === b[at]) continue;
    differing.push(at);
    if (!options.has("l")) break;
  }
  const [first] = differing;
  if (first === undefined && a.length === b.length) return printed("");
  if (options.has("s")) return printed("", 1);
  const lines = a.subarray(0, first ?? shorter).toString("latin1").split("\n").length;
  const width = String(Math.max(a.length, b.length)).length;
  const listed = differing.map((at) => `${String(at + 1).padStart(width)} ${octal(a[at])} ${octal(b[at])}\n`)
    .join("");
  const stdout = options.has("l")
    ? listed
    : first === undefined
    ? ""
    : `${name} ${other} differ: byte ${first + 1}, line ${lines}\n`;
  const isShort = a.length !== b.length && (first === undefined || options.has("l"));
  const short = a.length < b.length ? name : other;
  const where = shorter === 0 ? "which is empty" : `after byte ${shorter}, in line ${lines}`;
  return { stdout, stderr: isShort ? `cmp: EOF on ${short} ${where}\n` : "", exitCode: 1 };
});

async function digestLines(algorithm: string, { operands, context }: {
  readonly operands: readonly string[];
  readonly context: ResolvedCommandContext;
}): Promise<string> {
  const lines: string[] = [];
  for (const name of operands.length === 0 ? ["-"] : operands) {
    lines.push(`${createHash(algorithm).update(await bytesOf(name, context)).digest("hex")}  ${name}\n`);
  }
  return lines.join("");
}

const digest = (name: string, algorithm: string) =>
  plainCommand(name, async (args, context) => {
    const { options, operands } = parseOptions(args, { without: "bct", withValue: "" });
    if (options.has("c")) throw new UsageError("-c is not there: compare with the output of a second run");
    return printed(await digestLines(algorithm, { operands, context }));
  });

export const digests = [
  digest("sha224sum", "sha224"),
  digest("sha384sum", "sha384"),
  digest("sha512sum", "sha512"),
] as const;
