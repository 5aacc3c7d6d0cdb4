/**
 * Everyday scripts print in a container what bash 5.2 prints for them on Debian 12 (`debian/record.ts`), with the same
 * status: in the first command of a container, and in a used one.
 */

import assert from "node:assert/strict";
import type { CommandOutcome } from "../../server/sandbox/sandbox.ts";
import { engines, runIn, sandboxRig } from "../support/sandbox.ts";
import outputs from "./debian/outputs.json" with { type: "json" };
import { scripts } from "./debian/scripts.ts";

const SLOW = { timeoutMs: 30_000 } as const;
const recorded = new Map(Object.entries(outputs));

function assertAsRecorded(name: string, outcome: CommandOutcome): void {
  assert.equal(outcome.type, "ended");
  if (outcome.type !== "ended") return;
  const { stdout, exitCode: status, stderr } = outcome;
  assert.deepEqual({ stdout, status }, recorded.get(name), stderr);
}

Deno.test("there are the outputs of all scripts and of no others", () => {
  assert.deepEqual([...recorded.keys()].sort(), Object.keys(scripts).sort());
  assert(recorded.size >= 40);
});

for (const engine of engines) {
  Deno.test(`everyday scripts print in a fresh container of ${engine} what they print on Debian`, async (t) => {
    await using rig = sandboxRig({ engine });
    for (const [name, code] of Object.entries(scripts)) {
      await t.step(name, async () => {
        const process = await rig.open({ container: name });
        assertAsRecorded(name, await runIn(process, code, SLOW));
        process.release(undefined);
      });
    }
  });

  Deno.test(`everyday scripts print in a used container of ${engine} what they print on Debian`, async (t) => {
    await using rig = sandboxRig({ engine });
    const process = await rig.open();
    const first = await runIn(
      process,
      "export A_NAME='with blanks' B=2; readonly C=3; set -f; shopt -s dotglob; cd /tmp",
    );
    assert.equal(first.type, "ended");
    if (first.type !== "ended") return;
    for (const [name, code] of Object.entries(scripts)) {
      await t.step(name, async () => {
        const { environment } = first;
        const made = await runIn(process, `mkdir '${name}'`, { environment });
        assert.equal(made.type, "ended");
        const workingFolder = `/home/user/${name}`;
        assertAsRecorded(name, await runIn(process, code, { ...SLOW, environment, workingFolder }));
      });
    }
    process.release(undefined);
  });
}
