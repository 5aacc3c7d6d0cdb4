/** How interpreters of Python come to be in `virtual`: what each one costs, counted in its process, and what is its own. */

import assert from "node:assert/strict";
import * as z from "zod";
import type { SandboxProcess } from "../../server/sandbox/sandbox.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";
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
