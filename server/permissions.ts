/**
 * Run by the tasks of deno.json, before the gateway: prints what a permission flag gets (`read` or `write`), or how
 * many files a process may have open (`files`). Nothing of it stays behind.
 */

import { fileURLToPath } from "node:url";
import { ConfigError, processConfigSource } from "./config/config.ts";
import { permissionValue, readablePaths, writablePaths } from "./config/permissions.ts";
import { providerSettings } from "./providers/mod.ts";

/** Packages whose files the built-in models read while they run. */
const packages = ["@echogarden/espeak-ng-emscripten", "@fontsource/pt-sans", "@takumi-rs/wasm"] as const;

/** The code that the built-in models' threads import, and the packages above in Deno's cache. */
function installedPaths(): readonly string[] {
  const [, registry] = /^(file:\/\/.*\/npm\/[^/]+)\/zod\//.exec(import.meta.resolve("zod")) ?? [];
  const folders = registry === undefined ? [] : packages.map((name) => `${registry}/${name}`);
  const code = ["./local_provider", "./speech", "../shared"].map((path) =>
    new URL(path, import.meta.url).href
  );
  return [...code, ...folders].map((url) => fileURLToPath(url));
}

/** Empty where the system does not say. */
function fileLimit(): string {
  try {
    const { stdout } = new Deno.Command("sh", { args: ["-c", "ulimit -n"], stderr: "null" }).outputSync();
    return new TextDecoder().decode(stdout).trim();
  } catch (_error) {
    // Without a shell there is no such limit either.
    return "";
  }
}

const readValue = () =>
  permissionValue([...readablePaths({ ...processConfigSource(), providerSettings }), ...installedPaths()]);

const values = new Map([
  ["read", readValue],
  ["write", () => permissionValue(writablePaths(processConfigSource()))],
  ["files", fileLimit],
]);

const [what = ""] = Deno.args;
try {
  console.log(values.get(what)?.() ?? "");
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`Tollgate cannot start. ${error.message}`);
  Deno.exit(2);
}
