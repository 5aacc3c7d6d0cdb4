import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { OneShotSignal } from "../../one_shot_signal.ts";
import { UpstreamCall } from "./upstream_call.ts";

const limits = {
  firstByteMs: 60_000,
  idleMs: 120_000,
  streamMs: 3_600_000,
  wholeResponseMs: 600_000,
  maxResponseBytes: 1,
};

function rig(streamed: boolean) {
  const clock = memoryClock();
  const disconnect = new OneShotSignal();
  const stop = new OneShotSignal();
  return {
    clock,
    disconnect,
    stop,
    call: new UpstreamCall({ clock, limits, streamed, clientDisconnect: disconnect, gatewayStop: stop }),
  };
}

Deno.test("U6 Line gives a streamed call 60 s to its first byte", async () => {
  const { clock, call } = rig(true);
  await clock.advance(59_999);
  assert.equal(call.signal.aborted, false);
  await clock.advance(1);
  assert.equal(call.abortReason?.kind, "upstream_timeout");
  assert.equal(clock.open, 0);
});

Deno.test("U8 Line cuts a stream that falls silent for 120 s, however late it began", async () => {
  const { clock, call } = rig(true);
  await clock.advance(50_000);
  call.stopIdleTimer();
  call.startIdleTimer();
  await clock.advance(119_999);
  assert.equal(call.signal.aborted, false);
  call.stopIdleTimer();
  call.startIdleTimer();
  await clock.advance(119_999);
  assert.equal(call.signal.aborted, false);
  await clock.advance(1);
  assert.match(call.abortReason?.message ?? "", /nothing for 120 s/);
});

Deno.test("U8 Line counts no silence in which nobody waits for the provider", async () => {
  const { clock, call } = rig(true);
  call.stopIdleTimer();
  await clock.advance(1_000_000);
  assert.equal(call.signal.aborted, false);
  call.startIdleTimer();
  await clock.advance(119_999);
  assert.equal(call.signal.aborted, false);
  await clock.advance(120_000);
  assert.match(call.abortReason?.message ?? "", /nothing for 120 s/);
});

Deno.test("U6 Line gives no more time to the first byte when it is listened for anew", async () => {
  const { clock, call } = rig(true);
  await clock.advance(30_000);
  call.startIdleTimer();
  await clock.advance(30_000);
  assert.match(call.abortReason?.message ?? "", /nothing within 60 s/);
});

Deno.test("U6 Line gives a call that is sent once more its time to the first byte, and no more in all", async () => {
  const { clock, call } = rig(true);
  await clock.advance(30_000);
  call.sendsAgain();
  assert.equal(call.sentAt, clock.monotonic());
  await clock.advance(59_999);
  assert.equal(call.signal.aborted, false);
  await clock.advance(1);
  assert.match(call.abortReason?.message ?? "", /nothing within 60 s/);
  const whole = rig(false);
  await whole.clock.advance(30_000);
  whole.call.sendsAgain();
  await whole.clock.advance(570_000);
  assert.equal(whole.call.abortReason?.kind, "upstream_timeout");
});

Deno.test("U16 Line cuts a stream that drips past the total", async () => {
  const { clock, call } = rig(true);
  for (let s = 0; s < 3_600; s += 60) {
    call.stopIdleTimer();
    await clock.advance(60_000);
  }
  assert.equal(call.abortReason?.kind, "timeout");
});

Deno.test("UpstreamCall gives a whole call its total alone: 524 without an answer, 408 with half of one", async () => {
  const silent = rig(false);
  await silent.clock.advance(599_999);
  assert.equal(silent.call.signal.aborted, false);
  await silent.clock.advance(1);
  assert.equal(silent.call.abortReason?.kind, "upstream_timeout");
  const half = rig(false);
  half.call.stopIdleTimer();
  await half.clock.advance(600_000);
  assert.equal(half.call.abortReason?.kind, "timeout");
});

Deno.test("C1 Line is cut when the client leaves, and when it has left already", () => {
  const { disconnect, call, clock } = rig(true);
  disconnect.fire();
  assert.equal(call.signal.aborted, true);
  assert.equal(clock.open, 0);
  assert.equal(
    new UpstreamCall({
      clock,
      limits,
      streamed: true,
      clientDisconnect: disconnect,
      gatewayStop: new OneShotSignal(),
    }).signal.aborted,
    true,
  );
});

Deno.test("UpstreamCall watches nothing after its end", () => {
  const { clock, disconnect, call } = rig(true);
  call.end();
  assert.equal(clock.open, 0);
  disconnect.fire();
  assert.equal(call.signal.aborted, false);
});

Deno.test("P3 Line is cut when the gateway stops and waits no longer", () => {
  const { stop, call } = rig(true);
  stop.fire();
  assert.equal(call.abortReason?.kind, "unavailable");
});
