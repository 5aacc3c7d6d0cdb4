/** Memory outside of V8's heap, which only the keeper's watch bounds. */

import assert from "node:assert/strict";
import { ChildRun } from "../../server/sandbox/keeper/child_run.ts";
import { programs } from "../../server/sandbox/keeper/programs.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { PATIENCE_MS } from "../support/until.ts";

const grows = `
await new Promise((done) => setTimeout(done, 300));
for (const all = [];;) all.push(new Uint8Array(16 * 1024 * 1024).fill(1));
`;

Deno.test({
  name: "keeper ends a child at its limit of memory, and the kernel would end it before the gateway",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const file = await Deno.makeTempFile({ suffix: ".js" });
    await Deno.writeTextFile(file, grows);
    const { reader } = programs;
    const clock = tickingClock();
    const program = { ...reader, timeMs: PATIENCE_MS, args: [...reader.args.slice(0, -1), file] };
    const run = new ChildRun({ program, input: new Uint8Array(0), env: { DENO_DIR: "/nowhere" }, clock });
    assert.equal(Deno.readTextFileSync(`/proc/${run.pid}/oom_score_adj`).trim(), "1000");
    const { outcome, output } = await run.result;
    assert.deepEqual([outcome, output.length], ["memory_limit", 0]);
    assert.equal(clock.open, 0);
    await Deno.remove(file);
  },
});
