/** The state that lasts from one command to the next: the working folder and the exported variables. */

import { MAX_ENVIRONMENT_CHARS } from "../messages.ts";
import { boxVariables, networkVariables } from "./chains.ts";

export interface ShellState {
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Variables that every command has anew. */
const ownVariables: ReadonlySet<string> = new Set(["_", "PWD", "SHLVL"]);
const givenVariables: ReadonlyMap<string, string> = new Map([...boxVariables, ...networkVariables]);
/** Exported functions have other names. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_FOLDER_CHARS = 4_096;

/** As the programs `shell` and `python` read it, in front of the code. */
export function encodeState({ workingFolder, environment }: ShellState): Uint8Array {
  const parts = [workingFolder, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)];
  return new TextEncoder().encode([String(parts.length), ...parts, ""].join("\0"));
}

/** The state that a command has left; `before` where it has left none, or one that makes no sense. */
export function decodeState(base64: string, before: ShellState): ShellState {
  const [workingFolder = "", ...variables] = new TextDecoder().decode(Uint8Array.fromBase64(base64)).split(
    "\0",
  );
  if (!workingFolder.startsWith("/") || workingFolder.length > MAX_FOLDER_CHARS) return before;
  let left = MAX_ENVIRONMENT_CHARS;
  const environment = Object.fromEntries(variables.flatMap((variable) => {
    const end = variable.indexOf("=");
    const [name, value] = [variable.slice(0, Math.max(end, 0)), variable.slice(end + 1)];
    if (!variableName.test(name) || ownVariables.has(name) || givenVariables.get(name) === value) return [];
    left -= name.length + value.length;
    return left < 0 ? [] : [[name, value]];
  }));
  return { workingFolder, environment };
}
