import assert from "node:assert/strict";
import { memoryClock } from "../../tests/support/clock.ts";
import { REPETITION_MS, StopSignals } from "./stop_signals.ts";

function rig() {
  const clock = memoryClock();
  const lines: string[] = [];
  const exits: boolean[] = [];
  const drained = Promise.withResolvers<boolean>();
  let stops = 0;
  const signals = new StopSignals({
    clock,
    log: {
      info: (message) => void lines.push(message),
      error: (message) => void lines.push(message),
    },
    stop: () => (stops++, drained.promise),
    exit: (isClean) => void exits.push(isClean),
  });
  return { clock, lines, exits, drained, signals, stops: () => stops };
}

const STOPPING = "Gateway stopping; draining requests";

for (const isClean of [true, false]) {
  Deno.test(`StopSignals ends when running requests have ended (${isClean ? "clean" : "something is left"})`, async () => {
    const { lines, exits, drained, signals } = rig();
    const ending = signals.receive("SIGTERM");
    assert.deepEqual(exits, []);
    drained.resolve(isClean);
    await ending;
    assert.deepEqual([lines, exits], [[STOPPING], [isClean]]);
  });
}

for (const second of ["SIGTERM", "SIGINT"]) {
  Deno.test(`StopSignals takes a ${second} right behind the first for a repetition of it`, async () => {
    const { clock, lines, exits, drained, signals, stops } = rig();
    const ending = signals.receive("SIGTERM");
    for (const ms of [0, 1, REPETITION_MS - 2]) {
      await clock.advance(ms);
      await signals.receive(second);
    }
    assert.deepEqual([lines, exits, stops()], [[STOPPING], [], 1]);
    drained.resolve(true);
    await ending;
    assert.deepEqual(exits, [true]);
  });

  Deno.test(`StopSignals ends at once by a later ${second}, and says so`, async () => {
    const { clock, lines, exits, drained, signals, stops } = rig();
    const ending = signals.receive("SIGTERM");
    await clock.advance(REPETITION_MS);
    await signals.receive(second);
    assert.deepEqual([exits, stops()], [[false], 1]);
    assert.match(lines.at(-1) ?? "", /second signal; running requests are dropped/);
    drained.resolve(true);
    await ending;
  });
}
