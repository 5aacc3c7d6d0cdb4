/** Whatever a run of Python does to its interpreter, the next one has another. */

import assert from "node:assert/strict";
import { runIn, runPython, sandboxRig, shown } from "../support/sandbox.ts";

interface Crash {
  readonly code: string;
  /** Printed by the code, or said of it, and the status. */
  readonly shows: RegExp;
}

const SLOW = { timeoutMs: 30_000 } as const;

const crashes: Readonly<Record<string, Crash>> = {
  "os.system": { code: "import os; os.system('ls')", shows: /OSError.*run them in the shell\n\[1\]$/s },
  "os.popen": { code: "import os; os.popen('ls')", shows: /OSError.*\[1\]$/s },
  "subprocess": { code: "import subprocess; subprocess.run(['ls'])", shows: /OSError.*\[1\]$/s },
  "os.fork": { code: "import os; os.fork()", shows: /OSError.*\[1\]$/s },
  "os._exit": { code: "import os; os._exit(3)", shows: /^\[3\]$/ },
  "os.abort": {
    code: "print('a', flush=True); import os; os.abort()",
    shows: /^a\nStack.*Aborted\n\[134\]$/s,
  },
  "a call through ctypes": { code: "import ctypes; ctypes.CDLL(None).abort()", shows: /\[134\]$/ },
  "memory through ctypes": {
    code: "import ctypes; ctypes.string_at(2**31, 9)",
    shows: /Segmentation fault\n\[139\]$/,
  },
  "a signal to itself": { code: "import os; os.kill(os.getpid(), 9)", shows: /^\[137\]$/ },
  "deep JSON": { code: "import json; json.loads('[' * 200000)", shows: /\[(1|139)\]$/ },
  "deep recursion": { code: "def f(): f()\nf()", shows: /RecursionError.*\[1\]$/s },
  "recursion without a limit": {
    code: "import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    shows: /MemoryError|stack overflow.*\[139\]$/s,
  },
  "a large repr": { code: "x = []\nfor i in range(10**5): x = [x]\nrepr(x)", shows: /\[(1|139)\]$/ },
  "no modules": { code: "import sys; sys.modules.clear()", shows: /^$|\[1\]$/ },
  "no builtins": {
    code: "import builtins\nfor n in list(vars(builtins)): delattr(builtins, n)",
    shows: /\[\d+\]$|^$/,
  },
  "patched builtins": {
    code: "import builtins; builtins.print = builtins.open = builtins.len = None",
    shows: /^$/,
  },
  "patched modules": { code: "import json, os, io; json.dumps = os.chdir = io.open = None", shows: /^$/ },
  "closed descriptors": { code: "import os\nfor i in (0, 1, 2): os.close(i)", shows: /^\[120\]$|^$/ },
  "closed streams": {
    code: "import sys; sys.stdout.close(); sys.stderr.close(); sys.stdin.close()",
    shows: /^$/,
  },
  "no streams": { code: "import sys; sys.stdout = sys.stderr = None", shows: /^$/ },
  "a folder that is gone": {
    code: "import os; os.mkdir('x'); os.chdir('x'); os.rename('/home/user/x', '/home/user/y')",
    shows: /^$|OSError/,
  },
  "exit functions": {
    code: "import atexit; atexit.register(print, 'bye'); atexit.register(lambda: 1/0)",
    shows: /bye\n/,
  },
  "a thread": {
    code: "import threading; threading.Thread(target=print).start()",
    shows: /can't start new thread.*\[1\]$/s,
  },
  "too much memory": { code: "x = [bytearray(10**9) for _ in range(9)]", shows: /MemoryError.*\[1\]$/s },
  "no input": { code: "input()", shows: /EOFError.*\[1\]$/s },
  "an import hook": { code: "import sys; sys.meta_path.clear(); sys.path.clear()", shows: /^$/ },
  "a trace function": { code: "import sys; sys.settrace(lambda *a: 1/0); (lambda: 1)()", shows: /\[1\]$/ },
  "its own module": { code: "import sys; sys.modules['__main__'] = None; del sys.path", shows: /^$|\[1\]$/ },
  "the bridge to JavaScript": {
    code: "import pyodide_js; pyodide_js.FS.unmount('/home/user')",
    shows: /^$|\[\d+\]$/,
  },
};

const HEALTHY =
  "import json, os, sys; open('n', 'w').write('7'); print(json.dumps([int(open('n').read())]), " +
  "len(sys.argv), os.getcwd(), 'x' in globals())";

Deno.test("after whatever has happened to Python, the next python3 works", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [name, { code, shows }] of Object.entries(crashes)) {
    await t.step(name, async () => {
      const crashed = await runPython(process, `x = 1\n${code}`, SLOW);
      assert.equal(crashed.type, "ended");
      assert.match(shown(crashed), shows);
      assert.doesNotMatch(shown(crashed), /<runner>|Pyodide has suffered/);
      const next = await runIn(process, `python3 -c "${HEALTHY}"`, SLOW);
      assert.equal(shown(next), "[7] 1 /home/user False\n");
    });
  }
  process.release(undefined);
});

Deno.test("Python takes any exported variable, also one with the name of a property", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const code = "export constructor=1 toString=2 hasOwnProperty=3; " +
    'python3 -c \'import os; print(os.environ["constructor"], os.environ["toString"])\'; X=5 python3 -c ' +
    '\'import os; print(os.environ["X"], "X" in os.environ)\'';
  assert.equal(shown(await runIn(process, code, SLOW)), "1 2\n5 True\n");
});

Deno.test("each python3 of the shell has globals and modules of its own", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const code =
    "python3 -c 'import json, logging, random; x = 1; json.loads = None; logging.basicConfig(level=10)'; " +
    'python3 -c \'import json, logging; print(json.loads("[1]"), logging.getLogger().handlers, "x" in globals())\'';
  assert.equal(shown(await runIn(process, code, SLOW)), "[1] [] False\n");
});

Deno.test("each run of Python gives its memory back", async () => {
  await using rig = sandboxRig({ memoryMib: 512 });
  const process = await rig.open();
  const code = "python3 -c 'a = bytearray(10**8)\nfor i in range(0, len(a), 4096): a[i] = 1\nprint(len(a))'";
  const outcome = await runIn(process, `for i in 1 2 3 4 5 6; do ${code}; done`, { timeoutMs: 120_000 });
  assert.equal(shown(outcome), "100000000\n".repeat(6));
});
