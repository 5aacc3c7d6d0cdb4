/** The ways out of the engine `virtual` through JavaScript: each is closed. */

import assert from "node:assert/strict";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";
import { tries } from "./javascript_tries.ts";

for (const [kind, ofKind] of Object.entries(tries)) {
  Deno.test(`JavaScript in a container reaches nothing of the machine: ${kind}`, async (t) => {
    await using rig = sandboxRig();
    const process = await rig.open();
    for (const [name, [code, shows]] of Object.entries(ofKind)) {
      await t.step(name, async () => {
        assert.match(shown(await runIn(process, code, { timeoutMs: 20_000 })), shows);
      });
    }
    assert.equal(shown(await runIn(process, "echo well")), "well\n");
    process.release(undefined);
  });
}
