/** B3: what changes of a caller while its request runs holds for the next turn, on the gateway that is told of it. */

import { startGateway } from "../support/gateway.ts";
import { apiNames } from "../money/rig.ts";
import { assertEnded, callerChanges, HeldProvider, runThrough } from "./caller_changes.ts";
import { shiftedClock } from "../support/ticking_clock.ts";

for (const [name, change] of Object.entries(callerChanges)) {
  Deno.test(`B3 ${name} holds for the next turn on every API, streamed and whole`, async (t) => {
    const provider = new HeldProvider();
    await using _upstream = provider.upstream;
    const time = { ahead: 0 };
    await using gateway = await startGateway({ ...provider.options, clock: shiftedClock(time) });
    for (const api of apiNames) {
      for (const stream of [true, false]) {
        await t.step(`${api}, ${stream ? "streamed" : "whole"}`, async () => {
          const run = { provider, serving: [gateway], told: gateway, time, api, stream };
          assertEnded(change, await runThrough(change, run));
        });
      }
    }
  });
}
