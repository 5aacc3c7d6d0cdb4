/** The commands, made from the table of operations: `keys.list` is `keys list`, its path's parameters are words. */

import type * as z from "zod";
import { managementApi } from "../../shared/management/api.ts";
import type { ManagementOperation } from "../../shared/management/operation.ts";

export interface Command {
  /** `keys list` */
  readonly name: string;
  /** Names of the path's parameters, in order. */
  readonly params: readonly string[];
  readonly row: CommandOperation;
}

/** An operation whose input and output are JSON. */
export interface CommandOperation extends ManagementOperation {
  readonly body?: z.ZodType;
  readonly output: z.ZodType;
}

const isJson = (row: ManagementOperation): row is CommandOperation =>
  row.body !== "multipart" && row.output !== "bytes";

const words = (id: string) =>
  id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-").replaceAll(".", " ");

const paramsOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

/**
 * What management keys may do; everything else is not for an operator's command line. The bytes of files go through
 * `curl`, which reads and writes any path.
 */
export const commands: readonly Command[] = Object.entries<ManagementOperation>(managementApi)
  .filter(([, { who }]) => who.includes("management"))
  .flatMap(([id, row]) => isJson(row) ? [{ name: words(id), params: paramsOf(row.path), row }] : []);

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
  const shown = commands.filter(({ name }) => name.startsWith(family));
  const usage = ({ name, params }: Command) => [name, ...params.map((param) => `<${param}>`)].join(" ");
  const width = Math.max(0, ...shown.map((command) => usage(command).length));
  return shown.map((command) => `  ${usage(command).padEnd(width)}  ${command.row.summary}`).join("\n");
}
