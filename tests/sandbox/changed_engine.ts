/** The engine `virtual` with a line of its source changed: the gateway's side of it, its keeper and its processes. */

import assert from "node:assert/strict";
import type * as engines from "../../server/sandbox/engines.ts";
import type * as starting from "../../server/sandbox/keeper/start_keeper.ts";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import type { FetchPage } from "../../server/sandbox/process_calls.ts";
import { copySync } from "../support/copy.ts";
import { cacheFolder } from "../support/deno_cache.ts";
import { linesLogger } from "../support/reader.ts";
import { type SandboxRig, sandboxRig } from "../support/sandbox.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";

/** A change of a file below `server/sandbox`: the text that is replaced stands in it once. */
export type Change = readonly [file: string, text: string, by: string];

interface ChangedEngine {
  readonly changes: readonly Change[];
  /** Whether a process is kept ready for the next new container. */
  readonly spare?: boolean;
}

export interface ChangedRig {
  readonly rig: SandboxRig;
  readonly childCpu: ChildCpu;
}

/** The processor's time of the one process of a container that there is. */
interface ChildCpu {
  /** Waits until it has used so many milliseconds more, or has ended. */
  readonly passes: (ms: number) => Promise<void>;
}

const repository = (path: string) => new URL(`../../${path}`, import.meta.url);

/** Runs a test on a copy of the engine's source, with a folder of Deno's of its own. */
export async function withChanges(
  { changes, spare = false }: ChangedEngine,
  test: (changed: ChangedRig) => Promise<void>,
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
    const { createSandbox } = await enginesOf(folder);
    await using rig = sandboxRig({ keeper, memoryMib: 384, spare, create: createSandbox, fetchPage });
    await test({ rig, childCpu: childCpuOf(folder) });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function make([file, text, by]: Change, folder: string): Promise<void> {
  const source = await Deno.readTextFile(`${folder}/${file}`);
  assert.equal(source.split(text).length, 2, `${file} has once: ${text}`);
  await Deno.writeTextFile(`${folder}/${file}`, source.replace(text, () => by));
}

function childCpuOf(folder: string): ChildCpu {
  return {
    passes: async (ms) => {
      const pid = childOf(folder);
      const end = (cpuMs(pid) ?? 0) + ms;
      await until(() => (cpuMs(pid) ?? end) >= end, { what: "that a process has worked, or has ended" });
    },
  };
}

/** The process of a container that was started last. Zero where there is none. */
function childOf(folder: string): number {
  const isChild = (pid: number) =>
    procFile(pid, "cmdline").includes(`${folder}/server/sandbox/child/main.ts`);
  const pids = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => pid > 0);
  return Math.max(0, ...pids.filter(isChild));
}

const TICK_MS = 10;
/** User and system time among the fields behind the name in brackets. */
const CPU_FIELDS = [11, 12] as const;

/** Undefined where it has ended. */
function cpuMs(pid: number): number | undefined {
  const fields = procFile(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
  const ms = CPU_FIELDS.reduce((sum, index) => sum + TICK_MS * Number(fields[index]), 0);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Empty where the process has ended. */
function procFile(pid: number, name: "cmdline" | "stat"): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`);
  } catch (_error) {
    // It has ended.
    return "";
  }
}

/** One page at every address that is allowed. */
const fetchPage: FetchPage = ({ url, allows }) => {
  if (!allows(new URL(url))) return Promise.reject(new Error("It is not allowed."));
  const body = new TextEncoder().encode("a page\n");
  return Promise.resolve({ url, status: 200, contentType: "text/plain", body });
};

async function enginesOf(folder: string): Promise<typeof engines> {
  return await import(`file://${folder}/server/sandbox/engines.ts`);
}

/** The module that starts the copy's keeper; it finds the others beside itself. */
async function keeperOf(folder: string): Promise<typeof starting> {
  return await import(`file://${folder}/server/sandbox/keeper/start_keeper.ts`);
}
