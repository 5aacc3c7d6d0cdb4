/** Run by `deno task setup`: fetches the Python packages of containers ahead of their first use. */

import { createPythonPackages } from "./compose_containers.ts";
import { readConfig } from "./config/config.ts";
import { processConfigSource } from "./config/process_source.ts";
import { createLogger } from "./logger.ts";
import { providerSettings } from "./providers/mod.ts";
import { createClock, createRuntime } from "./runtime.ts";
import { PackageError } from "./sandbox/python/python_packages.ts";

const config = readConfig(processConfigSource(), providerSettings);
const runtime = createRuntime(
  createLogger({ format: "pretty", level: "info", now: createClock().now, write: console.log }),
);
try {
  if (config.sandbox.engine !== "off") {
    const count = await createPythonPackages({ config, runtime }).fetchAll();
    console.log(`${count} Python packages are there`);
  }
} catch (error) {
  if (!(error instanceof PackageError)) throw error;
  console.log(`Python in containers has its standard library only. ${error.message}`);
}
