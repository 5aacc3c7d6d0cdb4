import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { LiveStats } from "./endpoint_stats.ts";

const MINUTE = 60_000;

Deno.test("LiveStats tells percentiles by nearest rank", () => {
  const stats = new LiveStats(memoryClock());
  for (let ms = 100; ms >= 1; ms--) stats.recordLatency("e", ms);
  assert.deepEqual(stats.latency("e"), { p50: 50, p75: 75, p90: 90, p99: 99 });
  assert.equal(stats.throughput("e"), undefined);
  assert.equal(stats.latency("other"), undefined);
});

Deno.test("LiveStats forgets figures after half an hour", async () => {
  const clock = memoryClock();
  const stats = new LiveStats(clock);
  stats.recordThroughput("e", 10);
  await clock.advance(20 * MINUTE);
  stats.recordThroughput("e", 30);
  await clock.advance(3_000);
  assert.equal(stats.throughput("e")?.p50, 10);
  await clock.advance(11 * MINUTE);
  assert.equal(stats.throughput("e")?.p50, 30);
  await clock.advance(30 * MINUTE);
  assert.equal(stats.throughput("e"), undefined);
});

Deno.test("LiveStats keeps the newest of many figures", async () => {
  const clock = memoryClock();
  const stats = new LiveStats(clock);
  for (let at = 0; at < 5_000; at++) stats.recordLatency("e", at);
  await clock.advance(3_000);
  assert((stats.latency("e")?.p50 ?? 0) > 4_400);
});

Deno.test("LiveStats tells which share of attempts went well in 5 minutes, 30 minutes and a day", async () => {
  const clock = memoryClock();
  const stats = new LiveStats(clock);
  assert.deepEqual(stats.uptime("e"), { last5m: null, last30m: null, last1d: null });
  stats.recordResult("e", false);
  await clock.advance(10 * MINUTE);
  stats.recordResult("e", true);
  assert.deepEqual(stats.uptime("e"), { last5m: 100, last30m: 50, last1d: 50 });
  await clock.advance(31 * MINUTE);
  stats.recordResult("e", true);
  stats.recordResult("e", true);
  assert.deepEqual(stats.uptime("e"), { last5m: 100, last30m: 100, last1d: 75 });
  await clock.advance(25 * 60 * MINUTE);
  assert.deepEqual(stats.uptime("e"), { last5m: null, last30m: null, last1d: null });
});

Deno.test("LiveStats remembers a bounded number of endpoints and drops the quietest", async () => {
  const clock = memoryClock();
  const stats = new LiveStats(clock);
  stats.recordResult("quiet", true);
  await clock.advance(1);
  for (let at = 0; at < 4_096; at++) stats.recordResult(`e${at}`, true);
  assert.equal(stats.uptime("quiet").last1d, null);
  assert.equal(stats.uptime("e4095").last1d, 100);
});
