/**
 * Records what bash and Python of Debian 12 give for the snippets: as root, which runs each of them as an ordinary user
 * in a folder of its own, `deno run --allow-run --allow-read --allow-write --allow-sys --config tests/deno.json
 * tests/sandbox/debian/record.ts`, with bc, bsdextrautils, file, git, jq, patch, python3, ripgrep, sqlite3, unzip, xxd
 * and zip installed.
 */

import { join } from "node:path";
import { allSnippets, fingerprint, isCompared, type Recorded, type Snippet } from "./snippets.ts";

const USER = 1_000;
const decoder = new TextDecoder();

async function filesBelow(folder: string, path = ""): Promise<readonly (readonly [string, string])[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(folder, path)));
  const found = entries.map(async ({ name, isDirectory, isSymlink }) => {
    const below = path === "" ? name : `${path}/${name}`;
    const full = join(folder, below);
    if (isDirectory) return await filesBelow(folder, below);
    if (!isCompared(below)) return [];
    if (isSymlink) return [[below, `-> ${await Deno.readLink(full)}`] as const];
    return [[below, await fingerprint(below, () => Deno.readFile(full))] as const];
  });
  return (await Promise.all(found)).flat();
}

async function record({ language, code }: Snippet): Promise<Recorded> {
  const folder = await Deno.makeTempDir();
  await Deno.chown(folder, USER, USER);
  const [program, ...args] = language === "bash" ? ["bash", "-c", code] : ["python3", "-c", code];
  const { stdout, code: status } = await new Deno.Command(program, {
    args,
    uid: USER,
    gid: USER,
    cwd: folder,
    stdin: "null",
    clearEnv: true,
    env: { HOME: folder, PATH: "/usr/bin:/bin", LANG: "C.UTF-8", PYTHONDONTWRITEBYTECODE: "1" },
  }).output();
  const files = Object.fromEntries((await filesBelow(folder)).toSorted(([a], [b]) => a < b ? -1 : 1));
  await Deno.remove(folder, { recursive: true });
  return { stdout: decoder.decode(stdout), status, files };
}

const release = await Deno.readTextFile("/etc/debian_version");
if (!release.startsWith("12.")) throw new Error(`Debian ${release.trim()} is not 12`);

const recorded: [string, Recorded][] = [];
for (const snippet of await allSnippets()) recorded.push([snippet.name, await record(snippet)]);
await Deno.writeTextFile(
  new URL("outputs.json", import.meta.url),
  `${JSON.stringify(Object.fromEntries(recorded), null, 2)}\n`,
);
