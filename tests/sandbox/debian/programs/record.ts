/**
 * Records what the programs of Debian 12 give for the calls of `cases.txt`: as root, which runs each of them as an
 * ordinary user in a folder of its own, `deno run --allow-run --allow-read --allow-write --allow-sys
 * --config tests/deno.json tests/sandbox/debian/programs/record.ts`, with xxd installed.
 */

import { allCalls, fixtures, plainWords, type ProgramResult } from "./cases.ts";

const USER = 1_000;
const decoder = new TextDecoder();

async function runIn(folder: string, code: string): Promise<ProgramResult> {
  const { stdout, stderr, code: status } = await new Deno.Command("bash", {
    args: ["-c", code],
    uid: USER,
    gid: USER,
    cwd: folder,
    stdin: "null",
    clearEnv: true,
    env: { HOME: folder, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
  }).output();
  return { stdout: decoder.decode(stdout), stderr: plainWords(decoder.decode(stderr)), status };
}

const release = await Deno.readTextFile("/etc/debian_version");
if (!release.startsWith("12.")) throw new Error(`Debian ${release.trim()} is not 12`);

const recorded: [string, ProgramResult][] = [];
for (const { code } of await allCalls()) {
  const folder = await Deno.makeTempDir();
  await Deno.chown(folder, USER, USER);
  await runIn(folder, fixtures);
  recorded.push([code, await runIn(folder, code)]);
  await Deno.remove(folder, { recursive: true });
}
await Deno.writeTextFile(
  new URL("results.json", import.meta.url),
  `${JSON.stringify(Object.fromEntries(recorded), null, 1)}\n`,
);
