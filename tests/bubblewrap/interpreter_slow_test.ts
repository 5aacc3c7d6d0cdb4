/** Nothing that a call of `code_interpreter` leaves behind in `bubblewrap` reaches another, and each end is known. */

import assert from "node:assert/strict";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { childrenOf, runningProcesses } from "../support/processes.ts";
import { runIn, type SandboxRig, sandboxRig, shown } from "../support/sandbox.ts";
import { patiently, until } from "../support/until.ts";

const SLOW = { timeoutMs: 30_000, language: "python" } as const;

async function notebook(rig: SandboxRig, container = "one") {
  const process = await rig.open({ container });
  return {
    process,
    call: async (code: string, timeoutMs: number = SLOW.timeoutMs) => {
      const outcome = await runIn(process, code, { ...SLOW, timeoutMs });
      return `${outcome.type === "ended" && outcome.isNewInterpreter ? "new " : ""}${shown(outcome)}`;
    },
    shell: async (code: string) => shown(await runIn(process, code, { timeoutMs: 30_000 })),
  };
}

const REPEAT =
  "import threading, time\ndef late():\n  while True:\n    time.sleep(0.01); print('LATE', flush=True)\n";

/** Code that goes on when its call has ended. */
const left: Readonly<Record<string, string>> = {
  "a thread": `${REPEAT}threading.Thread(target=late, daemon=True).start()`,
  "a thread of a thread":
    `${REPEAT}threading.Thread(target=lambda: threading.Thread(target=late, daemon=True).start()).start()`,
  "a timer that sets itself anew":
    "import threading\ndef tick():\n  print('LATE', flush=True); threading.Timer(0.01, tick).start()\nthreading.Timer(0.05, tick).start()",
  "a program":
    "import subprocess; p = subprocess.Popen(['sh', '-c', 'while sleep 0.01; do echo LATE; done'])",
  "a program of its own session":
    "import subprocess; p = subprocess.Popen(['sh', '-c', 'while sleep 0.01; do echo LATE; done'], start_new_session=True)",
  "a copy of itself":
    "import os, time\nif os.fork() == 0:\n  time.sleep(0.05)\n  while True: os.write(1, b'LATE')",
};

/** Code that ends the interpreter, or what it needs. */
const ends: Readonly<Record<string, string>> = {
  "a segmentation fault": "import ctypes; ctypes.string_at(0)",
  "os.abort": "import os; os.abort()",
  "the end of its parent": "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
  "closed files": "import os; os.closerange(0, 100)",
  "a fork bomb": "import os\nwhile True:\n  try: os.fork()\n  except OSError: os._exit(1)",
  "too much memory": "x = []\nwhile True: x.append(bytearray(b'x' * 10**7))",
};

/** Words that the interpreter's parent would say. */
const FORGED = `
import glob, json, os, struct
def frame(body=b'', **header):
    text = json.dumps(header).encode()
    return struct.pack('>II', len(text), len(body)) + text + body
for said in (frame(b'forged', type='stdout') + frame(type='done', code=0, isAlive=True), b'\\xff' * 100):
    for path in glob.glob(f'/proc/{os.getppid()}/fd/1'):
        with open(path, 'wb', buffering=0) as pipe: pipe.write(said)
`;

if (hasBubblewrap()) {
  Deno.test("what a call leaves running prints into no other call", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    const { call, process } = await notebook(rig);
    for (const [name, code] of Object.entries(left)) {
      assert.doesNotMatch(await call(code), /Error/, name);
      assert.equal(await call("import time; time.sleep(0.2); print('own')"), "own\n", name);
    }
    process.release(undefined);
  });

  Deno.test("between calls nothing of the interpreter runs", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    const { call, shell, process } = await notebook(rig);
    const code =
      "import os, subprocess, time; p = subprocess.Popen(['sh', '-c', 'while :; do echo >> ~/grows; done'])\n" +
      "while not os.path.exists('/home/user/grows'): time.sleep(0.01)";
    assert.equal(await call(code), "new ");
    assert.match(
      await shell("wc -c < grows > a; sleep 0.3; wc -c < grows > b; cmp a b && echo same"),
      /^same/,
    );
    assert.equal(await call("p.kill(); p.wait() != 0"), "True\n");
    process.release(undefined);
  });

  Deno.test("whatever ends an interpreter, the next call has a new one", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap", memoryMib: 256 });
    const { call, shell, process } = await notebook(rig);
    for (const [name, code] of Object.entries(ends)) {
      await call(`open('kept', 'w').write('${name}')\n${code}`, 10_000);
      assert.equal(await shell("cat kept"), name);
      assert.equal(await call("6 * 7"), "new 42\n", name);
    }
    process.release(undefined);
  });

  Deno.test("an interpreter that makes way for the memory of a command is followed by a new one", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap", memoryMib: 256 });
    const { call, shell, process } = await notebook(rig);
    assert.equal(await call("x = b'x' * 150_000_000; len(x)"), "new 150000000\n");
    assert.equal(
      await shell("python3 -c \"x = b'y' * 150_000_000; import time; time.sleep(0.3); print(1)\""),
      "1\n",
    );
    assert.equal(await call("'x' in globals()"), "new False\n");
    process.release(undefined);
  });

  Deno.test("code that speaks for its interpreter gains nothing", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    const { call, shell, process } = await notebook(rig);
    await call(FORGED);
    assert.equal(await shell("echo fine"), "fine\n");
    assert.match(await call("6 * 7"), /42\n$/);
    process.release(undefined);
  });

  Deno.test("containers do not share variables, and one that is opened anew has a new interpreter", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    const [one, two] = [await notebook(rig, "one"), await notebook(rig, "two")];
    assert.equal(await one.call("x = 1"), "new ");
    assert.match(await two.call("x"), /^new .*NameError/s);
    one.process.release("0");
    const warm = await notebook(rig, "one");
    assert.equal(await warm.call("x"), "1\n");
    warm.process.release("other");
    const cold = await notebook(rig, "one");
    assert.match(await cold.call("x"), /^new .*NameError/s);
    cold.process.release(undefined);
    two.process.release(undefined);
  });

  const stops: Readonly<Record<string, (rig: SandboxRig, stop: AbortController) => Promise<void>>> = {
    "its caller leaves": (_rig, stop) => Promise.resolve(stop.abort()),
    "its container is deleted": (rig) => rig.sandbox.end("one"),
    "the keeper is killed": async ({ keeper }) => {
      const [row] = await childrenOf([Deno.pid], "keeper/main.ts");
      Deno.kill(row?.pid ?? assert.fail("a keeper runs"), "SIGKILL");
      await until(() => keeper.problem !== undefined, { what: "the keeper's end" });
    },
  };

  Deno.test("nothing of an interpreter is alive after its end, in a call and between calls", async (t) => {
    for (const [name, end] of Object.entries(stops)) {
      await t.step(name, async () => {
        await using rig = sandboxRig({ engine: "bubblewrap" });
        const stop = new AbortController();
        const seconds = 10_000_000 + Math.floor(performance.now() * 1_000);
        const isAlive = async () =>
          (await runningProcesses()).some(({ command }) => command.includes(`sleep ${seconds}`));
        const { process, call } = await notebook(rig);
        await call(`import subprocess; p = subprocess.Popen(['sleep', '${seconds}'])`);
        assert(await isAlive());
        const running = runIn(process, "while True: pass", {
          ...SLOW,
          timeoutMs: 120_000,
          signal: stop.signal,
        });
        await end(rig, stop);
        await patiently(running).catch((error: unknown) => assert.equal(error, stop.signal.reason));
        await until(async () => !await isAlive(), { what: "the end of all processes" });
        process.release(undefined);
      });
    }
  });
}
