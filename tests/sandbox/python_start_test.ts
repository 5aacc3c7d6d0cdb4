/** How interpreters of Python come to be in `virtual`: what each one costs, counted in its process, and what is its own. */

import assert from "node:assert/strict";
import * as z from "zod";
import type { SandboxProcess } from "../../server/sandbox/sandbox.ts";
import { Children } from "../../server/sandbox/keeper/children.ts";
import {
  type Keeper,
  type ProgramRun,
  type ProgramSession,
  type SessionInput,
  unavailableKeeper,
} from "../../server/sandbox/keeper/keeper.ts";
import type { KeeperEvent } from "../../server/sandbox/keeper/messages.ts";
import { START_MEMORY_FILE } from "../../server/sandbox/python/start_memory.ts";
import { PYODIDE_VERSION } from "../../server/sandbox/python/pyodide_version.ts";
import { copyCache } from "../support/deno_cache.ts";
import { runIn, type SandboxRig, sandboxRig, shown } from "../support/sandbox.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";

const SLOW = { timeoutMs: 30_000 } as const;

/** Counts in the process of the container, where all of its interpreters are made. */
const COUNT = `
import js
js.eval("""
  const counted = globalThis.counted = { compilations: 0, interpreters: 0, collections: 0 };
  const { compile, instantiate } = WebAssembly;
  const collect = globalThis.gc;
  WebAssembly.compile = (...given) => (counted.compilations++, compile(...given));
  WebAssembly.instantiate = (source, ...given) => {
    if (!(source instanceof WebAssembly.Module)) counted.compilations++;
    counted.interpreters++;
    return instantiate(source, ...given);
  };
  globalThis.gc = (...given) => (counted.collections++, collect(...given));
""");
`;
const SHOW_COUNTED = 'import js; print(js.eval("JSON.stringify(counted)"))';

const countedSchema = z.object({
  compilations: z.number(),
  interpreters: z.number(),
  collections: z.number(),
});

/** Asks in the interpreter of the calls, which stays. */
async function counted(process: SandboxProcess): Promise<z.output<typeof countedSchema>> {
  const outcome = await runIn(process, SHOW_COUNTED, { ...SLOW, language: "python" });
  return countedSchema.parse(JSON.parse(shown(outcome)));
}

Deno.test("interpreters share their code, and none waits for the collection of an earlier one", async () => {
  await using rig = sandboxRig({ memoryMib: 1_024 });
  const process = await rig.open();
  assert.equal(shown(await runIn(process, COUNT, { ...SLOW, language: "python" })), "");
  const code = `for i in 1 2 3; do python3 -c pass; done; python3 -c '${SHOW_COUNTED}'`;
  assert.deepEqual(JSON.parse(shown(await runIn(process, code, SLOW))), {
    compilations: 0,
    interpreters: 4,
    collections: 0,
  });

  await until(async () => (await counted(process)).interpreters === 5, {
    what: "an interpreter that is ready",
  });
  const next = countedSchema.parse(
    JSON.parse(shown(await runIn(process, `python3 -c '${SHOW_COUNTED}'`, SLOW))),
  );
  assert.deepEqual([next.interpreters, next.compilations], [5, 0], "It runs in the one that was ready.");
  process.release(undefined);
});

Deno.test("each python3 has random numbers of its own, also one that was ready, and so has a notebook", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const print = "import random; print(random.random())";
  const runs = await runIn(process, `python3 -c '${print}'; python3 -c '${print}'`, SLOW);
  const call = await runIn(process, print, { ...SLOW, language: "python" });
  const numbers = `${shown(runs)}${shown(call)}`.trim().split("\n");
  assert.equal(new Set(numbers).size, 3, numbers.join());
  const seeded = `python3 -c 'import random; random.seed(7); print(random.random())'`;
  const twice = shown(await runIn(process, `${seeded}; ${seeded}`, SLOW)).trim().split("\n");
  assert.equal(new Set(twice).size, 1, twice.join());
  process.release(undefined);
});

/** One whose programs find their packages in a folder; it runs in this process. */
function keeperIn(denoDir: string): Keeper {
  const frames = new Map<number, SessionInput["onFrame"]>();
  const ends = new Map<number, PromiseWithResolvers<Omit<ProgramRun, "output">>>();
  const emit = (event: KeeperEvent, body: Uint8Array = new Uint8Array(0)) => {
    if (event.type === "frame") frames.get(event.id)?.({ header: event.header, body: Uint8Array.from(body) });
    if (event.type === "ended") ends.get(event.id)?.resolve(event);
    return Promise.resolve();
  };
  const findDenoDir = () => Promise.resolve(denoDir);
  const children = new Children({ clock: tickingClock(), emit, folders: {}, findDenoDir });
  const open = (...[program, { memoryMib, onFrame }]: Parameters<Keeper["open"]>): ProgramSession => {
    const id = ends.size;
    const end = Promise.withResolvers<Omit<ProgramRun, "output">>();
    frames.set(id, onFrame);
    ends.set(id, end);
    void children.open({ type: "open", id, program, memoryMib });
    return {
      ended: end.promise,
      send: ({ body = new Uint8Array(0), ...frame }) =>
        children.send({ type: "send", id, ...frame }, Uint8Array.from(body)),
      kill: () => children.stop(id),
    };
  };
  const close = async () => {
    children.stopAll();
    await Promise.all([...ends.values()].map(({ promise }) => promise));
  };
  return { ...unavailableKeeper(""), unavailableReason: undefined, problem: undefined, open, close };
}

/** Texts have one hash in all interpreters that began with the same memory, and else another one in each process. */
async function hashIn(rig: SandboxRig, container: string): Promise<string> {
  const process = await rig.open({ container });
  const outcome = await runIn(process, "python3 -c 'print(hash(\"a\"))'", SLOW);
  process.release(undefined);
  return shown(outcome);
}

Deno.test("the first start of Python is kept, whole, for the processes of all containers", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await copyCache(folder, [new URL("../../server/sandbox/child/deno.lock", import.meta.url)]);
    const [registry] = [...Deno.readDirSync(`${folder}/npm`)];
    const packageFolder = `${folder}/npm/${registry?.name}/pyodide/${PYODIDE_VERSION}`;
    const kept = () => [...Deno.readDirSync(packageFolder)].map(({ name }) => name).filter(isKept);
    for (const name of kept()) await Deno.remove(`${packageFolder}/${name}`);
    await using rig = sandboxRig({ keeper: keeperIn(folder) });
    const own = await hashIn(rig, "first");
    await until(() => kept().join() === START_MEMORY_FILE, { what: "the memory of a start" });
    const second = await hashIn(rig, "second");
    assert.notEqual(second, own);
    assert.equal(await hashIn(rig, "third"), second);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const isKept = (name: string) => name.startsWith("tollgate-");
