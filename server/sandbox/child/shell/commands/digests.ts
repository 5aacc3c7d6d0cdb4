/** `md5sum` and the checksums of SHA, as GNU's: made and checked. */

import { createHash } from "node:crypto";
import type { ResolvedCommandContext } from "just-bash";
import { CallError, parseOptions, UsageError } from "./options.ts";
import { bytesOf, plainCommand, UnreadableFile } from "./plain_command.ts";

interface Digest {
  readonly command: string;
  readonly algorithm: string;
}

const sums: readonly Digest[] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"].map((algorithm) => ({
  command: `${algorithm}sum`,
  algorithm,
}));

const form = {
  without: "bctzqsSwIT",
  withValue: "",
  long: new Map([
    ["--binary", "-b"],
    ["--check", "-c"],
    ["--text", "-t"],
    ["--zero", "-z"],
    ["--quiet", "-q"],
    ["--status", "-s"],
    ["--strict", "-S"],
    ["--warn", "-w"],
    ["--ignore-missing", "-I"],
    ["--tag", "-T"],
  ]),
};

interface DigestCall extends Digest {
  readonly options: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  readonly context: ResolvedCommandContext;
}

interface Output {
  stdout: string;
  stderr: string;
  hasFailed: boolean;
}

/** Undefined where it cannot be read, which is told. */
async function digestOf(name: string, call: DigestCall, output: Output): Promise<string | undefined> {
  try {
    return createHash(call.algorithm).update(await bytesOf(name, call.context)).digest("hex");
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    output.hasFailed = true;
    const isIgnored = call.options.has("c") && call.options.has("I") && error.code === "ENOENT";
    if (!isIgnored) output.stderr += `${call.command}: ${error.message}\n`;
    return undefined;
  }
}

async function make(call: DigestCall): Promise<Output> {
  const { options, operands, algorithm } = call;
  const output: Output = { stdout: "", stderr: "", hasFailed: false };
  for (const name of operands) {
    const digest = await digestOf(name, call, output);
    if (digest === undefined) continue;
    const line = options.has("T")
      ? `${algorithm.toUpperCase()} (${name}) = ${digest}`
      : `${digest} ${options.has("b") ? "*" : " "}${name}`;
    output.stdout += line + (options.has("z") ? "\0" : "\n");
  }
  return output;
}

interface Listed {
  readonly name: string;
  readonly digest: string;
}

function parseLine(line: string, { algorithm }: Digest): Listed | undefined {
  const length = createHash(algorithm).digest("hex").length;
  const [, digest = "", name = ""] = /^([0-9a-fA-F]+) [ *](.+)$/.exec(line) ?? [];
  if (digest.length === length) return { name, digest: digest.toLowerCase() };
  const [, kind, tagged = "", sum = ""] = /^(\w+) \((.+)\) = ([0-9a-f]+)$/.exec(line) ?? [];
  const isOfKind = kind === algorithm.toUpperCase() && sum.length === length;
  return isOfKind ? { name: tagged, digest: sum } : undefined;
}

/** `1 line is improperly formatted`, `2 lines are …`. */
const warning = (count: number, words: readonly [one: string, many: string]): readonly string[] =>
  count === 0 ? [] : [`WARNING: ${count} ${words[count === 1 ? 0 : 1]}`];

async function check(list: string, call: DigestCall, output: Output): Promise<void> {
  const { options, context, command } = call;
  const lines = (await bytesOf(list, context)).toString().split("\n").filter((line) =>
    line !== "" && !line.startsWith("#")
  );
  const listed = lines.flatMap((line) => parseLine(line, call) ?? []);
  const title = list === "-" ? "'standard input'" : list;
  if (listed.length === 0) throw new UsageError(`${title}: no properly formatted checksum lines found`);
  let [unread, wrong, right] = [0, 0, 0];
  const isSilent = options.has("s");
  for (const { name, digest } of listed) {
    const before = output.stderr;
    const found = await digestOf(name, call, output);
    const isOk = found === digest;
    if (found === undefined && output.stderr === before) continue;
    if (found === undefined) unread++;
    else if (isOk) right++;
    else wrong++;
    if (isSilent || (isOk && options.has("q"))) continue;
    output.stdout += `${name}: ${isOk ? "OK" : found === undefined ? "FAILED open or read" : "FAILED"}\n`;
  }
  const bad = lines.length - listed.length;
  const words = [
    ...warning(bad, ["line is improperly formatted", "lines are improperly formatted"]),
    ...warning(unread, ["listed file could not be read", "listed files could not be read"]),
    ...warning(wrong, ["computed checksum did NOT match", "computed checksums did NOT match"]),
  ];
  if (right === 0 && options.has("I")) words.push(`${title}: no file was verified`);
  if (!isSilent) output.stderr += words.map((word) => `${command}: ${word}\n`).join("");
  output.hasFailed = unread + wrong > 0 || (bad > 0 && options.has("S")) || (right === 0 && options.has("I"));
}

const toResult = ({ stdout, stderr, hasFailed }: Output) => ({ stdout, stderr, exitCode: hasFailed ? 1 : 0 });

async function run(call: DigestCall) {
  if (!call.options.has("c")) return toResult(await make(call));
  if (call.options.has("T")) throw new CallError("the --tag option is meaningless when verifying checksums");
  const output: Output = { stdout: "", stderr: "", hasFailed: false };
  let hasFailed = false;
  for (const list of call.operands) {
    try {
      await check(list, call, output);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      output.stderr += `${call.command}: ${error.message}\n`;
      output.hasFailed = true;
    }
    hasFailed ||= output.hasFailed;
  }
  return toResult({ ...output, hasFailed });
}

export const digests = sums.map((sum) =>
  plainCommand(sum.command, async (args, context) => {
    const { options, operands } = parseOptions(args, form);
    const names = operands.length === 0 ? ["-"] : operands;
    return await run({ ...sum, options, operands: names, context });
  })
);
