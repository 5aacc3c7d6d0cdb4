/**
 * Records what bash prints for the scripts: `deno run --allow-run --allow-read --allow-write --config tests/deno.json
 * tests/sandbox/debian/record.ts`, on Debian 12 with jq and python3.
 */

import { scripts } from "./scripts.ts";

const decoder = new TextDecoder();
const release = await Deno.readTextFile("/etc/debian_version");
if (!release.startsWith("12.")) throw new Error(`Debian ${release.trim()} is not 12`);

const recorded: Record<string, { readonly stdout: string; readonly status: number }> = {};
for (const [name, code] of Object.entries(scripts)) {
  const folder = await Deno.makeTempDir();
  const { stdout, code: status } = await new Deno.Command("bash", {
    args: ["-c", code],
    cwd: folder,
    env: { HOME: folder, PATH: "/usr/bin:/bin", LC_ALL: "C" },
    clearEnv: true,
  }).output();
  recorded[name] = { stdout: decoder.decode(stdout), status };
  await Deno.remove(folder, { recursive: true });
}
await Deno.writeTextFile(
  new URL("outputs.json", import.meta.url),
  `${JSON.stringify(recorded, null, 2)}\n`,
);
