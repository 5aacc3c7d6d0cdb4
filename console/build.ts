/**
 * Builds the console where its sources have changed: run by `deno task start`, `dev`, `build` and `setup`, and alone
 * as `deno task build:console`. It ends with status 0 after 20 seconds at most, because the gateway starts without a
 * console too, and leaves the old files in place where it cannot build. With `--strict` that is status 1.
 */

import { fileURLToPath } from "node:url";
import { reasonInOutput } from "./build_reason.ts";
import { builtSourcesHash, hashSources } from "./build_sources.ts";

const MOST_MS = 20_000;
const folder = new URL("./", import.meta.url);
const config = fileURLToPath(new URL("deno.json", folder));

const permissions = [
  "--no-prompt",
  `--allow-read=${fileURLToPath(folder)},${fileURLToPath(new URL("../shared", folder))}`,
  `--allow-write=${fileURLToPath(new URL("dist", folder))}`,
  "--allow-env",
  "--allow-run",
];

/** Runs Deno; throws with the end of its output where that fails. */
async function runDeno(args: readonly string[], signal: AbortSignal): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal,
  });
  const { success, stderr } = await command.output();
  if (success) return;
  if (signal.aborted) throw new Error(`it took longer than ${MOST_MS / 1_000} seconds`);
  throw new Error(reasonInOutput(new TextDecoder().decode(stderr)));
}

async function build(sources: string): Promise<void> {
  const signal = AbortSignal.timeout(MOST_MS);
  const installed = ["install", "--quiet", "--frozen", "--config", config];
  await runDeno(installed, signal);
  await runDeno([
    "run",
    "--frozen",
    "--config",
    config,
    ...permissions,
    new URL("bundle/bundle.ts", folder).href,
    sources,
  ], signal);
}

/** Says what happened on the standard error, so that the standard output stays the gateway's. */
async function main(): Promise<void> {
  const started = performance.now();
  let built: string | undefined;
  try {
    const sources = hashSources();
    built = builtSourcesHash();
    if (built === sources && !Deno.args.includes("--force")) return;
    await build(sources);
    console.error(`Console built in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  } catch (error) {
    const left = built === undefined ? "the gateway starts without it" : "the old one stays";
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`The console cannot be built, and ${left}: ${reason}`);
    if (Deno.args.includes("--strict")) Deno.exitCode = 1;
  }
}

await main();
