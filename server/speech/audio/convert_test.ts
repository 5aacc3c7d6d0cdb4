import assert from "node:assert/strict";
import type { AudioFormat } from "../../protocols/canonical/speech.ts";
import { type Source, sourceFrom } from "../../protocols/stream/source.ts";
import { AudioError, type AudioTarget, convert } from "./convert.ts";
import { concatBytes } from "./byte_reader.ts";
import { measureAudio } from "./measure.ts";
import { renderWavHeader } from "./codecs/wav.ts";

/** A tone of one channel, half as loud as can be. */
function tone({ hertz = 440, rate = 24_000, seconds = 1 } = {}): Uint8Array {
  const bytes = new Uint8Array(Math.round(rate * seconds) * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length / 2; at++) {
    view.setInt16(at * 2, Math.round(16_000 * Math.sin(2 * Math.PI * hertz * at / rate)), true);
  }
  return bytes;
}

async function all(source: Source<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    parts.push(...batch);
  }
  return concatBytes(parts);
}

async function converted([bytes, from]: readonly [Uint8Array, AudioFormat], to: AudioTarget) {
  const { source, ...shape } = await convert(sourceFrom([bytes]), { from, to });
  return { bytes: await all(source), ...shape };
}

const pcm = (sampleRate = 24_000, channels = 1): AudioFormat => ({ type: "pcm", sampleRate, channels });

interface WavShape {
  readonly code: number;
  readonly bits: number;
  readonly rate?: number;
  readonly channels?: number;
  readonly size?: number;
  /** Chunks between the format and the sound. */
  readonly between?: Uint8Array;
}

function wav(
  data: Uint8Array,
  { code, bits, rate = 24_000, channels = 1, size, between }: WavShape,
): Uint8Array {
  const head = renderWavHeader({ sampleRate: rate, channels });
  const view = new DataView(head.buffer);
  view.setUint16(20, code, true);
  view.setUint16(34, bits, true);
  view.setUint32(40, size ?? data.length, true);
  return concatBytes([head.subarray(0, 36), between ?? new Uint8Array(0), head.subarray(36), data]);
}

Deno.test("convert passes what has not to change, byte for byte", async () => {
  const bytes = tone();
  const same = await converted([bytes, pcm()], { codec: "pcm" });
  assert.deepEqual(same, { bytes, sampleRate: 24_000, channels: 1 });
  const mp3 = await converted([bytes, pcm()], { codec: "mp3" });
  assert.deepEqual(await converted([mp3.bytes, { type: "mp3" }], { codec: "mp3" }), mp3);
});

Deno.test("convert reads every kind of WAV", async () => {
  const want = await measureAudio({ source: sourceFrom([tone()]), from: pcm() });
  const s16 = new Int16Array(tone().buffer);
  const kinds: readonly (readonly [WavShape, Uint8Array])[] = [
    [{ code: 1, bits: 16 }, tone()],
    [{ code: 1, bits: 8 }, Uint8Array.from(s16, (value) => (value >> 8) + 128)],
    [{ code: 1, bits: 24 }, Uint8Array.from(s16.length === 0 ? [] : [...s16].flatMap((v) => [0, v, v >> 8]))],
    [{ code: 1, bits: 32 }, new Uint8Array(Int32Array.from(s16, (value) => value * 65_536).buffer)],
    [{ code: 3, bits: 32 }, new Uint8Array(Float32Array.from(s16, (value) => value / 32_768).buffer)],
    [{ code: 3, bits: 64 }, new Uint8Array(Float64Array.from(s16, (value) => value / 32_768).buffer)],
  ];
  for (const [shape, data] of kinds) {
    const made = await converted([wav(data, shape), { type: "wav" }], { codec: "pcm" });
    assert.equal(made.bytes.length, tone().length, JSON.stringify(shape));
    const heard = await measureAudio({ source: sourceFrom([made.bytes]), from: pcm() });
    assert.ok(Math.abs(heard.loudness - want.loudness) < 0.01, JSON.stringify(shape));
    if (shape.bits > 8) assert.deepEqual(made.bytes, tone());
  }
});

Deno.test("convert reads the telephone's curves", async () => {
  // ITU-T G.711: the codes of silence, of the loudest, and of what lies between.
  const codes = { mulaw: [0xff, 0x80, 0x00, 0xe7], alaw: [0xd5, 0xaa, 0x2a, 0xf1] } as const;
  const values = { mulaw: [0, 32_124, -32_124, 260], alaw: [8, 32_256, -32_256, 656] } as const;
  for (const encoding of ["mulaw", "alaw"] as const) {
    const from = { ...pcm(8_000), encoding } as const;
    const { bytes } = await converted([Uint8Array.from(codes[encoding]), from], { codec: "pcm" });
    assert.deepEqual([...new Int16Array(bytes.slice().buffer)], values[encoding], encoding);
  }
});

Deno.test("convert reads WAV whose size nobody knew, chunks between, and nothing after its end", async () => {
  const data = tone();
  for (const size of [0, 0xffff_ffff, 0x7fff_ffff, 0xffff_ffff - 36]) {
    const bytes = wav(data, { code: 1, bits: 16, size });
    assert.deepEqual((await converted([bytes, { type: "wav" }], { codec: "pcm" })).bytes, data);
  }
  const between = new TextEncoder().encode("LIST\x05\0\0\0hello\0");
  const more = concatBytes([
    wav(data, { code: 1, bits: 16, between }),
    new TextEncoder().encode("LIST\x02\0\0\0hi"),
  ]);
  assert.deepEqual((await converted([more, { type: "wav" }], { codec: "pcm" })).bytes, data);
});

Deno.test("convert takes bytes for what they are, not for what they are said to be", async () => {
  const data = tone();
  const bytes = wav(data, { code: 1, bits: 16 });
  for (const from of [pcm(8_000, 2), { type: "mp3" }, { type: "opus" }] as const) {
    const made = await converted([bytes, from], { codec: "pcm" });
    assert.deepEqual(made, { bytes: data, sampleRate: 24_000, channels: 1 });
  }
});

Deno.test("convert resamples and mixes", async () => {
  const up = await converted([tone(), pcm()], { codec: "pcm", sampleRate: 48_000, channels: 2 });
  assert.deepEqual([up.sampleRate, up.channels, up.bytes.length], [48_000, 2, 48_000 * 4]);
  const heard = await measureAudio({ source: sourceFrom([up.bytes]), from: pcm(48_000, 2) });
  const plain = await measureAudio({ source: sourceFrom([tone()]), from: pcm() });
  assert.ok(Math.abs(heard.loudness - plain.loudness) < 0.002);
  const back = await converted([up.bytes, pcm(48_000, 2)], { codec: "pcm", sampleRate: 24_000, channels: 1 });
  assert.equal(back.bytes.length, tone().length);
});

Deno.test("convert makes MP3 that is as long and as loud as what it was made of", async () => {
  for (const rate of [8_000, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000]) {
    const seconds = 1.7;
    const mp3 = await converted([tone({ rate, seconds }), pcm(rate)], { codec: "mp3" });
    const heard = await measureAudio({ source: sourceFrom([mp3.bytes]), from: { type: "mp3" } });
    assert.equal(heard.sampleRate, Math.min(rate, 48_000));
    assert.equal(mp3.sampleRate, heard.sampleRate);
    assert.equal(heard.channels, 1);
    assert.ok(Math.abs(heard.seconds - seconds) < (rate < 12_000 ? 0.08 : 0.05), `${rate}: ${heard.seconds}`);
    assert.ok(Math.abs(heard.loudness - 16_000 / 32_768 / Math.SQRT2) < 0.03, `${rate}: ${heard.loudness}`);
  }
});

Deno.test("convert says what it does not read", async () => {
  const kinds = [
    ["unsupported", Uint8Array.from([0xff, 0xf1, 0x50, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]), { type: "mp3" }],
    ["unsupported", new TextEncoder().encode("fLaC and more of it"), { type: "wav" }],
    ["unsupported", wav(tone(), { code: 85, bits: 16 }), { type: "wav" }],
    ["empty", new Uint8Array(0), { type: "mp3" }],
    ["empty", wav(new Uint8Array(0), { code: 1, bits: 16 }), { type: "wav" }],
    ["damaged", wav(tone(), { code: 1, bits: 16, size: 96_000 }).subarray(0, 5_000), { type: "wav" }],
    ["damaged", new TextEncoder().encode('{"error":"no voice today"}'), { type: "mp3" }],
    ["damaged", new TextEncoder().encode('{"error":"no voice today"}'), { type: "opus" }],
  ] as const;
  for (const [kind, bytes, from] of kinds) {
    let cancelled = 0;
    const inner = sourceFrom([bytes]);
    const source = { pull: inner.pull, cancel: () => void cancelled++ };
    const run = async () => await all((await convert(source, { from, to: { codec: "pcm" } })).source);
    const error = await run().then(() => undefined, (one) => one);
    assert.ok(error instanceof AudioError, `${kind} ${from.type}: ${error}`);
    assert.equal(error.kind, kind);
    assert.ok(cancelled > 0, "the source is let go of");
  }
});

Deno.test("convert hands on an error of the source as it is", async () => {
  const broken = new Error("the connection broke");
  let pulls = 0;
  const source: Source<Uint8Array> = {
    pull: () => pulls++ === 0 ? Promise.resolve([tone()]) : Promise.reject(broken),
    cancel: () => {},
  };
  const { source: out } = await convert(source, { from: pcm(), to: { codec: "mp3" } });
  await assert.rejects(all(out), broken);
});

Deno.test("convert waits for no more than it needs: sound comes out with the first bytes", async () => {
  const mp3 = await converted([tone(), pcm()], { codec: "mp3" });
  const data = tone();
  const kinds: readonly (readonly [Uint8Array, AudioFormat, AudioTarget])[] = [
    [data.subarray(0, 480), pcm(), { codec: "pcm" }],
    [data.subarray(0, 480), pcm(), { codec: "pcm", sampleRate: 48_000 }],
    [wav(data, { code: 1, bits: 16 }).subarray(0, 600), { type: "wav" }, { codec: "pcm" }],
    [mp3.bytes.subarray(0, 100), { type: "mp3" }, { codec: "mp3" }],
    [mp3.bytes.subarray(0, 1_600), { type: "mp3" }, { codec: "pcm" }],
    [data.subarray(0, 9_600), pcm(), { codec: "mp3" }],
  ];
  for (const [first, from, to] of kinds) {
    let pulls = 0;
    const source: Source<Uint8Array> = {
      pull: () => pulls++ === 0 ? Promise.resolve([first]) : Promise.reject(new Error("it asked for more")),
      cancel: () => {},
    };
    const { source: out } = await convert(source, { from, to });
    const batch = await out.pull();
    assert.ok((batch?.length ?? 0) > 0, `${from.type} to ${to.codec}`);
  }
});
