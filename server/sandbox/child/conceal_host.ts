/**
 * Takes what tells of the machine out of the process's globals: its environment, its arguments and its paths. What is
 * loaded behind this module, and what a container runs, finds an empty environment instead of a refused one.
 */

import process from "node:process";

/** Path that a program sees instead of a path of the machine. */
export const NOWHERE = "/";

function replace(owner: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(owner, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

/** With what Deno starts its part that is like Node. */
function toInner(value: unknown) {
  return value as { readonly __nodeBootstrapArgs?: object };
}

/** A stack names files by their place on the machine: the last part is enough. */
function withoutFolders(frame: NodeJS.CallSite): string {
  return String(frame).replaceAll(/(?:file:\/\/)?\/[^\s()]*\//g, "");
}

replace(process, {
  env: {},
  argv: ["deno"],
  execArgv: [],
  cwd: () => NOWHERE,
});
process.argv0 = "deno";
process.execPath = NOWHERE;
for (const key of Object.getOwnPropertySymbols(Deno)) {
  const { __nodeBootstrapArgs: args } = toInner(Reflect.get(Deno, key));
  if (args !== undefined) replace(args, { argv0: "deno" });
}
replace(Deno, { mainModule: "file:///", execPath: () => NOWHERE, cwd: () => NOWHERE });
Error.prepareStackTrace = (error, frames) =>
  [String(error), ...frames.map((frame) => `    at ${withoutFolders(frame)}`)].join("\n");
