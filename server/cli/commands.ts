/** The commands, made from the table of operations: `keys.list` is `keys list`, its path's parameters are words. */

import { localCommands } from "./local_commands.ts";

import { managementApi } from "../../shared/management/api.ts";
import type { ManagementOperation } from "../../shared/management/operation.ts";

export interface Command {
  /** `keys list` */
  readonly name: string;
  /** Names of the path's parameters, in order. */
  readonly params: readonly string[];
  readonly row: ManagementOperation;
}

/** An operation whose output is bytes is called `download`, whatever its route says. */
const words = (id: string, { output }: ManagementOperation) =>
  id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-").replaceAll(".", " ")
    .replace(/ content$/, output === "bytes" ? " download" : " content");

const paramsOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

/** Commands: the operations of management keys; all others are not for an operator's command line. */
export const commands: readonly Command[] = Object.entries<ManagementOperation>(managementApi)
  .filter(([, { who }]) => who.includes("management"))
  .map(([id, row]) => ({ name: words(id, row), params: paramsOf(row.path), row }));

/** The command that the words begin with, and the words that follow it; the longest name wins. */
export function findCommand(
  input: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  const text = input.join(" ");
  const [command] = commands
    .filter(({ name }) => text === name || text.startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length);
  return command && { command, rest: input.slice(command.name.split(" ").length) };
}

/** One line a command whose name begins with `family`; all without one. */
export function commandList(family = ""): string {
  const all = [
    ...commands.map(({ name, params, row }) => ({ name, params, summary: row.summary })),
    ...localCommands.map(({ name, summary }) => ({ name, params: [], summary })),
  ];
  const shown = all.filter(({ name }) => name.startsWith(family)).map(({ name, params, summary }) => ({
    usage: [name, ...params.map((param) => `<${param}>`)].join(" "),
    summary,
  }));
  const width = Math.max(0, ...shown.map(({ usage }) => usage.length));
  return shown.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`).join("\n");
}
