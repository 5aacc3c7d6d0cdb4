/** Sessions in a sandbox give way to the gateway where Linux shares the processor among sessions. */

import assert from "node:assert/strict";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import type { Keeper } from "../../server/sandbox/keeper/keeper.ts";
import { sessionNiceness } from "../../server/sandbox/bubblewrap/sandbox_sessions.ts";
import { linesLogger } from "../support/reader.ts";
import { runIn, sandboxRig } from "../support/sandbox.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { keeperOn, systems } from "./systems.ts";

/** Waits for it as long as the command may run. */
const WAITS = "until grep -q 'nice 10$' /proc/self/autogroup; do :; done; echo gives way";

/** Sessions that another one may begin: together they have no more than two. */
const MANY = "for i in 1 2 3 4 5 6 7; do setsid bash -c 'while :; do :; done' & done; " +
  "until grep -q 'nice 17$' /proc/self/autogroup; do :; done; echo gives way";

const sessions: Readonly<Record<string, { readonly language: "bash" | "python"; readonly code: string }>> = {
  "a command": { language: "bash", code: WAITS },
  "a session of its own": { language: "bash", code: `setsid -w bash -c "${WAITS}"` },
  "a session that takes its niceness back": {
    language: "bash",
    code:
      `setsid -w bash -c "${WAITS} > /dev/null; ! { echo 0 > /proc/self/autogroup; } 2> /dev/null && ${WAITS}"`,
  },
  "a command with eight sessions": { language: "bash", code: MANY },
  "a call of code_interpreter": {
    language: "python",
    code: "while 'nice 10' not in open('/proc/self/autogroup').read(): pass\nprint('gives way')",
  },
};

/** A kernel may have been built without it, or with it switched off. */
const sharesBySession = (): boolean => {
  const { stdout } = new Deno.Command("cat", { args: ["/proc/self/autogroup"], stderr: "null" }).outputSync();
  return stdout.length > 0;
};

/** Linux takes a change of an ordinary user ten times a second, and of root always. */
const users = Deno.uid() === 0 ? ["as root", "as an ordinary user"] : ["as this user"];

/** Undefined for this user: as the gateway starts it. */
function keeperOf(user: string): Keeper | undefined {
  const system = systems[user];
  return system && keeperOn(system, { clock: tickingClock(), log: linesLogger([]) });
}

Deno.test("the more sessions there are, the nicer is each, so that all together have no more than two", () => {
  const table = [[0, 10], [1, 10], [2, 10], [3, 12], [4, 14], [8, 17], [15, 19], [1_000, 19]] as const;
  for (const [sessions, niceness] of table) assert.equal(sessionNiceness(sessions), niceness, `${sessions}`);
});

if (hasBubblewrap() && sharesBySession()) {
  for (const user of users) {
    Deno.test(`sessions in a sandbox give way to the gateway, with a keeper ${user}`, async (t) => {
      await using rig = sandboxRig({ engine: "bubblewrap", keeper: keeperOf(user) });
      for (const [name, { language, code }] of Object.entries(sessions)) {
        await t.step(name, async () => {
          const process = await rig.open({ container: name });
          for (const container of ["new", "used"]) {
            const outcome = await runIn(process, code, { language, timeoutMs: 30_000 });
            assert.deepEqual([outcome.type, outcome.stdout], ["ended", "gives way\n"], container);
          }
          process.release(undefined);
        });
      }
    });
  }
}
