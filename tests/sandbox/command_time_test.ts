/** Tests a command's time: the processor's, four times as much by the clock, and no start of Python. */

import assert from "node:assert/strict";
import { CommandTime } from "../../server/sandbox/child/command_time.ts";

function rig() {
  let [cpu, clock] = [0, 0];
  const time = new CommandTime({ cpuMs: () => cpu, monotonic: () => clock });
  time.begin(100);
  return {
    time,
    pass: (cpuMs: number, clockMs = cpuMs) => {
      cpu += cpuMs;
      clock += clockMs;
    },
  };
}

Deno.test("CommandTime is over at its limit of the processor", () => {
  const { time, pass } = rig();
  pass(99);
  assert.deepEqual([time.isOver, time.isReached], [false, false]);
  pass(1);
  assert.deepEqual([time.isOver, time.isReached], [true, true]);
});

Deno.test("CommandTime lets a command wait four times as long, also where the processor is busy with others", () => {
  const { time, pass } = rig();
  pass(10, 399);
  assert.deepEqual([time.isOver, time.clockLeftMs], [false, 1]);
  pass(0, 1);
  assert.equal(time.isOver, true);
});

Deno.test("CommandTime does not end while something runs that does not count, nor count it afterwards", async () => {
  const { time, pass } = rig();
  await time.uncounted(() => {
    pass(1_000, 5_000);
    assert.equal(time.isOver, false);
    return Promise.resolve();
  });
  pass(99);
  assert.equal(time.isOver, false);
  pass(1);
  assert.equal(time.isOver, true);
});

Deno.test("CommandTime begins anew with each command", () => {
  const { time, pass } = rig();
  pass(100);
  assert.equal(time.isOver, true);
  time.begin(100);
  assert.deepEqual([time.isOver, time.isReached], [false, false]);
});
