/**
 * Commands whose name is made by an expansion: `$CMD`, `"${cmd[@]}"`, `$(…)`. just-bash takes what comes of it for one
 * name; in bash it is split into words like any other, and the first of them is the name.
 */

import type { Command } from "./interpreter.ts";

type Word = NonNullable<Extract<Command, { type: "SimpleCommand" }>["name"]>;

/** No command of a container can be called so. */
const RUN = "\0run";
const runWord: Word = { type: "Word", parts: [{ type: "Literal", value: RUN }] };
const fixedParts: ReadonlySet<string> = new Set([
  "Literal",
  "SingleQuoted",
  "Escaped",
  "TildeExpansion",
  "Glob",
]);
const split = new WeakMap<Command, Command>();

/** With the name as the first argument, where it is made by an expansion. */
export function withNameAsArgument(command: Command): Command {
  if (command.type !== "SimpleCommand" || command.name === null || isFixed(command.name)) return command;
  const known = split.get(command);
  if (known !== undefined) return known;
  const made = { ...command, name: runWord, args: [command.name, ...command.args] };
  split.set(command, made);
  return made;
}

const isFixed = ({ parts }: Word): boolean => parts.every(({ type }) => fixedParts.has(type));

export interface SplitCall {
  readonly name: string;
  readonly args: readonly string[];
  /** Further arguments of a call: first whether each argument is quoted. */
  readonly more: readonly unknown[];
}

/** The call that is meant; undefined where the expansion came to nothing. */
export function splitCall(call: SplitCall): SplitCall | undefined {
  if (call.name !== RUN) return call;
  const [name, ...args] = call.args;
  if (name === undefined) return undefined;
  const [quoted, ...more] = call.more;
  return { name, args, more: [Array.isArray(quoted) ? quoted.slice(1) : quoted, ...more] };
}
