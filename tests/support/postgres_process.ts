/** Runs PostgreSQL's programs, which refuse to run as root. */

import assert from "node:assert/strict";

const DEBIAN = "/usr/lib/postgresql";

/** The folders that may have them, the newest version first. */
function folders(): readonly string[] {
  let versions: string[] = [];
  try {
    versions = [...Deno.readDirSync(DEBIAN)].map(({ name }) => name).sort((a, b) => Number(b) - Number(a));
  } catch {
    // Not Debian, or nothing installed.
  }
  const path = (Deno.env.get("PATH") ?? "").split(":");
  return [...versions.map((version) => `${DEBIAN}/${version}/bin`), ...path];
}

/** The path of one of the programs. */
export function program(name: string): string | undefined {
  return folders().map((folder) => `${folder}/${name}`).find(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    // Not there.
    return false;
  }
}

/** Asked of a program, because the tests run without the permission for `Deno.uid`. */
function isRoot(): boolean {
  const { stdout } = new Deno.Command("id", { args: ["-u"] }).outputSync();
  return new TextDecoder().decode(stdout).trim() === "0";
}

/** Runs a program as a user that PostgreSQL accepts; what it printed, or a failure with what it said. */
export async function runAs(name: string, args: readonly string[]): Promise<string> {
  const { command, rest } = asUser(name, args);
  const { success, stdout, stderr } = await new Deno.Command(command, { args: rest, ...SURROUNDINGS })
    .output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  assert(success, `${name} ${args[0]}: ${text(stderr)}`);
  return text(stdout);
}

/** The same for `pg_ctl start`: a server keeps the streams that it was started with, so it gets none to hold. */
export async function runDetached(name: string, args: readonly string[]): Promise<void> {
  const { command, rest } = asUser(name, args);
  const silent = { stdout: "null", stderr: "null" } as const;
  const { success } = await new Deno.Command(command, { args: rest, ...SURROUNDINGS, ...silent }).spawn()
    .status;
  assert(success, `${name} ${args.join(" ")} did not succeed`);
}

const SURROUNDINGS = { cwd: "/", env: { LC_ALL: "C" }, stdin: "null" } as const;

function asUser(name: string, args: readonly string[]) {
  const path = program(name);
  assert(path !== undefined, `${name} is not installed`);
  if (!isRoot()) return { command: path, rest: [...args] };
  const user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];
  return { command: "setpriv", rest: [...user, "--", path, ...args] };
}

/** A new folder that the user of `runAs` owns. */
export async function ownFolder(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-postgres-" });
  if (!isRoot()) return folder;
  const { success } = await new Deno.Command("chown", { args: ["postgres:postgres", folder] }).output();
  assert(success, "There is no user postgres that a server could run as");
  return folder;
}

/**
 * Leaves a small shell behind that waits for the end of this process, then ends the server whose process id is
 * in `pidFile` and removes `path`.
 */
export function watchOver(path: string, pidFile: string): void {
  // What ends this process may be sent to its whole group, and must not end the shell before its work is done.
  const script = 'trap "" TERM INT HUP; while kill -0 "$1" 2>/dev/null && [ -e "$2" ]; do sleep 1; done; ' +
    '[ -n "$3" ] && [ -e "$3" ] && kill -QUIT "$(head -n 1 "$3")"; rm -rf "$2"';
  const outer = `( ${script} ) >/dev/null 2>&1 </dev/null &`;
  new Deno.Command("sh", {
    args: ["-c", outer, "sh", String(Deno.pid), path, pidFile],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).outputSync();
}
