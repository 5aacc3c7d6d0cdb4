/** Whether the embedded voices are here: tests that need them skip where they cannot be had. */

import { type PackageOptions, voicesOnDisk } from "../../server/local_provider/voices/voice_package.ts";
import { createRuntime } from "../../server/runtime.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Out of Deno's cache only: no test fetches anything. */
const options: PackageOptions = {
  runtime: { ...createRuntime(silent), fetch: () => Promise.reject(new Error("tests fetch nothing")) },
};

const reason = await voicesOnDisk(options) === undefined ? "run `deno task setup` first" : undefined;

if (reason !== undefined) console.warn(`Tests of the embedded voice are left out: ${reason}`);

/** For `ignore`. With TOLLGATE_TEST_ALL=1 nothing is left out, so that what is missing fails. */
export const noVoices = reason !== undefined && Deno.env.get("TOLLGATE_TEST_ALL") !== "1";
