/** Wheels of Python's index for the Python of sandboxes, fetched by pip. */

import { need } from "./need.ts";

/** A row of `sandbox.python_wheels`. */
interface WheelRow {
  readonly file: string;
  readonly sha256: string;
}

const PYTHON = "/usr/bin/python3";
const VERSION = 'import sys; print("%d.%d" % sys.version_info[:2])';
const options = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:"] as const;

/** With all that the packages need; undefined, and said, where the index cannot be reached. */
export async function downloadWheels(
  folder: string,
  packages: readonly string[],
): Promise<readonly WheelRow[] | undefined> {
  const { stdout } = await new Deno.Command(PYTHON, { args: ["-c", VERSION] }).output();
  const version = new TextDecoder().decode(stdout).trim();
  const { success } = await new Deno.Command("python3", {
    args: ["-m", "pip", "download", ...options, "--python-version", version, "--dest", folder, ...packages],
    stdout: "null",
    stderr: "null",
  }).output();
  const what = `${packages.join(" and ")} of Python's index, by pip`;
  if (!need(success, { what, for: "Tests of wheels in containers" })) return undefined;
  const files = await Array.fromAsync(Deno.readDir(folder));
  return await Promise.all(files.map(async ({ name }) => {
    const file = `${folder}/${name}`;
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(file));
    return { file, sha256: new Uint8Array(digest).toHex() };
  }));
}
