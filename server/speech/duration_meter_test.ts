import assert from "node:assert/strict";
import type { AudioFormat } from "../protocols/canonical/speech.ts";
import { DurationMeter } from "./duration_meter.ts";
import { renderWavHeader } from "./audio/codecs/wav.ts";

function secondsOf(format: AudioFormat, ...chunks: readonly Uint8Array[]): number {
  const watch = new DurationMeter(format);
  for (const chunk of chunks) watch.addBytes(chunk);
  return watch.seconds;
}

Deno.test("DurationMeter is exact for raw samples of any kind", () => {
  const pcm = { type: "pcm", sampleRate: 8_000, channels: 2 } as const;
  assert.equal(secondsOf(pcm, new Uint8Array(16_000), new Uint8Array(16_000)), 1);
  assert.equal(secondsOf({ ...pcm, encoding: "f32le" }, new Uint8Array(64_000)), 1);
  assert.equal(secondsOf({ ...pcm, encoding: "mulaw" }, new Uint8Array(16_000)), 1);
  assert.equal(secondsOf(pcm), 0);
});

Deno.test("DurationMeter believes a WAV's head, whatever was announced", () => {
  const head = renderWavHeader({ sampleRate: 16_000, channels: 1 });
  for (const format of [{ type: "wav" }, { type: "mp3" }] as const) {
    const seconds = secondsOf(format, head, new Uint8Array(32_000));
    assert(Math.abs(seconds - 1) < 0.01, `${seconds} s`);
  }
});

Deno.test("DurationMeter takes MP3 for as fast as its first frame", () => {
  // 64 kbit/s.
  const frame = Uint8Array.of(0xff, 0xfb, 0x50, 0xc0);
  assert.equal(secondsOf({ type: "mp3" }, frame, new Uint8Array(8_000 - 4)), 1);
  assert.equal(secondsOf({ type: "mp3" }, new Uint8Array(16_000)), 1);
});
