import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import type { AudioFormat } from "../../server/protocols/canonical/speech.ts";
import {
  AudioError,
  type AudioTarget,
  convert,
  joinSegments,
  splitText,
} from "../../server/speech/audio/convert.ts";
import { concatBytes } from "../../server/speech/audio/byte_reader.ts";
import { measureAudio } from "../../server/speech/audio/measure.ts";
import { renderWavHeader } from "../../server/speech/audio/codecs/wav.ts";
import { type Source, sourceFrom } from "../../server/protocols/stream/source.ts";
import { pause } from "../support/until.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const OPUS = Deno.readFileSync(new URL("./tone.opus", import.meta.url));

function tone({ hertz = 440, rate = 24_000, seconds = 0.6, channels = 1 } = {}): Uint8Array {
  const samples = new Int16Array(Math.round(rate * seconds) * channels);
  for (let at = 0; at < samples.length; at++) {
    const moment = Math.floor(at / channels) / rate;
    samples[at] = Math.round(16_000 * Math.sin(2 * Math.PI * hertz * moment));
  }
  return new Uint8Array(samples.buffer);
}

async function all(source: Source<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    parts.push(...batch);
  }
  return concatBytes(parts);
}

/** The bytes in batches of chunks that the numbers say. */
function inChunks(bytes: Uint8Array, sizes: readonly number[]): Source<Uint8Array> {
  const batches: Uint8Array[][] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const chunk = bytes.slice(at, at + size);
    at += size;
    const last = batches.at(-1);
    if (turn % 3 === 2 && last !== undefined) last.push(chunk);
    else batches.push([chunk]);
  }
  return sourceFrom(...batches);
}

const pcm = (sampleRate = 24_000, channels = 1): AudioFormat => ({ type: "pcm", sampleRate, channels });

interface Sample {
  readonly name: string;
  readonly from: AudioFormat;
  readonly bytes: Uint8Array;
}

async function samples(): Promise<readonly Sample[]> {
  const data = tone({ channels: 2, rate: 22_050 });
  const wav = concatBytes([renderWavHeader({ sampleRate: 22_050, channels: 2 }), data]);
  const { source } = await convert(sourceFrom([tone()]), { from: pcm(), to: { codec: "mp3" } });
  return [
    { name: "pcm", from: pcm(), bytes: tone() },
    { name: "wav", from: { type: "wav" }, bytes: wav },
    { name: "mp3", from: { type: "mp3" }, bytes: await all(source) },
    { name: "opus", from: { type: "opus" }, bytes: OPUS },
  ];
}

const targets: readonly AudioTarget[] = [
  { codec: "pcm" },
  { codec: "mp3" },
  { codec: "pcm", sampleRate: 24_000, channels: 1 },
  { codec: "mp3", sampleRate: 44_100, channels: 2 },
];

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 5_000 })), {
  minLength: 1,
  maxLength: 20,
});

Deno.test(`convert makes the same of the same bytes in any pieces (seed ${seed})`, async () => {
  for (const { name, from, bytes } of await samples()) {
    for (const to of targets) {
      const whole = await all((await convert(sourceFrom([bytes]), { from, to })).source);
      assert.ok(whole.length > 1_000, name);
      const property = fc.asyncProperty(sizes, async (chunks) => {
        const made = await all((await convert(inChunks(bytes, chunks), { from, to })).source);
        assert.ok(Buffer.compare(made, whole) === 0, `${name} to ${JSON.stringify(to)}`);
      });
      await assertProperty(property, { numRuns: runs(2) });
    }
  }
});

Deno.test(`convert of damaged bytes ends, and throws nothing but its fault (seed ${seed})`, async () => {
  const kinds = await samples();
  const damage = fc.record({
    kind: fc.constantFrom(...kinds),
    flips: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 30 }),
    cut: fc.option(fc.nat()),
    extra: fc.uint8Array({ maxLength: 200 }),
    head: fc.boolean(),
    to: fc.constantFrom(...targets),
  });
  const property = fc.asyncProperty(damage, async ({ kind, flips, cut, extra, head, to }) => {
    const bytes = kind.bytes.slice(0, cut === null ? undefined : cut % kind.bytes.length);
    for (const [at, value] of flips) {
      if (bytes.length > 0) bytes[at % (head ? Math.min(64, bytes.length) : bytes.length)] = value;
    }
    await endsWell(concatBytes([bytes, extra]), { from: kind.from, to });
  });
  await assertProperty(property, { numRuns: runs(150) });
});

Deno.test(`convert of noise ends, and throws nothing but its fault (seed ${seed})`, async () => {
  const froms = fc.constantFrom<AudioFormat>(pcm(), { type: "wav" }, { type: "mp3" }, { type: "opus" });
  const noise = fc.uint8Array({ maxLength: 3_000 });
  const starts = fc.constantFrom(
    "",
    "RIFF\x10\0\0\0WAVEfmt ",
    "OggS\0\x02",
    "ID3\x04\0\0\0\0\x7f\x7f",
    "\xff\xfb\x90\xc4",
  );
  const property = fc.asyncProperty(froms, starts, noise, async (from, start, rest) => {
    const bytes = concatBytes([Uint8Array.from(start, (letter) => letter.charCodeAt(0)), rest]);
    await endsWell(bytes, { from, to: { codec: "pcm", sampleRate: 24_000, channels: 1 } });
  });
  await assertProperty(property, { numRuns: runs(200) });
});

interface Ending {
  readonly from: AudioFormat;
  readonly to: AudioTarget;
}

async function endsWell(bytes: Uint8Array, { from, to }: Ending): Promise<void> {
  let size = 0;
  try {
    const { source } = await convert(inChunks(bytes, [700]), { from, to });
    for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
      for (const { length } of batch) size += length;
      assert.ok(size < 200_000_000, "there is no end to it");
    }
  } catch (error) {
    assert.ok(error instanceof AudioError, `${from.type}: ${error instanceof Error ? error.stack : error}`);
  }
}

Deno.test(`splitText loses nothing and keeps to its size (seed ${seed})`, () => {
  const words = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("Hello there. ", "a, b; c: ", "¿Qué? ", "你好。", "\n\n", "    ", "Dr. ", "👩‍👩‍👧", "\ud83d"),
  );
  const texts = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(""));
  const property = fc.property(texts, fc.integer({ min: 2, max: 200 }), (text, max) => {
    const chunks = splitText(text, max);
    assert.equal(chunks.join(""), text);
    for (const chunk of chunks) assert.ok(chunk.length <= max && chunk.length > 0);
  });
  assertProperty(property, { numRuns: runs(300) });
});

async function joined(chunks: readonly Uint8Array[], to: AudioTarget): Promise<Uint8Array> {
  let at = 0;
  const next = () => {
    const bytes = chunks[at++];
    return Promise.resolve(bytes && { source: sourceFrom([bytes]), from: pcm() });
  };
  const { source, sampleRate } = await joinSegments({ next, to });
  assert.equal(sampleRate, 24_000);
  return await all(source);
}

/** The largest step from one sample to the next. */
function steepest(bytes: Uint8Array): number {
  const samples = new Int16Array(bytes.slice().buffer);
  let most = 0;
  for (let at = 1; at < samples.length; at++) {
    most = Math.max(most, Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0)));
  }
  return most;
}

Deno.test("join leaves no click between pieces that end anywhere", async () => {
  // Each ends at the top of its wave: laid side by side they jump by half of all that there is.
  const chunks = [0.50057, 0.40057, 0.30057].map((seconds) => tone({ seconds }));
  assert.ok(steepest(concatBytes(chunks)) > 10_000);
  const whole = await joined(chunks, { codec: "pcm" });
  assert.ok(steepest(whole) < 2_000, `${steepest(whole)}`);
  assert.equal(whole.length, concatBytes(chunks).length);
});

Deno.test("join keeps a piece alone as it is, and silence between pieces short", async () => {
  const alone = concatBytes([new Uint8Array(24_000), tone(), new Uint8Array(72_000)]);
  assert.deepEqual(await joined([alone], { codec: "pcm" }), alone);
  const whole = await joined([alone, alone, new Uint8Array(480_000), alone], { codec: "pcm" });
  const heard = await measureAudio({ source: sourceFrom([whole]), from: pcm() });
  // What is silent at both ends stays; between there is a breath or two.
  const least = 0.5 + 3 * 0.6 + 1.5;
  assert.ok(heard.seconds > least && heard.seconds < least + 1, `${heard.seconds}`);
});

Deno.test("join makes one MP3 of all pieces", async () => {
  const chunks = [0.5, 0.4, 0.3].map((seconds) => tone({ seconds }));
  const mp3 = await joined(chunks, { codec: "mp3" });
  const heard = await measureAudio({ source: sourceFrom([mp3]), from: { type: "mp3" } });
  assert.ok(Math.abs(heard.seconds - 1.2) < 0.05, `${heard.seconds}`);
  const text = new TextDecoder("latin1").decode(mp3);
  assert.equal(text.split("Info\0\0\0\0LAME").length - 1, 1, "one head");
});

Deno.test("join lets go of what is open when it is cancelled or a piece cannot be had", async () => {
  const cancelled: string[] = [];
  const open = (name: string) => ({
    source: { pull: () => Promise.resolve([tone()]), cancel: () => void cancelled.push(name) },
    from: pcm(),
  });
  const { source } = await joinSegments({ next: () => Promise.resolve(open("first")), to: { codec: "mp3" } });
  await source.pull();
  source.cancel("the caller has left");
  assert.ok(cancelled.includes("first"));
  let calls = 0;
  const next = () => {
    if (calls++ > 0) return Promise.reject(new Error("the provider is gone"));
    return Promise.resolve({ source: sourceFrom([tone()]), from: pcm() });
  };
  const second = await joinSegments({ next, to: { codec: "pcm" } });
  await assert.rejects(all(second.source), /the provider is gone/);
});

interface Long extends Ending {
  /** A second of it. */
  readonly second: Uint8Array;
  readonly seconds: number;
}

/** Converts the second so many times over, and returns by how many bytes the process grew meanwhile. */
async function grownBy({ second, seconds, ...conversion }: Long): Promise<number> {
  let left = seconds;
  const source: Source<Uint8Array> = {
    pull: () => Promise.resolve(left-- > 0 ? [second] : undefined),
    cancel: () => {},
  };
  const before = Deno.memoryUsage().rss;
  let [most, bytes, turns] = [before, 0, 0];
  const { source: out } = await convert(source, conversion);
  for (let batch = await out.pull(); batch !== undefined; batch = await out.pull()) {
    for (const { length } of batch) bytes += length;
    if (turns++ % 500 !== 0) continue;
    await pause(0);
    most = Math.max(most, Deno.memoryUsage().rss);
  }
  const rate = conversion.to.codec === "mp3" ? 64_000 / 8 : 48_000;
  assert.ok(Math.abs(bytes / rate - seconds) < seconds * 0.1 + 1, `${bytes} bytes`);
  return most - before;
}

Deno.test("convert of an hour of sound stays small", async () => {
  const seconds = Deno.env.get("TOLLGATE_TEST_ALL") === "1" ? 3_600 : 300;
  const raw = tone({ rate: 22_050, seconds: 1 });
  const { source } = await convert(sourceFrom([raw]), { from: pcm(22_050), to: { codec: "mp3" } });
  const plans: readonly Long[] = [
    { second: raw, seconds, from: pcm(22_050), to: { codec: "mp3", sampleRate: 24_000 } },
    { second: await all(source), seconds, from: { type: "mp3" }, to: { codec: "pcm", sampleRate: 24_000 } },
  ];
  for (const plan of plans) {
    // The process may grow for reasons of its own, once; what a stream holds would show each time.
    let grown = Infinity;
    for (let run = 0; run < 3 && grown >= MOST; run++) grown = Math.min(grown, await grownBy(plan));
    assert.ok(grown < MOST, `${grown / 1_048_576} MB more`);
  }
});

const MOST = 32 * 1_048_576;
