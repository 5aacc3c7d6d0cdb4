import assert from "node:assert/strict";
import { memoryClock } from "../tests/support/clock.ts";
import { Connection } from "./connection.ts";

Deno.test("a lost connection is tried again after 1, 2, 4 … 30 seconds, and views hear of its return", async () => {
  const clock = memoryClock();
  const tries: number[] = [];
  let up = false;
  const probe = () => {
    tries.push(clock.monotonic() / 1_000);
    return up ? Promise.resolve() : Promise.reject(new Error("down"));
  };
  const connection = new Connection({ clock, probe });
  connection.reportLost();
  connection.reportLost();
  await clock.advance(125_000);
  assert.deepEqual(tries, [1, 3, 7, 15, 31, 61, 91, 121]);
  assert.equal(connection.since.value, clock.now() - 125_000);
  assert.equal(connection.returns.value, 0);
  up = true;
  await clock.advance(30_000);
  assert.deepEqual([connection.lost.value, connection.returns.value], [false, 1]);
  assert.equal(clock.open, 0);
});

Deno.test("an answer to any call ends the outage, and a try by hand does not wait", async () => {
  const clock = memoryClock();
  let tries = 0;
  const connection = new Connection({
    clock,
    probe: () => {
      tries++;
      return Promise.resolve();
    },
  });
  connection.reportLost();
  connection.reportAnswer();
  assert.deepEqual([connection.lost.value, connection.returns.value, tries], [false, 1, 0]);
  connection.reportLost();
  connection.retryNow();
  await clock.advance(0);
  assert.deepEqual([connection.lost.value, connection.returns.value, tries], [false, 2, 1]);
});
