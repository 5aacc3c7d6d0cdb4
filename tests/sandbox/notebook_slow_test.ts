/** `code_interpreter` in both engines: one interpreter for the calls of a container, until it ends. */

import assert from "node:assert/strict";
import type { CommandInput, CommandOutcome, SandboxProcess } from "../../server/sandbox/sandbox.ts";
import { engines, runIn, sandboxRig, shown, textOf } from "../support/sandbox.ts";

const SLOW = { timeoutMs: 30_000 } as const;

interface Notebook {
  readonly process: SandboxProcess;
  /** Output, and how the call ended; `new` in front of it where the interpreter has begun with it. */
  readonly call: (code: string, changes?: Partial<CommandInput>) => Promise<string>;
  readonly shell: (code: string) => Promise<string>;
}

function described(outcome: CommandOutcome): string {
  return `${outcome.type === "ended" && outcome.isNewInterpreter ? "new " : ""}${shown(outcome)}`;
}

function notebookTest(name: string, test: (notebook: Notebook) => Promise<void>): void {
  for (const engine of engines) {
    Deno.test(`${name} (${engine})`, async () => {
      await using rig = sandboxRig({ engine });
      const process = await rig.open();
      await test({
        process,
        call: async (code, changes) =>
          described(await runIn(process, code, { ...SLOW, language: "python", ...changes })),
        shell: async (code) => shown(await runIn(process, code, SLOW)),
      });
      process.release(undefined);
    });
  }
}

notebookTest(
  "variables, imports, functions and the folder last, and python3 stays fresh",
  async ({ call, shell }) => {
    assert.equal(await call("import math\ndef twice(n): return 2 * n\nx = 21"), "new ");
    assert.equal(await call("import os; os.makedirs('d'); os.chdir('d'); x += twice(math.floor(0.5))"), "");
    assert.equal(await call("print(x); open('a.txt', 'w').write('from Python')"), "21\n11\n");
    assert.equal(
      await shell("cat d/a.txt; echo shell > d/b.txt; python3 -c 'print(x)' 2>&1 | tail -1"),
      "from PythonNameError: name 'x' is not defined\n",
    );
    assert.equal(
      await call("print(open('b.txt').read(), os.getcwd(), __name__)"),
      "shell\n /home/user/d __main__\n",
    );
    assert.equal(await shell("rm -r d; echo 'N = 1' > m.py; mkdir e; pwd"), "/home/user\n");
    assert.equal(
      await call(
        "os.chdir(os.path.expanduser('~')); import m; print(m.N, os.path.exists('d'), os.listdir('e'))",
      ),
      "1 False []\n",
    );
  },
);

notebookTest(
  "the last expression is shown, input has nobody, and exit ends the call alone",
  async ({ call }) => {
    assert.equal(await call("'a'\n[1, 2]"), "new [1, 2]\n");
    assert.equal(await call("None"), "");
    assert.equal(await call("5;"), "");
    assert.equal(await call("_ + [3]"), "[1, 2, 3]\n");
    assert.match(await call("input('Name? ')"), /EOFError: nobody answers input\(\) here.*\n\[1\]$/);
    assert.equal(await call("y = 1; print('bye'); exit(3)"), "bye\n[3]");
    assert.equal(await call("import sys; sys.exit('no')"), "no\n[1]");
    assert.equal(await call("y"), "1\n");
    const trace = await call("def f():\n    return 1 / 0\n\nf()");
    assert.match(
      trace,
      /^Traceback \(most recent call last\):\n {2}File "<call 9>", line 4, in <module>\n {4}f\(\)/,
    );
    assert.doesNotMatch(trace, /runner/);
    assert.match(
      await call("try:\n    f()\nexcept Exception as e:\n    raise KeyError('k') from e"),
      /line 2, in f\n {4}return 1 \/ 0/,
    );
    assert.match(
      await call("if"),
      /File "<call 11>", line 1\n {4}if\n.*SyntaxError: invalid syntax\n\[1\]$/s,
    );
  },
);

/** Code that leaves the interpreter alive, whatever it has made of it. */
const survived: Readonly<Record<string, string>> = {
  "an error": "1 / 0",
  "too deep a recursion": "def r(): return r()\nr()",
  "no memory": "b = bytearray(10 ** 12)",
  "a closed stdout": "import sys; sys.stdout.close()",
  "another stdout": "import io, sys; sys.stdout = sys.stderr = io.StringIO()",
  "a lost stdout": "import sys; sys.stdout = sys.stderr = None; del sys.stdin",
  "its own displayhook": "import sys; sys.displayhook = lambda value: None",
  "no excepthook": "import sys; sys.excepthook = None; 1 / 0",
  "another main": "import sys, types; sys.modules['__main__'] = types.ModuleType('x')",
  "another input": "input = print",
};

notebookTest("an interpreter outlives its errors, or is known to be new", async ({ call }) => {
  for (const [name, code] of Object.entries(survived)) {
    await call("x = 42");
    await call(code);
    assert.equal(await call("print(x)"), "42\n", name);
  }
  await call("x = 42; import sys; sys.modules.clear()");
  assert.match(await call("print(x)"), /^42\n$|^new |Error/);
});

/** Code that ends the interpreter. */
const ended: Readonly<Record<string, string>> = {
  "os._exit": "import os; os._exit(3)",
  "os.abort": "import os; os.abort()",
  "a signal": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
};

notebookTest("one that has crashed is followed by a new one", async ({ call, shell }) => {
  assert.equal(await call("x = 1"), "new ");
  for (const [name, code] of Object.entries(ended)) {
    assert.match(
      await call(`open('f', 'w').write('kept'); print('before', flush=True)\n${code}`),
      /^before\n.*\[\d+\]$/s,
      name,
    );
    assert.equal(await shell("cat f"), "kept", name);
    assert.match(await call("x = 1; x"), /^new 1\n$/, name);
  }
});

/** Code without an end, which asks for signals or waits: its end is an error like others. */
const endless: Readonly<Record<string, string>> = {
  "a loop": "while True: pass",
  "short waits": "import time\nwhile True: time.sleep(0.01)",
  "a long wait": "import time; time.sleep(1000)",
  "tasks": "import asyncio; asyncio.run(asyncio.sleep(1000))",
  "tasks that never wait":
    "import asyncio\nasync def turn():\n  while True: await asyncio.sleep(0)\nasyncio.run(turn())",
  "a loop in a built-in function": "any(i < 0 for i in range(10 ** 12))",
  "a loop that catches its end once": "try:\n  while True: pass\nexcept KeyboardInterrupt: raise",
};

notebookTest("a call at its time limit keeps its variables, unless it catches its end", async ({ call }) => {
  await call("x = 7");
  for (const [name, code] of Object.entries(endless)) {
    const shown = await call(`print('begun', flush=True)\n${code}`, { timeoutMs: 1_000 });
    assert.match(shown, /^begun\n.*KeyboardInterrupt\n\[time limit\]$/s, `${name}: ${shown}`);
    assert.equal(await call("x"), "7\n", name);
  }
  const busy = "while True:\n  try:\n    while True: pass\n  except BaseException: pass";
  assert.match(await call(busy, { timeoutMs: 500 }), /\[time limit\]$|killed: time_limit/);
});

notebookTest("output beyond its limit is cut, and the interpreter goes on", async ({ call }) => {
  const output = await call("x = 3\nfor i in range(300_000): print('line', i)");
  assert(output.startsWith("new line 0\n") && output.endsWith("line 299999\n"));
  assert(output.length < 1_100_000 && /left out/.test(output));
  assert.equal(await call("x"), "3\n");
});

notebookTest("a file that a call wrote can be read", async ({ process, call }) => {
  await call("open('a.bin', 'w').write('12')");
  assert.equal(await textOf(process, "a.bin"), "12");
});
