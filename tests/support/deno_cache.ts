/** Caches of Deno for tests: copies of this machine's, with the packages of some lock files only. */

import * as z from "zod";
import { copySync } from "./copy.ts";

const lockSchema = z.object({ npm: z.record(z.string(), z.unknown()) });
const infoSchema = z.object({ denoDir: z.string() });

/** Where this machine's cache is. */
export async function cacheFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return infoSchema.parse(JSON.parse(new TextDecoder().decode(stdout))).denoDir;
}

/** Where it has the packages of its registry. */
async function registryFolder(): Promise<string> {
  const npmCache = `${await cacheFolder()}/npm`;
  for (const { name } of Deno.readDirSync(npmCache)) {
    if (name.includes(".") || name.includes("_")) return `${npmCache}/${name}`;
  }
  throw new Error(`${npmCache} has no registry's folder`);
}

/** Copies what the lock files name into `to`, a new cache. */
export async function copyCache(to: string, locks: readonly URL[]): Promise<void> {
  const from = await registryFolder();
  const host = from.split("/").at(-1) ?? "";
  for (const lock of locks) {
    const { npm } = lockSchema.parse(JSON.parse(await Deno.readTextFile(lock)));
    for (const key of Object.keys(npm)) {
      const [, name = "", version = ""] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? [];
      const target = `${to}/npm/${host}/${name}`;
      if (!exists(`${from}/${name}/${version}`)) continue;
      Deno.mkdirSync(target, { recursive: true });
      if (!exists(`${target}/${version}`)) copySync(`${from}/${name}/${version}`, `${target}/${version}`);
      if (exists(`${from}/${name}/registry.json`)) {
        Deno.copyFileSync(`${from}/${name}/registry.json`, `${target}/registry.json`);
      }
    }
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
