/** `env` and `printenv`: just-bash's own show variables that are not exported. */

import { defineCommand } from "just-bash";

const failed = (stderr: string, exitCode: number) => ({ stdout: "", stderr, exitCode });
const listed = (variables: Iterable<readonly [string, string]>): string =>
  [...variables].map(([name, value]) => `${name}=${value}\n`).join("");

interface EnvCall {
  readonly isEmpty: boolean;
  readonly unset: readonly string[];
  readonly set: readonly (readonly [string, string])[];
  readonly command: readonly string[];
}

/** A text says what is wrong. */
function parseCall(args: readonly string[]): EnvCall | string {
  const [unset, set]: [string[], [string, string][]] = [[], []];
  let [isEmpty, index] = [false, 0];
  for (; index < args.length; index++) {
    const arg = args[index] ?? "";
    const assigned = /^([^=]+)=([\s\S]*)$/.exec(arg);
    if (arg === "-i" || arg === "-" || arg === "--ignore-environment") isEmpty = true;
    else if (arg === "-u") unset.push(args[++index] ?? "");
    else if (arg.startsWith("--unset=")) unset.push(arg.slice("--unset=".length));
    else if (arg === "--") {
      index++;
      break;
    } else if (arg.startsWith("-")) return `env: invalid option -- '${arg.replace(/^-+/, "")}'\n`;
    else if (assigned !== null) set.push([assigned[1] ?? "", assigned[2] ?? ""]);
    else break;
  }
  return { isEmpty, unset, set, command: args.slice(index) };
}

export const env = defineCommand("env", async (args, { exportedEnv = {}, exec, cwd, stdin, signal }) => {
  const call = parseCall(args);
  if (typeof call === "string") return failed(call, 125);
  const variables = new Map(call.isEmpty ? [] : Object.entries(exportedEnv));
  for (const name of call.unset) variables.delete(name);
  for (const [name, value] of call.set) variables.set(name, value);
  if (call.command.length === 0) return { stdout: listed(variables), stderr: "", exitCode: 0 };
  if (exec === undefined) return failed("env: no command can be run\n", 126);
  return await exec("command", {
    cwd,
    env: Object.fromEntries(variables),
    replaceEnv: true,
    stdin: String(stdin),
    stdinKind: "bytes",
    signal,
    args: [...call.command],
  });
});

export const printenv = defineCommand("printenv", (args, { exportedEnv = {} }) => {
  const variables = new Map(Object.entries(exportedEnv));
  if (args.length === 0) return Promise.resolve({ stdout: listed(variables), stderr: "", exitCode: 0 });
  const values = args.flatMap((name) => variables.get(name) ?? []);
  return Promise.resolve({
    stdout: values.map((value) => `${value}\n`).join(""),
    stderr: "",
    exitCode: values.length < args.length ? 1 : 0,
  });
});
