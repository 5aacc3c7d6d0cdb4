/**
 * Tests that tasks of Python end their program as they do elsewhere, and that what a program leaves behind neither runs
 * in the next command nor ends it: tasks, timers and promises.
 */

import assert from "node:assert/strict";
import { runIn, runPython, sandboxRig, shown } from "../support/sandbox.ts";

const SLOW = { timeoutMs: 120_000 } as const;
const IMPORTS = "import asyncio, atexit, js, os, sys, time\n";

interface Row {
  readonly code: string;
  /** Output and status. */
  readonly ends: string;
}

/** A task that does something once the program waits for another one. */
const beside = (work: string) =>
  `async def f():\n  await asyncio.sleep(0.01)\n  ${work}\nasync def g():\n  t = asyncio.create_task(f())\n  await asyncio.sleep(1000)\nasyncio.run(g())`;
const within = (work: string) => `async def f():\n  await asyncio.sleep(0.01)\n  ${work}\nasyncio.run(f())`;
/** A task that nobody waits for, and whose program has ended when it works. */
const left = (work: string) =>
  `async def f():\n  await asyncio.sleep(0.1)\n  ${work}\nt = asyncio.get_event_loop().create_task(f())`;

const rows: Readonly<Record<string, Row>> = {
  "a task that exits": { code: within("sys.exit(3)"), ends: "[3]" },
  "a task that exits beside another": { code: beside("sys.exit(3)"), ends: "[3]" },
  "a task that ends the process": { code: within("os._exit(3)"), ends: "[3]" },
  "a task that ends the process beside another": { code: beside("os._exit(3)"), ends: "[3]" },
  "an exit that is caught": {
    code: `try:\n  asyncio.run(asyncio.sleep(0.01))\n  ${
      within("sys.exit(3)").replaceAll("\n", "\n  ")
    }\nexcept SystemExit as e: print(e.code)\nasyncio.run(asyncio.sleep(0.01)); time.sleep(0.01); print(4)`,
    ends: "3\n4\n",
  },
  "a task that is left and exits": { code: left("sys.exit(3)"), ends: "" },
  "a task that is left and works on": { code: left("while True: pass"), ends: "" },
  "a task that is left and prints": { code: left("print('late', flush=True)"), ends: "" },
  "a task that is left and writes": { code: left("open('late', 'w').close()"), ends: "" },
  "a task that is left and fails": { code: left("1 / 0"), ends: "" },
  "a timer of JavaScript": { code: "js.eval('setTimeout(() => { throw new Error(1) }, 100); 0')", ends: "" },
  "a promise of JavaScript": { code: "js.eval('Promise.reject(new Error(1)); 0')", ends: "" },
};

Deno.test("tasks of Python end their program and nothing else", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [name, { code, ends }] of Object.entries(rows)) {
    await t.step(name, async () => {
      assert.equal(shown(await runPython(process, IMPORTS + code, SLOW)), ends);
      const next = "sleep 0.3; python3 -c 'print(7)'; ls late 2> /dev/null; echo next";
      assert.equal(shown(await runIn(process, next, SLOW)), "7\nnext\n");
    });
  }
  process.release(undefined);
});
