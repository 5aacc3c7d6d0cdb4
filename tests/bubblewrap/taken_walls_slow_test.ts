/**
 * All hostile commands beside each wall that is taken away: what each wall holds, as a table. `TOLLGATE_TEST_ALL=1`
 * takes every wall away; without it, some that the seed chooses.
 */

import assert from "node:assert/strict";
import { encodeState } from "../../server/sandbox/bubblewrap/shell_state.ts";
import { hasBubblewrap, wallsInput } from "../support/bubblewrap.ts";
import { attacks } from "./attacks.ts";
import { type Breach, ROOM_BYTES, runBreached } from "./breached_sandbox.ts";
import { seeded } from "../fuzz/random.ts";
import { seed } from "../support/seed.ts";
import { breaches, type TakenWall } from "./breaches.ts";

/** A user that nobody has. */
const UID = 2_147_000_001;

const SOME = 5;
const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";

/** The walls of this run. */
function takenWalls(): readonly (readonly [name: string, wall: TakenWall])[] {
  // Who is not root cannot give a sandbox root's user.
  const known = Object.entries(breaches).filter(([, { behind = {} }]) =>
    Deno.uid() === 0 || !("uid" in behind)
  );
  if (all) return known;
  const { next } = seeded(seed);
  return known.map((one) => ({ one, at: next() })).sort((a, b) => a.at - b.at).slice(0, SOME).map((
    { one },
  ) => one);
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Each in a shell of its own, and a NUL in front of what it shows. */
const script =
  Object.values(attacks).map(([code]) => `printf '\\0'; timeout 60 bash -c ${quote(code)} < /dev/null 2>&1`)
    .join("\n") + "\ntrue";

/** Names of the commands that succeed. */
async function successes(breach: Breach): Promise<readonly string[]> {
  using outside = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const namespaces = await wallsInput(ROOM_BYTES);
  const printed = await runBreached(breach, {
    program: "shell",
    input: (holder) => {
      const environment = {
        OUTSIDE_PORT: String(outside.addr.port),
        OUTSIDE_PID: String(holder),
        OUTSIDE_NAMESPACES: namespaces,
      };
      const state = encodeState({ workingFolder: "/home/user", environment });
      return new TextDecoder().decode(state) + script;
    },
  });
  const shown = printed.split("\0").slice(1);
  assert.equal(shown.length, Object.keys(attacks).length);
  return Object.entries(attacks).flatMap(([name, [, shows]], index) =>
    shows.test(shown[index] ?? "") ? [] : [name]
  );
}

/** Commands that succeed without a wall, as a cell of the table; where another one stands behind it, nothing does before that is gone too. */
async function row({ wall: _wall, lets, behind, ...breach }: TakenWall): Promise<string> {
  const alone = await successes({ ...breach, uid: UID });
  if (behind === undefined) {
    assert(alone.includes(lets), `${lets} is not among ${alone.join(", ")}`);
    return alone.join("; ");
  }
  assert.deepEqual(alone, []);
  const both = await successes({ ...breach, uid: UID, ...behind });
  assert(both.includes(lets), `${lets} is not among ${both.join(", ")}`);
  return `nothing; also without ${Object.keys(behind).join(" and ")}: ${both.join("; ")}`;
}

if (hasBubblewrap()) {
  Deno.test("each wall of a sandbox holds commands that succeed where it is taken away", async (t) => {
    assert.deepEqual(await successes({ uid: UID }), []);
    const rows: string[] = [];
    for (const [name, wall] of takenWalls()) {
      await t.step(name, async () => {
        rows.push(`| ${name} | ${await row(wall)} |`);
      });
    }
    if (Deno.uid() === 0) {
      const alone = await successes({ uid: undefined });
      assert(alone.includes("a bomb of processes"));
      rows.push(`| a user of its own | ${alone.join("; ")} |`);
    }
    console.log(["| taken away | succeeds |", "|---|---|", ...rows].join("\n"));
  });
}
