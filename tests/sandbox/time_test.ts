/** Tests a command's time, and what is left of a command that has reached its limit. */

import assert from "node:assert/strict";
import { runIn, sandboxRig, shown, textOf } from "../support/sandbox.ts";

/** Limit of processor time. The clock's limit is four times as long, so a busy machine reaches the loop. */
const SHORT = { timeoutMs: 2_000 } as const;

const endless: Readonly<Record<string, string>> = {
  "a loop of the shell": "while :; do :; done",
  "a loop in a function in a substitution": "f() { while :; do x=1; done; }; y=$(f)",
  "a recursion": "f() { sleep 0.01; f | cat; }; f",
  "a loop of Python": "python3 -c 'while True: pass'",
  "Python that catches its signal":
    "python3 -c 'while True:\n try:\n  while True: pass\n except Exception: pass'",
  "a loop after many starts of Python":
    "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do python3 -c pass; done; while :; do :; done",
  "a pipeline": "while :; do echo x; done | cat > /dev/null",
  "inner scripts": "while :; do echo 1 | xargs -n1 sh -c :; done",
};

Deno.test("a time limit returns what was printed before it, and keeps what was written", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  // The start of Python is not part of any of them.
  await runIn(process, "python3 -c 'pass'", { timeoutMs: 30_000 });
  for (const [name, code] of Object.entries(endless)) {
    await t.step(name, async () => {
      const outcome = await runIn(
        process,
        `echo before; echo kept > '${name}'; export A=1; ${code}; echo after`,
        SHORT,
      );
      assert.equal(outcome.type, "ended");
      if (outcome.type !== "ended") return;
      assert.match(shown(outcome), /^before\n(?!after)/);
      assert.deepEqual([outcome.isTimedOut, outcome.exitCode, outcome.environment.A], [true, 124, "1"]);
      assert.equal(await textOf(process, name), "kept\n");
      assert.equal(shown(await runIn(process, "echo next")), "next\n");
    });
  }
  process.release(undefined);
});

Deno.test("a command that cannot be interrupted is ended with its process, and what it printed is told", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const code = "echo before; sleep 0.2; echo then; awk 'BEGIN { while (1) x++ }'";
  const outcome = await runIn(process, code, SHORT);
  // What was printed in the last moment before may be lost.
  assert.match(shown(outcome), /^before\n(?:then\n)?killed: time_limit$/);
  process.release("1");
  const next = await rig.open({ version: "1" });
  assert.equal(shown(await runIn(next, "echo hi")), "hi\n");
  next.release(undefined);
});

Deno.test("a command that waits has four times as long by the clock", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const outcome = await runIn(process, "sleep 6; echo woke", { timeoutMs: 5_000 });
  assert.equal(shown(outcome), "woke\n");
  assert.match(shown(await runIn(process, "echo a; sleep 1000; echo never", SHORT)), /^a\n.*time.limit/s);
  process.release(undefined);
});

Deno.test("the start of Python does not count", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  assert.equal(shown(await runIn(process, "python3 -c 'print(1)'", SHORT)), "1\n");
  process.release(undefined);
});
