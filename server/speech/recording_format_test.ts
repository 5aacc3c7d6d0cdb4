import assert from "node:assert/strict";
import { readRecordingFormat } from "./recording_format.ts";
import { threadMs } from "../../tests/support/thread_time.ts";

/** `head`, and zeros up to `length`. */
function file(
  length: number,
  ...parts: readonly (readonly [at: number, bytes: string | readonly number[]])[]
) {
  const bytes = new Uint8Array(length);
  for (const [at, part] of parts) {
    bytes.set(typeof part === "string" ? new TextEncoder().encode(part) : part, at);
  }
  return bytes;
}

const wavHead = [0, "RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0"] as const;
/** 16,000 bytes a second. */
const rate = [28, [0x80, 0x3e, 0, 0]] as const;

/** A frame of MPEG 1, layer III, 128 kbit/s at 44,100 Hz: 417 bytes, 1,152 samples. */
const frame = [0xff, 0xfb, 0x90, 0xc0];
const mp3 = (frames: number, from = 0) =>
  file(from + frames * 417, ...Array.from({ length: frames }, (_, at) => [from + at * 417, frame] as const));

const cases: readonly (readonly [string, Uint8Array, string | undefined, number | undefined])[] = [
  [
    "WAV",
    file(44 + 32_000, wavHead, rate, [36, "data"], [40, [0, 0x7d, 0, 0]]),
    "audio/wav",
    2,
  ],
  [
    "WAV that was streamed and does not know its size",
    file(44 + 16_000, wavHead, rate, [36, "data"], [40, [0xff, 0xff, 0xff, 0xff]]),
    "audio/wav",
    1,
  ],
  ["WAV without sound", file(36, wavHead, rate), "audio/wav", 0],
  ["MP3", mp3(100), "audio/mpeg", 100 * 1_152 / 44_100],
  [
    "MP3 behind a tag",
    (() => {
      const bytes = mp3(50, 110);
      bytes.set([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 100]);
      return bytes;
    })(),
    "audio/mpeg",
    50 * 1_152 / 44_100,
  ],
  // 44,100 Hz in 20 bits, 88,200 samples in 36.
  [
    "FLAC",
    file(42, [0, "fLaC"], [18, [0x0a, 0xc4, 0x42, 0xf0, 0, 1, 0x58, 0x88]]),
    "audio/flac",
    2,
  ],
  [
    "Opus",
    file(200, [0, "OggS"], [26, [1]], [28, "OpusHead"], [100, "OggS"], [106, [0x80, 0xbb, 0, 0]]),
    "audio/ogg",
    1,
  ],
  ["MP4", file(40, [4, "ftypM4A "]), "audio/mp4", undefined],
  ["WebM", file(40, [0, [0x1a, 0x45, 0xdf, 0xa3]]), "audio/webm", undefined],
  ["a picture", file(40, [0, "\x89PNG"]), undefined, undefined],
  ["a text", file(40, [0, "Good morning"]), undefined, undefined],
  ["nothing", new Uint8Array(0), undefined, undefined],
  ["a head that is cut off", file(6, [0, "RIFF"]), undefined, undefined],
];

for (const [name, bytes, mediaType, seconds] of cases) {
  Deno.test(`readRecordingFormat knows ${name}`, () => {
    const found = readRecordingFormat(bytes);
    assert.equal(found?.mediaType, mediaType);
    if (seconds === undefined) assert.equal(found?.seconds, undefined);
    else assert(Math.abs((found?.seconds ?? -1) - seconds) < 0.05, `${found?.seconds} s`);
  });
}

Deno.test("readRecordingFormat reads heads that are cut off anywhere", () => {
  for (const [, bytes] of cases) {
    for (let length = 0; length < Math.min(bytes.length, 64); length++) {
      readRecordingFormat(bytes.subarray(0, length));
    }
  }
});

Deno.test("readRecordingFormat takes no longer for what is made to hold it up", async () => {
  const size = 15 * 1024 * 1024;
  const chunks = file(size, [0, "RIFF"], [8, "WAVE"]);
  const pages = file(size).fill(0x4f);
  pages.set(file(40, [0, "OggS"], [26, [1]], [28, "OpusHead"]));
  const frames = file(
    size,
    ...Array.from({ length: 1_000 }, (_, at) => [at * 24, [0xff, 0xf3, 0x14, 0xc0]] as const),
  );
  const took = await threadMs(() => [chunks, pages, frames].forEach(readRecordingFormat));
  assert(took < 1_000, `${took} ms`);
});
