/** Nothing of a container outlives its end, its keeper or its gateway, and no container sees another. */

import assert from "node:assert/strict";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { commandEnds } from "../support/command_ends.ts";
import { runningProcesses } from "../support/processes.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";
import { patiently, until } from "../support/until.ts";

/** Number of seconds that no other program sleeps. */
function marker(): string {
  const [seconds, fraction] = crypto.getRandomValues(new Uint32Array(2));
  return `${seconds}.${fraction}`;
}

async function isAlive(text: string): Promise<boolean> {
  return (await runningProcesses()).some(({ command }) => command.includes(`sleep ${text}`));
}

/** A command that goes on for ever, with processes that try to outlive it. */
const endless = (text: string) => `
trap '' TERM INT HUP
setsid nohup sleep ${text} &
(trap '' TERM; sleep ${text}) &
touch started
wait; while :; do :; done`;

if (hasBubblewrap()) {
  Deno.test("nothing of a command is alive after its end", async (t) => {
    for (const [name, end] of commandEnds) {
      await t.step(name, async () => {
        await using rig = sandboxRig({ engine: "bubblewrap" });
        const [text, stop] = [marker(), new AbortController()];
        const process = await rig.open();
        const running = runIn(process, endless(text), { timeoutMs: 120_000, signal: stop.signal });
        await until(() => isAlive(text), { what: "the command's processes" });
        await end(rig, stop);
        await patiently(running).catch((error: unknown) => assert.equal(error, stop.signal.reason));
        await until(async () => !await isAlive(text), { what: "the end of all processes" });
        process.release(undefined);
      });
    }
  });

  Deno.test("a command that ends takes along what it has started", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    const text = marker();
    const process = await rig.open();
    const code = `setsid nohup sleep ${text} > /dev/null 2>&1 & disown; echo done`;
    assert.equal(shown(await runIn(process, code)), "done\n");
    assert.equal(await isAlive(text), false);
    process.release(undefined);
  });

  Deno.test("containers that run side by side see nothing of each other", async () => {
    await using rig = sandboxRig({ engine: "bubblewrap", processes: 8 });
    const containers = Array.from({ length: 8 }, (_unused, index) => `c${index}`);
    await Promise.all(containers.map(async (container) => {
      const process = await rig.open({ container });
      for (const round of [1, 2, 3]) {
        const code = `echo ${container} >> own; cp own /tmp/${container}; cp own /dev/shm/x; cat own | wc -l
          ls ~ /tmp /dev/shm; echo "$OWN"`;
        const lines = shown(await runIn(process, code, { environment: { OWN: container } })).split("\n");
        assert.equal(lines[0]?.trim(), String(round));
        assert.deepEqual(lines.slice(1), [
          "/dev/shm:",
          "x",
          "",
          "/home/user:",
          "own",
          "",
          "/tmp:",
          container,
          container,
          "",
        ]);
      }
      process.release(undefined);
    }));
  });
}
