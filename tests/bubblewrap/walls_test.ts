/** Each wall of a sandbox stands, and the self-test names each one that is taken away. */

import assert from "node:assert/strict";
import { readTrial } from "../../server/sandbox/bubblewrap/walls.ts";
import { hasBubblewrap, wallsInput } from "../support/bubblewrap.ts";
import { type Breach, ROOM_BYTES, runBreached } from "./breached_sandbox.ts";
import { breaches, onTerminal, startedWith } from "./breaches.ts";

/** Users that nobody has: as root, and as an ordinary user who cannot become another. */
const users = { "a user of its own": 2_147_000_001, nobody: 65_534 } as const;

/** Fault that the self-test finds. */
const faultWith = async (breach: Breach): Promise<string | undefined> =>
  readTrial(await runBreached(breach, { program: "walls", input: () => wallsInput(ROOM_BYTES) })).fault;

if (hasBubblewrap()) {
  for (const [name, uid] of Object.entries(users)) {
    Deno.test(`every wall of a sandbox stands, as ${name}`, async () => {
      assert.equal(await faultWith({ uid }), undefined);
      assert.equal(await faultWith({ uid, forwarder: (chain) => chain }), undefined);
      // Whatever has started the gateway, nothing of it gets in.
      assert.equal(await faultWith({ uid, box: startedWith, holder: startedWith }), undefined);
      assert.equal(await faultWith({ uid, box: onTerminal }), undefined);
    });
  }

  Deno.test("the self-test names each wall that is taken away", async (t) => {
    for (const [name, { wall, lets: _lets, behind: _behind, ...breach }] of Object.entries(breaches)) {
      await t.step(name, async () => {
        const fault = await faultWith({ ...breach, uid: users["a user of its own"] });
        assert.equal(fault, `These walls of the sandbox do not stand here: ${wall}.`);
      });
    }
  });
}
