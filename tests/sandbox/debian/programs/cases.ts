/** Calls of commands that the engine `virtual` has of its own, a line each, and the files that they find. */

export interface ProgramCall {
  readonly command: string;
  readonly code: string;
}

/** The result of a call. */
export interface ProgramResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

const MARK = "#### ";

/** By command, in the order of the file. */
export async function allCalls(): Promise<readonly ProgramCall[]> {
  const lines = (await Deno.readTextFile(new URL("cases.txt", import.meta.url))).split("\n");
  let command = "";
  return lines.flatMap((line) => {
    if (!line.startsWith(MARK)) return line === "" ? [] : [{ command, code: line }];
    command = line.slice(MARK.length);
    return [];
  });
}

const everyByte = Uint8Array.from({ length: 256 }, (_none, byte) => byte).toHex();

/** Makes the files in a working folder. */
export const fixtures = [
  "printf '%s\\n' a b c d e > letters",
  "printf '%s\\n' a B c d f > more",
  "printf '%s\\n' 'two words' 'foo boo zoo' > words",
  "printf 'a\\tb\\\\\\n' > tabs",
  "printf 'a\\nb' > noend",
  ": > empty",
  `echo ${everyByte} | xxd -r -p > binary`,
  "mkdir folder; : > folder/inner",
].join("; ");

/** Without what a locale or the place in a script makes of it: quotes, and the number of a line. */
export const plainWords = (stderr: string): string =>
  stderr.replaceAll(/[‘’]/g, "'").replaceAll(/^(?:\/\S*\/)?bash: line \d+: /gm, "bash: ");
