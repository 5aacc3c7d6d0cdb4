/**
 * `timeout` ends one command, whatever it runs, and the script goes on, as in bash 5.2 with GNU's `timeout`. No command
 * here is near its limit: it ends at once, or never. Python may be past its limit before it runs a line.
 */

import assert from "node:assert/strict";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

const SLOW = { timeoutMs: 120_000 } as const;

interface Row {
  readonly code: string;
  readonly printed: string;
}

const loop = "python3 -c 'while True: pass'";

const rows: Readonly<Record<string, Row>> = {
  "a loop of Python": { code: `timeout 0.3 ${loop}; echo $?`, printed: "124\n" },
  "Python whose time is over before it begins": {
    code: `for s in 0.001 0.05; do timeout $s ${loop}; echo $?; done`,
    printed: "124\n124\n",
  },
  "Python that sleeps": {
    code: "timeout 0.3 python3 -c 'import time; time.sleep(1000)'; echo $?",
    printed: "124\n",
  },
  "Python that waits for tasks": {
    code: "timeout 0.3 python3 -c 'import asyncio; asyncio.run(asyncio.sleep(1000))'; echo $?",
    printed: "124\n",
  },
  "Python that catches errors": {
    code: "timeout 0.3 python3 -c 'while True:\n try:\n  while True: pass\n except Exception: pass'; echo $?",
    printed: "124\n",
  },
  "Python in a pipe": { code: `timeout 0.3 ${loop} | cat; echo $` + "{PIPESTATUS[0]}", printed: "124\n" },
  "Python in a substitution": { code: `x=$(timeout 0.3 ${loop}); echo $?`, printed: "124\n" },
  "Python in a function": {
    code: `f() { timeout -k 1 0.3 ${loop} || echo or $?; }; f; echo $?`,
    printed: "or 124\n0\n",
  },
  "Python in a script": {
    code: `timeout 0.3 bash -c "${loop}; echo never"; echo $?`,
    printed: "124\n",
  },
  "Python under xargs": {
    code: "echo 'while True: pass' | timeout 0.3 xargs -I{} python3 -c {}; echo $?",
    printed: "124\n",
  },
  "two limits": {
    code: `timeout 1000 timeout 0.3 ${loop}; echo $?; timeout 0.3 timeout 1000 ${loop}; echo $?`,
    printed: "124\n124\n",
  },
  "Python that ends": { code: "timeout 1000 python3 -c 'print(1); exit(3)'; echo $?", printed: "1\n3\n" },
  "a loop of the shell": { code: "timeout 0.3 bash -c 'while :; do :; done'; echo $?", printed: "124\n" },
  "a command that waits": { code: "timeout 0.3 sleep 1000; echo $?", printed: "124\n" },
  "signals": {
    code:
      "timeout -s KILL 0.3 sleep 1000; echo $?; timeout --signal=SIGINT -k 5 .3s sleep 1000; echo $?; timeout --preserve-status 0.3 sleep 1000; echo $?; timeout -s 9 --preserve-status 0.3 sleep 1000; echo $?",
    printed: "137\n124\n143\n137\n",
  },
  "no limit": {
    code: "timeout 0 echo x; timeout 0.0d echo y; timeout 100d cat <<< z; echo $?",
    printed: "x\ny\nz\n0\n",
  },
  "commands that fail": {
    code:
      "exec 2>/dev/null; timeout 1000 bash -c 'exit 3'; echo $?; timeout 1000 nosuch; echo $?; timeout 1; echo $?; timeout x echo; echo $?; timeout -s NO 1 echo; echo $?; timeout -k x 1 echo; echo $?; timeout --no 1 echo; echo $?",
    printed: "3\n127\n125\n125\n125\n125\n125\n",
  },
};

Deno.test("timeout ends one command, and the script goes on", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [name, { code, printed }] of Object.entries(rows)) {
    await t.step(name, async () => {
      const outcome = await runIn(process, `echo before; ${code}; echo after`, SLOW);
      assert.equal(shown(outcome), `before\n${printed}after\n`);
    });
  }
  process.release(undefined);
});
