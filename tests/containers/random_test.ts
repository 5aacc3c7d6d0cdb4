/** Many containers at random: none sees a file, a variable or a process of another one. */

import assert from "node:assert/strict";
import { seeded } from "../fuzz/random.ts";
import { containerRig } from "../support/containers.ts";
import { seed } from "../support/seed.ts";

const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
const CONTAINERS = all ? 100 : 10;
const COMMANDS = all ? 1_000 : 60;
const AT_ONCE = 8;

/** Resident MiB of the processes that run below this one. */
async function residentMib(): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "rss=,args="] }).output();
  const lines = new TextDecoder().decode(stdout).split("\n").filter((line) =>
    line.includes("sandbox/child/main.ts")
  );
  return lines.reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[0]), 0) / 1_024;
}

Deno.test(`containers share nothing (SEED=${seed})`, async () => {
  const random = seeded(seed);
  const rig = await containerRig();
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
        const { stdout } = await rig.bash({ command }, { session });
        const lines = stdout.split("\n").filter(Boolean);
        assert.deepEqual(lines.slice(0, before), Array(before).fill(session));
        assert.equal(lines[before], before === 0 ? "[]" : `[${session}]`);
        counts.set(session, before + 1);
        busy.delete(session);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert(counts.size > CONTAINERS / 2);
  } finally {
    await rig[Symbol.asyncDispose]();
  }
  assert.equal(await residentMib(), 0);
});
