/** `paste`: just-bash's own reads no standard input without a `-`, and no options with their value attached. */

import { defineCommand, type ResolvedCommandContext } from "just-bash";
import { inputLines, latin1Output } from "./inputs.ts";
import { parseOptions, UsageError } from "./options.ts";

const escapes: ReadonlyMap<string, string> = new Map([["n", "\n"], ["t", "\t"], ["0", ""], ["\\", "\\"]]);

const delimitersOf = (list: string): readonly string[] =>
  (list.match(/\\.|[\s\S]/g) ?? [""]).map((one) =>
    one.length === 2 ? escapes.get(one.charAt(1)) ?? one : one
  );

async function run(args: readonly string[], context: ResolvedCommandContext) {
  const { options, operands } = parseOptions(args, {
    without: "sz",
    withValue: "d",
    long: new Map([["--serial", "-s"], ["--delimiters", "-d"]]),
  });
  const terminator = options.has("z") ? "\0" : "\n";
  const delimiters = delimitersOf(options.get("d") ?? "\t");
  const joined = (cells: readonly string[]) =>
    cells.map((cell, at) => at === 0 ? cell : (delimiters[(at - 1) % delimiters.length] ?? "") + cell).join(
      "",
    );
  const names = operands.length === 0 ? ["-"] : operands;
  const columns: (readonly string[])[] = [];
  for (const name of new Set(names)) {
    const { lines, stderr, exitCode } = await inputLines([name], { context, terminator, name: "paste" });
    if (exitCode !== 0) return { stdout: "", stderr, exitCode };
    // A name that is there several times is read by turns.
    const shares = names.filter((one) => one === name).length;
    for (let share = 0; share < shares; share++) {
      columns.push(lines.filter((_line, at) => at % shares === share));
    }
  }
  if (options.has("s")) return latin1Output(columns.map((lines) => joined(lines) + terminator).join(""));
  const rows = Math.max(0, ...columns.map(({ length }) => length));
  const all = Array.from({ length: rows }, (_none, row) => joined(columns.map((lines) => lines[row] ?? "")));
  return latin1Output(all.map((row) => row + terminator).join(""));
}

export const paste = defineCommand("paste", async (args, context) => {
  try {
    return await run(args, context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { stdout: "", stderr: `paste: ${error.message}\n`, exitCode: 1 };
  }
});
