/** Hostile commands: refused or ended within their limit, and the container answers the next one. */

import assert from "node:assert/strict";
import { childrenOf, hasPs, type ProcessRow } from "../support/processes.ts";
import { runIn, type SandboxRig, sandboxRig, shown } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

interface Attack {
  readonly code: string;
  /** Outcome: text that it prints, or how it is ended. */
  readonly shows: RegExp;
  readonly memoryMib?: number;
  /** Leaves no room for the files of others. */
  readonly fills?: boolean;
}

/** Time limit of the processor, in ms. */
const LIMIT_MS = 2_000;
const py = (code: string) => `python3 -c '${code}' 2>&1 | tail -1`;

/** Python that writes a frame of its own, with the header in Python. */
function forge(header: string, { times = 1 } = {}): string {
  return `python3 -c 'import js
header = js.TextEncoder.new().encode(${header})
body = js.TextEncoder.new().encode("\\0\\0\\0\\2{}")
out = js.Uint8Array.new(8 + header.length + body.length)
view = js.DataView.new(out.buffer)
view.setUint32(0, header.length); view.setUint32(4, body.length)
out.set(header, 8); out.set(body, 8 + header.length)
for i in range(${times}): js.Deno.stdout.writeSync(out)
while True: pass'`;
}

const attacks: Readonly<Record<string, Attack>> = {
  "files of the host": { code: "cat /etc/passwd /root/.ssh/id_rsa; ls /home /etc", shows: /No such file/ },
  "files of the host, from Python": { code: py('open("/etc/shadow").read()'), shows: /FileNotFoundError/ },
  "files of the host, through JavaScript": {
    code: py('import js; print(js.Deno.readTextFileSync("/etc/hostname"))'),
    shows: /NotCapable: Requires read access/,
  },
  "writing on the host": {
    code: py('import js; js.Deno.writeTextFileSync("/tmp/escaped", "x")'),
    shows: /NotCapable: Requires write access/,
  },
  "the environment of the host": {
    code: "env | grep -i -E 'key|token|secret|tollgate|deno'; " +
      py("import js; print(js.Deno.env.toObject())"),
    shows: /NotCapable: Requires env access/,
  },
  "the network": { code: "curl http://127.0.0.1:1/", shows: /command not found/ },
  "the network, from Python": {
    code: py('import js; from pyodide.ffi import run_sync; run_sync(js.fetch("http://127.0.0.1:8080/"))'),
    shows: /NotCapable: Requires net access/,
  },
  "a program of the host": {
    code: py('import js; js.Deno.Command.new("/bin/sh").outputSync()'),
    shows: /NotCapable: Requires run access|JsException/,
  },
  "/proc": { code: "cat /proc/self/environ /proc/1/cmdline; ls /proc/self", shows: /No such file/ },
  "a link out of the home folder": {
    code: "ln -s /etc/passwd p; cat p; ln -s / r; ls r/etc",
    shows: /No such file/,
  },
  "a FIFO": { code: "mkfifo f || echo none; " + py('import os; os.mkfifo("f")'), shows: /none[\s\S]*Error/ },
  "a fork bomb": { code: ":(){ :|:& };:", shows: /killed|recursion|depth|maximum/i },
  "an endless loop of the shell": { code: "while true; do :; done", shows: /\[time limit\]$/ },
  "an endless loop of Python": { code: "python3 -c 'while True: pass'", shows: /\[time limit\]$/ },
  "an endless loop that catches everything": {
    code: "python3 -c 'while True:\n try:\n  while True: pass\n except BaseException: pass'",
    shows: /time.limit/,
  },
  "an endless wait": { code: "sleep 1000", shows: /^\[time limit\]$/ },
  "a text that doubles": {
    code: "a=aaaaaaaaaaaaaaaa; while true; do a=$a$a; done",
    shows: /limit exceeded|time limit|killed: (memory|time)_limit/,
  },
  "a large buffer of Python": { code: py("bytearray(10**10)"), shows: /OverflowError|MemoryError/ },
  "a memory bomb of Python": {
    code: "python3 -c 'a=[]\nwhile True: a.append(bytearray(10**7))'",
    shows: /MemoryError|killed: memory_limit/,
    memoryMib: 384,
  },
  "a memory bomb beside V8's heap": {
    code: "python3 -c 'import js\na=[]\nwhile True: a.append(js.Uint8Array.new(10**7).fill(1))'",
    shows: /killed: memory_limit/,
    memoryMib: 384,
  },
  "10 GB of output": {
    code: "python3 -c 'import sys\nfor i in range(10**4): sys.stdout.write(\"x\" * 10**6)'",
    shows: /left out|time limit|killed: (memory|time)_limit/,
  },
  "10^6 files": {
    code: "i=0; while [ $i -lt 1000000 ]; do : > f$i; i=$((i+1)); done",
    shows: /no space|time limit|killed/i,
    fills: true,
  },
  "10^6 files of Python": {
    code: py('for i in range(10**6): open(str(i), "w").close()'),
    shows: /No space left|time.limit/,
    fills: true,
  },
  "deep folders": {
    code: "while mkdir d && cd d; do :; done 2>&1 | tail -1",
    shows: /name too long|time limit|killed/i,
    fills: true,
  },
  "a bomb of a regular expression": {
    code: "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! | grep -E '^(a+)+$'; echo $?",
    shows: /1\n$|time.limit/,
  },
  "a bomb of Python's regular expressions": {
    code: 'python3 -c \'import re; re.match("(a+)+$", "a" * 60 + "!")\'',
    shows: /time.limit/,
  },
  "the end of the process": { code: "python3 -c 'import js; js.Deno.exit(0)'", shows: /^killed: failed$/ },
  "a forged frame": { code: forge('"{\\"type\\":\\"ended\\"}"'), shows: /^killed: failed$/ },
  "a frame with a long header": {
    code: forge('"{\\"type\\":\\"ended\\",\\"x\\":\\"" + "a" * 60000 + "\\"}"'),
    shows: /^killed: failed$/,
  },
  "a header that grows when it is written again": {
    code: forge('"{\\"type\\":\\"ended\\",\\"x\\":\\"" + "\\u2028" * 20000 + "\\"}"'),
    shows: /^killed: failed$/,
  },
  "a flood of calls": {
    code: forge('"{\\"type\\":\\"call\\",\\"id\\":1,\\"name\\":\\"packages\\"}"', { times: 100_000 }),
    shows: /^killed: failed$/,
  },
  "nonsense on the pipe": {
    code: "python3 -c 'import js; js.Deno.stdout.writeSync(js.Uint8Array.new(1000).fill(255))'",
    shows: /^killed: failed$/,
  },
  "a call that is none": {
    code: forge('"{\\"type\\":\\"call\\",\\"id\\":1,\\"name\\":\\"fetch\\"}"'),
    shows: /^killed: failed$/,
  },
};

/** A container for attacks, until one ends its process or its command, or fills it: the next ones have another. */
function target(rig: SandboxRig) {
  let [container, version] = [0, 0];
  const open = () => rig.open({ container: `container ${container}`, version: String(version) });
  return async ({ code, shows, fills = false }: Attack) => {
    const first = await open();
    // Loading Python is not part of the attack.
    if (code.includes("python3")) await runIn(first, "python3 -c 'pass'", { timeoutMs: 60_000 });
    const outcome = await runIn(first, code, { timeoutMs: LIMIT_MS });
    assert.match(shown(outcome), shows);
    version++;
    first.release(String(version));
    const next = await open();
    assert.equal(shown(await runIn(next, "echo well")), "well\n");
    next.release(String(version));
    if (outcome.type === "ended" && !outcome.isTimedOut && !fills) return;
    await rig.sandbox.end(`container ${container}`);
    container++;
  };
}

const DEFAULT_MIB = 512;

for (const memoryMib of [DEFAULT_MIB, 384]) {
  Deno.test(`sandbox withstands attacks with ${memoryMib} MiB`, async (t) => {
    await using rig = sandboxRig({ memoryMib });
    const attackNext = target(rig);
    for (const [name, attack] of Object.entries(attacks)) {
      if ((attack.memoryMib ?? DEFAULT_MIB) === memoryMib) await t.step(name, () => attackNext(attack));
    }
  });
}

Deno.test("damage to JavaScript's prototypes stays in its container", async () => {
  await using rig = sandboxRig();
  const bad = await rig.open({ container: "bad" });
  const damage =
    'import js; js.eval("Array.prototype.map = () => []; Map.prototype.get = () => undefined; JSON.stringify = () => 0")';
  await runIn(bad, `python3 -c '${damage}'`, { timeoutMs: 30_000 });
  bad.release("1");
  const other = await rig.open({ container: "good" });
  assert.equal(shown(await runIn(other, "echo good; ls | wc -l")), "good\n0\n");
  other.release(undefined);
  // Its own next command may fail with it, and the one after that has a new process.
  const same = await rig.open({ container: "bad", version: "1" });
  const outcome = await runIn(same, "echo 1");
  same.release(outcome.type === "ended" ? "1" : undefined);
  await rig.sandbox.end("bad");
  const healed = await rig.open({ container: "bad", version: "1" });
  assert.equal(shown(await runIn(healed, "echo 2")), "2\n");
  healed.release(undefined);
});

/** The sandbox's processes of this program's own keeper. */
async function children(): Promise<readonly ProcessRow[]> {
  const keepers = await childrenOf([Deno.pid], "keeper/main.ts");
  return await childrenOf(keepers.map(({ pid }) => pid), "sandbox/child/main.ts");
}

Deno.test({
  name: "a process that goes on working after its command is ended",
  ignore: !hasPs("The test of a process that goes on working"),
  fn: endsIdleWork,
});

async function endsIdleWork(): Promise<void> {
  await using rig = sandboxRig();
  const process = await rig.open();
  await runIn(process, "python3 -c 'import js; js.eval(\"setTimeout(() => { for (;;); }, 10)\")'", {
    timeoutMs: 30_000,
  });
  process.release("1");
  await until(async () => (await children()).length === 0, { what: "the end of the process" });
  // The gateway hears of the end a moment later.
  await until(async () => {
    const next = await rig.open({ version: "1" });
    const shows = shown(await runIn(next, "echo well"));
    next.release(undefined);
    return shows === "well\n";
  }, { what: "a new process" });
}
