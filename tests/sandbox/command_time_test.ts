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

Deno.test("CommandTime ends a part of a command at the part's limit, and goes on", () => {
  const { time, pass } = rig();
  const [outer, inner] = [time.beginPart(200), time.beginPart(50)];
  pass(0, 49);
  assert.deepEqual([time.partLeftMs, time.isPartOver, inner.isReached], [1, false, false]);
  pass(0, 1);
  assert.deepEqual([time.partLeftMs, time.isPartOver, inner.isReached, outer.isReached], [
    0,
    true,
    true,
    false,
  ]);
  inner.end();
  assert.deepEqual([time.partLeftMs, time.isPartOver, time.isOver], [150, false, false]);
  outer.end();
  assert.deepEqual([time.partLeftMs, time.isPartOver, time.isReached], [350, false, false]);
  pass(0, 350);
  assert.deepEqual([time.isPartOver, time.isReached], [true, true]);
});

Deno.test("CommandTime counts for a part only what it counts for the command", async () => {
  const { time, pass } = rig();
  const part = time.beginPart(50);
  pass(0, 20);
  await time.uncounted(() => {
    pass(0, 5_000);
    assert.deepEqual([time.isPartOver, part.isOver], [false, false]);
    return Promise.resolve();
  });
  assert.deepEqual([part.leftMs, part.isOver], [30, false]);
  pass(0, 30);
  assert.equal(part.isOver, true);
  part.end();
});
