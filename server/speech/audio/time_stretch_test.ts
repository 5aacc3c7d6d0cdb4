import assert from "node:assert/strict";
import { timeStretch } from "./time_stretch.ts";

const RATE = 22_050;

function tone(hertz: number): Float32Array {
  return Float32Array.from({ length: RATE }, (_, at) => 0.5 * Math.sin(2 * Math.PI * hertz * at / RATE));
}

/** Periods a second, counted by where the wave goes up through zero. */
function pitchOf(samples: Float32Array): number {
  let ups = 0;
  for (let at = 1; at < samples.length; at++) {
    if ((samples[at - 1] ?? 0) < 0 && (samples[at] ?? 0) >= 0) ups++;
  }
  return ups * RATE / samples.length;
}

const rms = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);

for (const speed of [0.25, 0.6, 0.95, 1.1, 1.5, 2, 4]) {
  Deno.test(`stretched keeps pitch and loudness at speed ${speed}`, () => {
    for (const hertz of [110, 220, 440]) {
      const input = tone(hertz);
      const out = timeStretch(input, { speed, sampleRate: RATE });
      assert.equal(out.length, Math.round(input.length / speed));
      assert.ok(Math.abs(pitchOf(out) / hertz - 1) < 0.04, `${hertz} Hz became ${pitchOf(out)}`);
      assert.ok(Math.abs(rms(out) / rms(input) - 1) < 0.1, `${rms(out)} of ${rms(input)}`);
    }
  });
}

Deno.test("stretched leaves what is at its speed, or hardly there, as it is", () => {
  const input = tone(220);
  assert.equal(timeStretch(input, { speed: 1, sampleRate: RATE }), input);
  const short = input.subarray(0, 100);
  assert.equal(timeStretch(short, { speed: 2, sampleRate: RATE }), short);
});
