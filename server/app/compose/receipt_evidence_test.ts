import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { startReceiptEvidence } from "./receipt_evidence.ts";

const MINUTE = 60_000;

Deno.test("startReceiptEvidence reads at once and every two minutes, until it is closed", async () => {
  const clock = memoryClock();
  const warned: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (message: string) => void warned.push(message) };
  let reads = 0;
  const receiptEvidence = {
    renew: () => ++reads === 3 ? Promise.reject(new Error("The store is away")) : Promise.resolve(),
  };
  const close = await startReceiptEvidence({ runtime: { clock, log }, receiptEvidence });
  assert.equal(reads, 1);
  await clock.advance(2 * MINUTE - 1);
  assert.equal(reads, 1);
  await clock.advance(1);
  assert.deepEqual([reads, warned.length], [2, 0]);
  await clock.advance(4 * MINUTE);
  assert.deepEqual([reads, warned.length], [4, 1]);
  await close();
  assert.equal(clock.open, 0);
});

Deno.test("startReceiptEvidence lets a gateway start whose receipts cannot be read, and tries again", async () => {
  const clock = memoryClock();
  const warned: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (message: string) => void warned.push(message) };
  let reads = 0;
  const renew = () => ++reads === 1 ? Promise.reject(new Error("The store is away")) : Promise.resolve();
  const close = await startReceiptEvidence({ runtime: { clock, log }, receiptEvidence: { renew } });
  assert.deepEqual(warned, ["Cannot read receipts as evidence of routers; retrying in two minutes"]);
  await clock.advance(2 * MINUTE);
  await close();
  assert.deepEqual([reads, warned.length, clock.open], [2, 1, 0]);
});
