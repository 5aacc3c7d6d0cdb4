/** Many containers at random: none sees a file, a variable or a process of another one. */

import assert from "node:assert/strict";
import { seeded } from "../fuzz/random.ts";
import { testEngines } from "../support/containers.ts";
import { descendantsOf, type ProcessRow, untilGone } from "../support/processes.ts";
import { seed } from "../support/seed.ts";

const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
const CONTAINERS = all ? 30 : 8;
const COMMANDS = all ? 150 : 40;
/** As many as there are processes. */
const AT_ONCE = 4;
/** A process that makes room for another one has not ended in time: on a busy machine the command is sent again. */
const HAS_NO_PLACE = /Too many commands are running/;

testEngines(`containers share nothing (SEED=${seed})`, async (openRig, engine) => {
  const random = seeded(seed);
  /** Every container that is awake has one of this program. */
  const program = engine === "virtual" ? "sandbox/child/main.ts" : "unshare";
  const rig = await openRig({ file: { sandbox: { processes: AT_ONCE } } });
  let processes: readonly ProcessRow[] = [];
  try {
    const counts = new Map<string, number>();
    const busy = new Set<string>();
    let left = COMMANDS;
    const work = async () => {
      while (left-- > 0) {
        const session = `session ${random.below(CONTAINERS)}`;
        if (busy.has(session)) continue;
        busy.add(session);
        const before = counts.get(session) ?? 0;
        const command =
          `cat own 2>/dev/null; echo "[$OWN]"; ls /tmp ~ | wc -l; echo '${session}' >> own; export OWN='${session}'`;
        const { stdout, stderr, error, output } = await rig.bash({ command }, { session });
        busy.delete(session);
        if (error !== undefined) {
          assert.match(error, HAS_NO_PLACE);
          left++;
          continue;
        }
        // Whatever is not kept is told of.
        assert.deepEqual([stderr, output.notes], ["", undefined]);
        const lines = stdout.split("\n").filter(Boolean);
        assert.deepEqual(lines.slice(0, before), Array(before).fill(session));
        assert.equal(lines[before], before === 0 ? "[]" : `[${session}]`);
        counts.set(session, before + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert(counts.size > CONTAINERS / 2);
    processes = await descendantsOf(Deno.pid, program);
    assert(processes.length > 0, "containers stay awake for a while");
  } finally {
    await rig[Symbol.asyncDispose]();
  }
  await untilGone(processes);
  assert.deepEqual(await descendantsOf(Deno.pid, program), []);
});
