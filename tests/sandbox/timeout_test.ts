/**
 * A command that is cut ends alone. `timeout` ends one command, whatever it runs, and the script goes on, as in bash 5.2 with GNU's `timeout`. No command
 * here is near its limit: it ends at once, or never. Python may be past its limit before it runs a line.
 */

import assert from "node:assert/strict";
import type { SandboxProcess } from "../../server/sandbox/sandbox.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

const SLOW = { timeoutMs: 120_000 } as const;

interface Row {
  readonly code: string;
  readonly printed: string;
}

const loop = "python3 -c 'while True: pass'";

/** Python that catches its first signal. Where it was over before its first line, it has more time. */
const caught = (work: string) =>
  `for s in 0.3 1 3 9 27; do x=$(timeout $s python3 -c 'try:\n while True: pass\nexcept KeyboardInterrupt: ${work}' 2> /dev/null); r=$?; ` +
  '[ "$x" = 1 ] && break; done; echo $x $r';

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
  "Python that catches every error": {
    code: "timeout 0.3 python3 -c 'while True:\n try:\n  while True: pass\n except: pass'; echo $?",
    printed: "124\n",
  },
  "Python that catches every error of its waits": {
    code:
      "timeout 0.3 python3 -c 'import time\nwhile True:\n try:\n  while True: time.sleep(9)\n except BaseException: pass'; echo $?",
    printed: "124\n",
  },
  "Python that works after its end": {
    code: caught("print(1)\nwhile True: pass"),
    printed: "1 124\n",
  },
  "Python that ends in its own way": {
    code: caught("print(1); exit(3)"),
    printed: "1 124\n",
  },
  "Python without its standard output": {
    code:
      "timeout 0.3 python3 -c 'import sys\nsys.stdout = None\nwhile True:\n try:\n  while True: pass\n except: pass'; echo $?",
    printed: "124\n",
  },
  "a task of Python": {
    code:
      "timeout 0.3 python3 -c 'import asyncio\nasync def f():\n while True: pass\nasyncio.run(f())'; echo $?",
    printed: "124\n",
  },
  "a task of Python that nobody waits for": {
    code:
      "timeout 0.3 python3 -c 'import asyncio\nasync def f():\n while True: pass\nasync def g():\n t = asyncio.create_task(f())\n await asyncio.sleep(9)\nasyncio.run(g())'; echo $?",
    printed: "124\n",
  },
  "a task of Python that catches every error": {
    code:
      "timeout 0.3 python3 -c 'import asyncio\nasync def f():\n while True:\n  try:\n   while True: pass\n  except: pass\nasyncio.run(f())'; echo $?",
    printed: "124\n",
  },
  "tasks of Python that take turns": {
    code:
      "timeout 0.3 python3 -c 'import asyncio\nasync def f():\n while True: await asyncio.sleep(0)\nasync def g(): await asyncio.gather(f(), f())\nasyncio.run(g())'; echo $?",
    printed: "124\n",
  },
  "each turn of a loop": {
    code: `for i in 1 2; do timeout 0.2 sleep 9; echo $?; timeout 0.2 ${loop}; echo $?; done`,
    printed: "124\n124\n124\n124\n",
  },
  "both ends of a pipe": {
    code: `timeout 0.2 ${loop} | timeout 0.2 ${loop}; echo $` + "{PIPESTATUS[@]}",
    printed: "124 124\n",
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

/** Runs of a container behind the one that was cut. */
const NEXT = "python3 -c 'print(7)'; timeout 1000 echo next";

async function assertEndsAlone(process: SandboxProcess, { code, printed }: Row): Promise<void> {
  const outcome = await runIn(process, `echo before; ${code}; echo after`, SLOW);
  assert.equal(shown(outcome), `before\n${printed}after\n`);
  assert.equal(shown(await runIn(process, NEXT, SLOW)), "7\nnext\n");
}

Deno.test("timeout ends one command, and the script and the container go on", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [name, row] of Object.entries(rows)) {
    await t.step(name, () => assertEndsAlone(process, row));
  }
  process.release(undefined);
});

/** The first run of a container, while Python is loaded. */
const firsts = [
  "Python whose time is over before it begins",
  "Python that sleeps",
  "Python that catches every error of its waits",
  "a task of Python",
  "Python in a pipe",
  "a command that waits",
];

Deno.test("timeout ends one command in a fresh container", async (t) => {
  await using rig = sandboxRig();
  for (const name of firsts) {
    await t.step(name, async () => {
      const process = await rig.open({ container: name });
      const row = rows[name];
      assert.ok(row);
      await assertEndsAlone(process, row);
      process.release(undefined);
    });
  }
});
