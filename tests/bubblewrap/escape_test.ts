/** Hostile commands of the engine `bubblewrap`: refused, or ended within their limit; the container goes on. */

import assert from "node:assert/strict";
import type { CommandOutcome, SandboxProcess } from "../../server/sandbox/sandbox.ts";
import { MAX_CONTAINER_FILE_BYTES } from "../../server/sandbox/containers/file_list.ts";
import { hasBubblewrap, wallsInput } from "../support/bubblewrap.ts";
import { attacks } from "./attacks.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

/** Files that a command leaves for the programs of the gateway, and the command that finds the container well. */
const traps: Readonly<Record<string, string>> = {
  "a signal to everyone": "kill -9 -1; true",
  "a home folder without rights": "chmod 000 ~ /run /tmp",
  "a state that is a pipe": "rm -f /run/state; mkfifo /run/state; trap - EXIT; exec true",
  "a state that is a link": "rm -f /run/state; ln -s /etc/passwd /run/state; trap - EXIT; exec true",
  "a state that is a folder": "rm -f /run/state; mkdir /run/state; trap - EXIT; exec true",
  "a state that never ends": "head -c 9000000 /dev/zero > /run/state; trap - EXIT; exec true",
  "names that are options": "touch -- -rf --checkpoint-action=exec=sh '*'",
  "names with every byte": "touch \"$(printf 'a\\nb\\tc')\" \"$(printf '\\377\\001')\"",
  "pipes and sockets": "mkfifo pipe; python3 -c 'import socket; socket.socket(1).bind(\"socket\")'",
  "links that lead away":
    "ln -s /etc/shadow l; ln -s / root; ln -s loop loop; mkdir d; ln -s ../../../../proc/1/environ d/e",
  "hard links": "echo x > h1; ln h1 h2; ln /usr/bin/env h3 2> /dev/null; true",
  "folders without rights": "mkdir -p locked/in; echo x > locked/in/f; chmod 000 locked",
  "a file without rights": "echo secret > closed; chmod 000 closed",
  "a sparse file": "truncate -s 90M sparse",
};

async function answers(process: SandboxProcess, after: string): Promise<void> {
  assert.equal(shown(await runIn(process, "echo well", { timeoutMs: 20_000 })), "well\n", after);
}

/** Larger files are refused before they are read. */
const isKept = (size: number) => size > 0 && size <= MAX_CONTAINER_FILE_BYTES;

const state = (outcome: CommandOutcome) =>
  outcome.type === "ended" ? { environment: outcome.environment, workingFolder: outcome.workingFolder } : {};

if (hasBubblewrap()) {
  Deno.test("nothing of the host can be reached from a sandbox", async (t) => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    using outside = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const environment = {
      OUTSIDE_PORT: String(outside.addr.port),
      OUTSIDE_PID: String(Deno.pid),
      OUTSIDE_NAMESPACES: await wallsInput(0),
    };
    const process = await rig.open();
    assert(Object.keys(attacks).length >= 60);
    let before = {};
    for (const [name, [code, shows]] of Object.entries(attacks)) {
      await t.step(name, async () => {
        const outcome = await runIn(process, code, { environment, timeoutMs: 20_000 });
        assert.match(shown(outcome), shows);
        before = state(outcome);
      });
    }
    // Whatever the last one exported: the gateway's own programs do not see it.
    assert.equal((await runIn(process, "/bin/true", before)).type, "ended");
    await answers(process, "all attacks");
    process.release(undefined);
  });

  Deno.test("nothing that a command leaves stops the next one", async (t) => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    for (const [name, code] of Object.entries(traps)) {
      await t.step(name, async () => {
        const process = await rig.open({ container: name });
        const outcome = await runIn(process, code, { timeoutMs: 20_000 });
        assert.equal(outcome.type, "ended", shown(outcome));
        if (outcome.type !== "ended") return;
        for (const change of outcome.changes) {
          if (change.type === "deleted" || change.entry.type !== "file" || !isKept(change.entry.size)) {
            continue;
          }
          const content = await Array.fromAsync(process.readFile(change.entry.path));
          assert.equal(Buffer.concat(content).length, change.entry.size, change.entry.path);
        }
        await answers(process, name);
        process.release(undefined);
      });
    }
  });
}
