import assert from "node:assert/strict";
import { ConcurrencyCounter, RATE_WINDOW_MS, SlidingWindowCounter } from "./usage_meters.ts";

Deno.test("SlidingWindowCounter counts a use for a minute and at most 100 ms longer", () => {
  const meter = new SlidingWindowCounter();
  meter.add(3, 1_000);
  meter.add(2, 1_099);
  assert.equal(meter.used(1_099), 5);
  assert.equal(meter.used(1_099 + RATE_WINDOW_MS), 5);
  assert.equal(meter.used(1_100 + RATE_WINDOW_MS), 0);
});

Deno.test("SlidingWindowCounter says when enough is free again", () => {
  const meter = new SlidingWindowCounter();
  meter.add(3, 0);
  meter.add(2, 10_000);
  assert.equal(meter.freeIn(0, 20_000), 0);
  assert.equal(meter.freeIn(3, 20_000), 40_100);
  assert.equal(meter.freeIn(4, 20_000), 50_100);
  assert.equal(meter.freeIn(9, 20_000), RATE_WINDOW_MS);
});

Deno.test("SlidingWindowCounter takes back what was counted too high, but nothing that it has forgotten", () => {
  const meter = new SlidingWindowCounter();
  const early = meter.add(100, 0);
  meter.giveBack(early, 60);
  assert.equal(meter.used(0), 40);
  meter.add(7, 70_000);
  assert.equal(meter.used(70_000), 7);
  meter.giveBack(early, 40);
  assert.equal(meter.used(70_000), 7);
});

Deno.test("SlidingWindowCounter keeps as many slots as a minute has, however long it runs", () => {
  const meter = new SlidingWindowCounter();
  for (let now = 0; now < 600_000; now += 50) meter.add(1, now);
  assert.equal(meter.used(600_000 - 50), 1_202);
  assert.equal(meter.used(700_000), 0);
});

Deno.test("ConcurrencyCounter counts what is open until it is given back, once", () => {
  const meter = new ConcurrencyCounter();
  const slot = meter.add(1);
  meter.add(1);
  meter.giveBack(slot, 1);
  meter.giveBack(slot, 1);
  assert.equal(meter.used(), 1);
});
