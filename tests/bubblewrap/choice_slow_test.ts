/** The engine that is chosen on systems of many kinds, and what is said of it. */

import assert from "node:assert/strict";
import { createSandbox, type SandboxOptions } from "../../server/sandbox/engines.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { linesLogger } from "../support/reader.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { keeperOn, type System, systems } from "./systems.ts";

async function chosenOn(system: System, engine: SandboxOptions["engine"]) {
  const [clock, log] = [tickingClock(), linesLogger([])];
  const keeper = keeperOn(system, { clock, log });
  const nothing = () => Promise.reject(new Error("There is nothing here."));
  const limits = { processes: 1, spare: false, memoryMib: 512 };
  const sandbox = createSandbox({
    engine,
    keeper,
    clock,
    log,
    fetchPage: nothing,
    openTunnel: nothing,
    findWheels: nothing,
    ...limits,
  });
  await sandbox.ready;
  const { engine: chosen, engineReason, unavailableReason } = sandbox;
  await sandbox.close();
  await keeper.close();
  return { chosen, engineReason, unavailableReason };
}

if (hasBubblewrap() && Deno.uid() === 0) {
  Deno.test("the engine is bubblewrap where its walls stand, and else virtual with the reason", async (t) => {
    for (const [name, system] of Object.entries(systems)) {
      await t.step(name, async () => {
        const { chosen, engineReason, unavailableReason } = await chosenOn(system, "auto");
        if (system.says !== undefined) assert.match(engineReason ?? "", system.says);
        else assert.equal(engineReason, undefined);
        const expected = system.says === undefined ? "bubblewrap" : "virtual";
        assert.deepEqual([chosen, unavailableReason], [expected, undefined]);
      });
    }
  });

  Deno.test("bubblewrap by name has no way back to the other engine", async () => {
    const { chosen, unavailableReason } = await chosenOn(
      systems["without bubblewrap"] ?? { script: "" },
      "bubblewrap",
    );
    assert.deepEqual([chosen, unavailableReason], [
      undefined,
      "bubblewrap is not installed: `apt install bubblewrap`.",
    ]);
  });
}
