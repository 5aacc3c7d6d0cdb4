/** Commands of just-bash that are kept from what they would do silently otherwise than meant. */

import { isUtf8 } from "node:buffer";
import { type Command, defineCommand, type ResolvedCommandContext } from "just-bash";
import { bytesOf } from "./plain_command.ts";

type Result = Awaited<ReturnType<Command["execute"]>>;

async function original(args: readonly string[], { origCommand }: ResolvedCommandContext): Promise<Result> {
  if (origCommand === undefined) throw new Error("A command of the package is missing");
  return await origCommand([...args]);
}

const refused = (stderr: string): Result => ({ stdout: "", stderr: `${stderr}\n`, exitCode: 2 });

/** A backslash and what it escapes: a number of a character, or something else. */
const escape = /\\(?:([0-7]{1,3})|[\s\S])/g;

/** `\0` is a character. */
const withCharacters = (arg: string): string =>
  arg.replaceAll(escape, (all: string, octal?: string) => {
    const char = octal === undefined ? all : String.fromCharCode(Number.parseInt(octal, 8));
    return char === "\\" ? "\\\\" : char;
  });

/** It works on characters. */
export const tr = defineCommand("tr", async (args, context) => {
  const isText = isUtf8(Buffer.from(String(context.stdin), "latin1"));
  return isText
    ? await original(args.map(withCharacters), context)
    : refused("tr: the input is no text in UTF-8: use python3");
});

/** It writes text to the standard output. */
export const tar = defineCommand("tar", async (args, context) => {
  const result = await original(args, context);
  const isLost = args.some((arg) => /^-?[a-zA-Z]*O/.test(arg) || arg === "--to-stdout") &&
    /[\x80-\uffff]/.test(result.stdout);
  return isLost ? refused("tar: -O writes ASCII only here: extract the file") : result;
});

/** Escapes of bytes that are no ASCII. */
const highByte = /\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2}/;
const asLatin1 = (text: string): string => Buffer.from(text).toString("latin1");

/** Forms that it gets wrong: one of any number, and one of a negative one. */
const wrongForm = /%[-#0 +\d.]*(?:(G)|([xXo]))/;

/** `\xff` is a byte. */
export const printf = defineCommand("printf", async (args, context) => {
  const [form = "", ...values] = args[0] === "-v" ? args.slice(2) : args;
  const [, general, whole] = wrongForm.exec(form) ?? [];
  if (general !== undefined) return refused("printf: %G is not there: use %g");
  if (whole !== undefined && values.some((value) => /^-\d/.test(value))) {
    return refused(`printf: %${whole} of a negative number is not there`);
  }
  if (!args.some((arg) => highByte.test(arg)) || args.some((arg) => /\\[uU]/.test(arg)) || args[0] === "-v") {
    return await original(args, context);
  }
  const result = await original(args.map(asLatin1), context);
  return { ...result, stdoutKind: "bytes", stdoutEncoding: "binary" };
});

/** Fields of a form that it prints as they are. */
const unknownField = /%[^%AFaNnsuUgG]/;

export const stat = defineCommand("stat", async (args, context) => {
  const at = args.findIndex((arg) => /^(?:-[Lt]*c|--format)$/.test(arg));
  const form = args.find((arg) => arg.startsWith("--format="))?.slice("--format=".length) ??
    (at < 0 ? "" : args[at + 1] ?? "");
  const [field] = unknownField.exec(form.replaceAll("%%", "")) ?? [];
  return field === undefined
    ? await original(args, context)
    : refused(`stat: ${field} is not there: use python3`);
});

const bareLength = /"(?:\\[\s\S]|[^"\\])*"|\blength\b(?!\s*\()/g;
const optionsWithValue: ReadonlySet<string> = new Set(["-F", "-v"]);

/** With the text of a program that `-f` names. */
async function withProgram(
  args: readonly string[],
  context: ResolvedCommandContext,
): Promise<readonly string[]> {
  const at = args.indexOf("-f");
  const path = args[at + 1];
  if (at < 0 || path === undefined) return args;
  const program = (await bytesOf(path, context)).toString().replace(/^#!.*\n/, "\n");
  return [...args.slice(0, at), program, ...args.slice(at + 2)];
}

/** One character parts fields as it is. */
const asField = (text: string): string =>
  /^[.|*+?$()[{]$/.test(text) ? `[${text}]` : text === "^" ? "\\^" : text;

/** Parts of fields as it takes them, and what parts those of its output, which it takes from `BEGIN` only. */
function withSeparators(args: readonly string[], at: number) {
  const kept: string[] = [];
  let before = "";
  for (let index = 0; index < at; index++) {
    const arg = args[index] ?? "";
    const value = /^-[Fv]$/.test(arg) ? args[++index] ?? "" : arg.slice(2);
    const [, joint] = arg.startsWith("-v") ? /^OFS=(.*)$/s.exec(value) ?? [] : [];
    if (joint !== undefined) before += `BEGIN {OFS="${joint.replaceAll('"', '\\"')}"} `;
    else if (arg.startsWith("-F")) kept.push("-F", asField(value));
    else kept.push(...(arg === "-v" ? [arg, value] : [arg]));
  }
  return { kept, before };
}

export const awk = defineCommand("awk", async (all, context) => {
  const args = await withProgram(all, context);
  const at = args.findIndex((arg, index) =>
    !arg.startsWith("-") && !optionsWithValue.has(args[index - 1] ?? "")
  );
  const program = args[at] ?? "";
  if (/\bRS\s*=\s*""/.test(program)) return refused('awk: RS="" is not there: use python3');
  if (program.includes("/dev/stderr")) return refused("awk: /dev/stderr is not there");
  const shown = program.replaceAll(bareLength, (word) => word === "length" ? "length($0)" : word);
  const { kept, before } = withSeparators(args, at);
  return await original([...kept, before + shown, ...args.slice(at + 1)], context);
});
