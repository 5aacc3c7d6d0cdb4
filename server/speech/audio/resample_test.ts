import assert from "node:assert/strict";
import { foldEvents } from "../../protocols/stream/state_machine.ts";
import { resampler } from "./resample.ts";
import { blockLength, type SampleBlock } from "./samples.ts";

interface Tone {
  readonly hertz: number;
  readonly rate: number;
  readonly samples: number;
}

const tone = ({ hertz, rate, samples }: Tone) =>
  Float32Array.from({ length: samples }, (_, at) => 0.5 * Math.sin(2 * Math.PI * hertz * at / rate));

function resampled(input: Float32Array, { from, to }: { readonly from: number; readonly to: number }) {
  const blocks: SampleBlock[] = [];
  for (let at = 0; at < input.length; at += 1_000) blocks.push([input.subarray(at, at + 1_000)]);
  const out = foldEvents(resampler({ from, to }, 1), blocks);
  const all = new Float32Array(out.reduce((sum, block) => sum + blockLength(block), 0));
  let at = 0;
  for (const [samples = new Float32Array(0)] of out) {
    all.set(samples, at);
    at += samples.length;
  }
  return all;
}

const ratios = [
  [22_050, 24_000],
  [24_000, 22_050],
  [16_000, 24_000],
  [48_000, 24_000],
  [44_100, 24_000],
  [8_000, 48_000],
  [24_000, 16_000],
  [44_056, 23_981],
] as const;

const decibels = (ratio: number) => 20 * Math.log10(ratio);
const rms = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);

for (const [from, to] of ratios) {
  Deno.test(`resampler keeps a tone to 60 dB, ${from} to ${to} Hz`, () => {
    const top = 0.42 * Math.min(from, to);
    for (const hertz of [100, 1_000, 0.5 * top, top]) {
      const out = resampled(tone({ hertz, rate: from, samples: from }), { from, to });
      const want = tone({ hertz, rate: to, samples: out.length });
      // Its beginning and end ring, as those of any filter.
      const inner = out.subarray(1_000, -1_000);
      const error = inner.map((value, at) => value - (want[at + 1_000] ?? 0));
      const snr = decibels(rms(inner) / rms(error));
      assert.ok(snr > 60, `${hertz} Hz: ${snr} dB`);
    }
  });

  Deno.test(`resampler is as long as what it was given, ${from} to ${to} Hz`, () => {
    for (const samples of [0, 1, 2, 999, 12_345]) {
      const out = resampled(tone({ hertz: 100, rate: from, samples }), { from, to });
      assert.equal(out.length, Math.ceil(samples * to / from));
    }
  });
}

Deno.test("resampler leaves nothing of what would fold back", () => {
  for (const [from, to] of [[48_000, 24_000], [44_100, 24_000], [24_000, 8_000]] as const) {
    const input = tone({ hertz: 0.53 * to, rate: from, samples: from });
    const out = resampled(input, { from, to }).subarray(1_000, -1_000);
    assert.ok(
      decibels(rms(out) / rms(input)) < -60,
      `${from} to ${to}: ${decibels(rms(out) / rms(input))} dB`,
    );
  }
});
