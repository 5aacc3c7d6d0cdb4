/** A process that is warming up when its first command comes, as on a machine that is busy. */

import assert from "node:assert/strict";
import { runIn, shown } from "../support/sandbox.ts";
import { type Change, withChanges } from "./changed_engine.ts";

const SLOW = { timeoutMs: 30_000 } as const;

/** The warm-up takes seconds, and what is done between requests is done at once. */
const changes: readonly Change[] = [
  ["child/container_server.ts", 'WARM_UP = "echo', 'WARM_UP = "sleep 6; echo a; sleep 1; echo b | cat; echo'],
  ["child/main.ts", "const IDLE_MS = 50;", "const IDLE_MS = 0;"],
];

Deno.test("a command waits for the end of the warm-up, whatever has been loaded meanwhile", () =>
  withChanges({ changes, spare: true }, async ({ rig }) => {
    const other = await rig.open({ container: "other" });
    const passes = async (seconds: number) => {
      assert.equal(shown(await runIn(other, `sleep ${seconds}; echo woke`, SLOW)), "woke\n");
    };
    // A process for the next container has been started, and warms up.
    await passes(2);
    const entry = { type: "folder", path: "loaded", mode: 0o755, modifiedAt: 0 } as const;
    const next = await rig.open({ container: "next", entries: [{ entry }] });
    await passes(1);
    assert.equal(shown(await runIn(next, "ls; echo mine > kept", SLOW)), "loaded\n");
    await passes(5);
    assert.equal(shown(await runIn(next, "cat kept", SLOW)), "mine\n");
    next.release(undefined);
    other.release(undefined);
  }));
