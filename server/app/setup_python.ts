/**
 * Run by `server/app/setup.ts`: fetches the Python packages of containers ahead of their first use. The standard output
 * has a line for what is there and one for each reason why something is not; the status is 1 where that was named in
 * the settings.
 */

import { createPythonPackages } from "./compose/containers.ts";
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { processConfigSource } from "../config/process/process_source.ts";
import { createLogger } from "../logger.ts";
import { providerSettings } from "../providers/mod.ts";
import { createClock, createRuntime } from "../runtime.ts";
import type { PackageResult } from "../sandbox/python/python_packages.ts";

const encoder = new TextEncoder();

function createQuietRuntime() {
  const write = (text: string) => Deno.stderr.writeSync(encoder.encode(text));
  return createRuntime(createLogger({ format: "pretty", level: "info", now: createClock().now, write }));
}

/** Packages with the same reason stand in one line. */
function report(results: readonly PackageResult[]): readonly string[] {
  const byProblem = Map.groupBy(results, ({ problem }) => problem);
  const names = (some: readonly PackageResult[]) => some.map(({ name }) => name).join(", ");
  return [...byProblem].map(([problem, some]) =>
    problem === undefined
      ? `Fetched: Python packages for containers: ${names(some)}`
      : `Not fetched: Python packages for containers: ${names(some)}, because ${problem}`
  );
}

async function fetchPackages(config: Config): Promise<void> {
  if (config.sandbox.engine === "off") {
    return console.log("Not needed: Python packages for containers, which are off (TOLLGATE_SANDBOX)");
  }
  const results = await createPythonPackages({ config, runtime: createQuietRuntime() }).fetchAll();
  for (const line of report(results)) console.log(line);
  const isBad = results.some(({ problem }) => problem !== undefined);
  if (isBad && config.sandbox.arePackagesNamed) Deno.exitCode = 1;
}

try {
  await fetchPackages(readConfig(processConfigSource(), providerSettings));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.log(
    `Not fetched: Python packages for containers, because the settings have a fault. ${error.message}`,
  );
  Deno.exitCode = 1;
}
