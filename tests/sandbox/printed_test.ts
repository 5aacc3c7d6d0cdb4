/** Tests that a command's output is there whatever ends it, in a fresh container and in a used one. */

import assert from "node:assert/strict";
import { PrintedOutput } from "../../server/sandbox/child/printed_output.ts";
import { decodePack } from "../../server/sandbox/pack.ts";
import { MAX_OUTPUT_BYTES, printedSchema } from "../../server/sandbox/messages.ts";
import type { CommandInput, CommandOutcome, SandboxProcess } from "../../server/sandbox/sandbox.ts";
import { runIn, type SandboxRig, sandboxRig } from "../support/sandbox.ts";
import { TIME_FACTOR } from "../support/time_limits.ts";

/** Time limit of the processor, in ms, and four times as much by the clock. */
const SHORT_MS = 1_500 * TIME_FACTOR;

type Language = CommandInput["language"];

/** Python that prints; what it prints is before what ends it. */
const prints: Readonly<Record<string, string>> = {
  "print with flush": "print('before', flush=True)",
  "print, then flush": "print('before'); sys.stdout.flush()",
  "sys.stderr": "print('before', file=sys.stderr)",
  "os.write": "os.write(1, b'before\\n')",
};

const ends: Readonly<Record<string, string>> = {
  "the processor's time": "\nwhile True: pass",
  "a wait until the clock ends": "time.sleep(1000)",
  "a wait of asyncio": "asyncio.run(asyncio.sleep(1000))",
  "a wait that catches its end":
    "\nwhile True:\n try:\n  while True: time.sleep(1000)\n except BaseException: pass",
  "os.abort": "os.abort()",
  "memory": "x = [bytearray(10**9) for _ in range(9)]",
  "a status": "os._exit(3)",
  "the process": "js.eval('Deno.exit(1)')",
};

const quoted = (code: string): string => `'${code.replaceAll("'", "'\\''")}'`;

const wrappers: Readonly<Record<string, readonly [Language, (code: string) => string]>> = {
  "the code interpreter": ["python", (code) => code],
  "python3 -c": ["bash", (code) => `python3 -c ${quoted(code)}`],
  "python3 behind another command": ["bash", (code) => `cd . && python3 -c ${quoted(code)}`],
  "python3 with a program on its input": ["bash", (code) => `python3 <<'END'\n${code}\nEND\n`],
  "python3 in a pipe's end": ["bash", (code) => `echo x | python3 -c ${quoted(code)}`],
};

const IMPORTS = "import asyncio, js, os, sys, time\n";

interface Case {
  readonly name: string;
  readonly language: Language;
  readonly code: string;
}

const [places, ways] = [Object.keys(wrappers), Object.keys(prints)];

/** Where Python runs, how it prints, and what ends it; the first of each but for what the row is about. */
const rows: readonly (readonly [place: string, way: string, end: string])[] = [
  ...Object.keys(ends).map((end, index) => [places[0], ways[index % ways.length], end] as const),
  ...places.slice(1).map((place) => [place, ways[0], "the process"] as const),
  // The end of the first rows that lets Python say nothing has come with the last of the ways.
  ...ways.slice(0, -1).map((way) => [places[0], way, "the process"] as const),
].map(([place = "", way = "", end]) => [place, way, end]);

function caseOf([place, way, end]: typeof rows[number]): Case {
  const [language, wrap] = wrappers[place] ?? [];
  assert.ok(language && wrap);
  return {
    name: [place, way, end].join(", "),
    language,
    code: wrap(`${IMPORTS}${prints[way]}; ${ends[end]}`),
  };
}

/** One in which Python ends itself, and one in which it cannot. */
const KINDS = ["a wait until the clock ends", "the process"] as const;

function assertPrinted({ stdout, stderr }: CommandOutcome): void {
  assert.match(stdout + stderr, /^before$/m);
}

Deno.test("what Python printed is there whatever ends it, in used containers", async (t) => {
  await using rig = sandboxRig();
  let process: SandboxProcess | undefined;
  for (const { name, language, code } of rows.map(caseOf)) {
    await t.step(name, async () => {
      process ??= await usedProcess(rig);
      const outcome = await runIn(process, code, { language, timeoutMs: SHORT_MS });
      if (outcome.type === "killed") {
        process.release(undefined);
        process = undefined;
      }
      assertPrinted(outcome);
    });
  }
  process?.release(undefined);
});

async function usedProcess(rig: SandboxRig): Promise<SandboxProcess> {
  const process = await rig.open();
  await runIn(process, "python3 -c 'print(1)' > kept", { timeoutMs: 30_000 });
  return process;
}

Deno.test("what Python printed is there whatever ends it, in fresh containers", async (t) => {
  await using rig = sandboxRig();
  for (const [place, [language, wrap]] of Object.entries(wrappers).slice(0, 2)) {
    for (const end of KINDS) {
      await t.step(`${place}, ${end}`, async () => {
        const process = await rig.open({ container: `${place} ${end}` });
        const code = wrap(`${IMPORTS}print('before', flush=True); ${ends[end]}`);
        assertPrinted(await runIn(process, code, { language, timeoutMs: SHORT_MS }));
        process.release(undefined);
      });
    }
  }
});

Deno.test("what Python writes elsewhere is not told as the script's", async (t) => {
  await using rig = sandboxRig();
  const python = `python3 -c ${quoted(`${IMPORTS}print('inner', flush=True); ${ends["the process"]}`)}`;
  const elsewhere = {
    "a file": `${python} > x`,
    "a pipe": `${python} | cat`,
    "a substitution": `y=$(${python})`,
    "an argument of Python": `python3 -c pass "$(${python})"`,
    "a redirection of all": `exec > x; ${python}`,
  };
  for (const [name, code] of Object.entries(elsewhere)) {
    await t.step(name, async () => {
      const process = await rig.open();
      const outcome = await runIn(process, `echo before; ${code}`);
      assert.deepEqual([outcome.type, outcome.stdout], ["killed", "before\n"]);
      process.release(undefined);
    });
  }
});

Deno.test("printed output is bounded, in order, and each part comes once", async () => {
  let now = 0;
  const told: string[] = [];
  const send = (pack: Uint8Array) => {
    const { value, bytes } = decodePack(Uint8Array.from(pack));
    const { stdout, stderr } = printedSchema.parse(value);
    const text = new TextDecoder().decode(bytes);
    told.push(`${text.slice(0, stdout)}|${text.slice(stdout, stdout + stderr)}`);
    return Promise.resolve();
  };
  const printed = new PrintedOutput({ monotonic: () => now, send });
  await printed.add({ stdout: "a", stderr: "" });
  assert.deepEqual(told, []);
  printed.write("stderr", new TextEncoder().encode("b"));
  assert.deepEqual(told, ["a|b"]);
  for (let i = 0; i < 2_000; i++) printed.write("stdout", new Uint8Array([99]));
  assert.equal(told.length, 1_000);
  now = 100;
  printed.write("stdout", new Uint8Array([100]));
  assert.equal(told.at(-1), `${"c".repeat(1_001)}d|`);
  now = 200;
  printed.write("stdout", new Uint8Array(2 * MAX_OUTPUT_BYTES));
  printed.write("stdout", new Uint8Array(1));
  await printed.tell();
  assert.equal(told.join("").replaceAll("|", "").length, MAX_OUTPUT_BYTES);
});
