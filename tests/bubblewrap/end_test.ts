/** A sandbox that is ended while it is made leaves nothing, whatever its maker does in that moment. */

import assert from "node:assert/strict";
import { PIPED } from "../../server/sandbox/bubblewrap/box_run.ts";
import { endSandbox } from "../../server/sandbox/bubblewrap/process_tree.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { runningProcesses } from "../support/processes.ts";
import { patiently, until } from "../support/until.ts";

/** A moment of the maker: its program, and how many processes of it run then. */
interface Moment {
  readonly command: string;
  readonly args: readonly string[];
  readonly processes: number;
}

const SANDBOX = ["--unshare-user", "--unshare-pid", "--die-with-parent", "--ro-bind", "/", "/"];
const REST = 987_654;

/** Moments by what the maker does; `MARK` stands for a number that no other program sleeps. */
const moments: Readonly<Record<string, Moment>> = {
  "it prepares by a program of its own": {
    command: "/bin/bash",
    args: ["-c", "/bin/sleep MARK; exec /bin/sleep MARK"],
    processes: 2,
  },
  "it has made nothing yet": {
    command: "/bin/bash",
    args: ["-c", "read -r line; exec /bin/sleep MARK", "MARK"],
    processes: 1,
  },
  "it has not set up its first process, which waits for that": {
    command: "/usr/bin/bwrap",
    args: ["--userns-block-fd", "0", "--info-fd", "1", ...SANDBOX, "/bin/sleep", "MARK"],
    processes: 2,
  },
  "it runs": { command: "/usr/bin/bwrap", args: [...SANDBOX, "/bin/sleep", "MARK"], processes: 3 },
};

if (hasBubblewrap()) {
  Deno.test("a sandbox that is ended at any moment leaves nothing", async (t) => {
    for (const [index, [name, { command, args, processes }]] of Object.entries(moments).entries()) {
      await t.step(name, async () => {
        const mark = `${REST + index}.${Deno.pid}`;
        const count = async () =>
          (await runningProcesses()).filter((row) => row.command.includes(mark)).length;
        const child = new Deno.Command(command, {
          ...PIPED,
          args: args.map((arg) => arg.replaceAll("MARK", mark)),
          stdout: "null",
          stderr: "null",
        }).spawn();
        await until(async () => await count() === processes, { what: name });
        endSandbox(child);
        // What waits for its input waits no longer.
        await child.stdin.close().catch(() => {
          // It has ended, and its pipe with it.
        });
        assert.equal((await patiently(child.status)).success, false);
        await until(async () => await count() === 0, { what: "the end of all processes" });
        // Nothing is there any more, and nothing happens.
        endSandbox(child);
      });
    }
  });
}
