/**
 * Run by the tasks of deno.json, before the gateway: prints the paths of a permission flag (`read`, `write` or `run`).
 * It ends before the gateway starts.
 */

import { ConfigError } from "../config/config_error.ts";
import { permissionValue, writablePaths } from "../config/data_folder.ts";
import { processConfigSource } from "../config/process/process_source.ts";

/** Packages whose files the built-in models read while they run. */
const packages = ["@echogarden/espeak-ng-emscripten", "@fontsource/pt-sans", "@takumi-rs/wasm"] as const;

/** The code that threads import, and the packages above in Deno's cache. */
async function installedPaths(): Promise<readonly string[]> {
  const { fileURLToPath } = await import("node:url");
  const [, registry] = /^(file:\/\/.*\/npm\/[^/]+)\/zod\//.exec(import.meta.resolve("zod")) ?? [];
  const folders = registry === undefined ? [] : packages.map((name) => `${registry}/${name}`);
  const code = ["../local_provider", "../speech", "../sandbox/keeper", "../../shared", "../../console/dist"]
    .map((path) => new URL(path, import.meta.url).href);
  return [...code, ...folders].map((url) => fileURLToPath(url));
}

/** Every setting may name a file: only this one loads all of them, because each run delays the start. */
async function readablePathsValue(): Promise<string> {
  const { readablePaths } = await import("../config/process/permissions.ts");
  const { providerSettings } = await import("../providers/mod.ts");
  const source = { ...processConfigSource(), providerSettings };
  return permissionValue([...await readablePaths(source), ...await installedPaths()]);
}

const values = new Map<string, () => string | Promise<string>>([
  ["read", readablePathsValue],
  ["write", () => permissionValue(writablePaths(processConfigSource()))],
  // The name `deno` does not stand for this program where Deno came through npm.
  ["run", () => permissionValue([Deno.execPath()])],
]);

const [what = ""] = Deno.args;
try {
  console.log(await values.get(what)?.() ?? "");
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`Tollgate cannot start. ${error.message}`);
  Deno.exit(2);
}
