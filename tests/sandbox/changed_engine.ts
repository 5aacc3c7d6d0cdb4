/** The engine `virtual` with a line of its source changed, as its keeper and its processes then run. */

import assert from "node:assert/strict";
import type * as starting from "../../server/sandbox/keeper/start_keeper.ts";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import { copySync } from "../support/copy.ts";
import { cacheFolder } from "../support/deno_cache.ts";
import { linesLogger } from "../support/reader.ts";
import { type SandboxRig, sandboxRig } from "../support/sandbox.ts";
import { tickingClock } from "../support/ticking_clock.ts";

/** A change of a file below `server/sandbox`: the text that is replaced stands in it once. */
export type Change = readonly [file: string, text: string, by: string];

const repository = (path: string) => new URL(`../../${path}`, import.meta.url);

/** Runs a test on a copy of the engine's source, with a folder of Deno's of its own. */
export async function withChanges(
  changes: readonly Change[],
  test: (rig: SandboxRig) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-changed-" });
  try {
    for (const part of ["server", "shared", "deno.json", "deno.lock"]) {
      copySync(repository(part).pathname, `${folder}/${part}`);
    }
    for (const change of changes) await make(change, `${folder}/server/sandbox`);
    await Deno.mkdir(`${folder}/cache`);
    await Deno.symlink(`${await cacheFolder()}/npm`, `${folder}/cache/npm`);
    const keeper = (await keeperOf(folder)).startKeeper({
      clock: tickingClock(),
      log: linesLogger([]),
      env: { ...keeperEnvironment(), DENO_DIR: `${folder}/cache` },
    });
    await using rig = sandboxRig({ keeper, memoryMib: 384 });
    await test(rig);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function make([file, text, by]: Change, folder: string): Promise<void> {
  const source = await Deno.readTextFile(`${folder}/${file}`);
  assert.equal(source.split(text).length, 2, `${file} has once: ${text}`);
  await Deno.writeTextFile(`${folder}/${file}`, source.replace(text, () => by));
}

/** The module that starts the copy's keeper; it finds the others beside itself. */
async function keeperOf(folder: string): Promise<typeof starting> {
  return await import(`file://${folder}/server/sandbox/keeper/start_keeper.ts`);
}
