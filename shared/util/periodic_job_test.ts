import assert from "node:assert/strict";
import { PeriodicJob } from "./periodic_job.ts";

/** Deadlines that the test runs itself. */
function handClock() {
  const open = new Map<number, () => void>();
  return {
    open,
    after: (ms: number, run: () => void) => {
      open.set(ms, run);
      return () => void open.delete(ms);
    },
    run: (ms: number) => {
      const run = open.get(ms);
      open.delete(ms);
      run?.();
    },
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("PeriodicJob comes back at once for more, in time otherwise, and after a failure too", async () => {
  const clock = handClock();
  const warnings: string[] = [];
  const log = {
    warn: (message: string, { error }: { error: string }) => void warnings.push(`${message}: ${error}`),
  };
  const results = [() => true, () => false, () => {
    throw new Error("gone");
  }, () => {}];
  const step = () => Promise.try(() => results.shift()?.());
  const job = new PeriodicJob({
    runtime: { clock, log },
    firstMs: 10,
    everyMs: 60_000,
    step,
    failure: "Cannot do it",
  });
  const next = async (ms: number) => {
    assert.deepEqual([...clock.open.keys()], [ms]);
    clock.run(ms);
    await settled();
  };
  for (const ms of [10, 1_000, 60_000, 60_000, 60_000]) await next(ms);
  assert.deepEqual(warnings, ["Cannot do it: Error: gone"]);
  await job.close();
  assert.equal(clock.open.size, 0);
});

Deno.test("PeriodicJob.close waits for the step under way, tells it to end, and asks for no other", async () => {
  const clock = handClock();
  const log = { warn: (message: string) => assert.fail(message) };
  let ended = false;
  const step = async (signal: AbortSignal) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    ended = true;
    signal.throwIfAborted();
  };
  const job = new PeriodicJob({ runtime: { clock, log }, everyMs: 10, step, failure: "Cannot do it" });
  clock.run(10);
  await job.close();
  assert.deepEqual([ended, clock.open.size], [true, 0]);
});
