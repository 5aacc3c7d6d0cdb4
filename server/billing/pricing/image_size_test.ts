import assert from "node:assert/strict";
import { imageSizeOf } from "./image_size.ts";

const base64 = (bytes: readonly number[]) => btoa(String.fromCharCode(...bytes));
const filled = (bytes: readonly number[], length: number) => [
  ...bytes,
  ...new Array<number>(length - bytes.length).fill(0),
];

/** Heads of an image of 640 × 400. */
const heads: Readonly<Record<string, readonly number[]>> = {
  png: [
    0x89,
    0x50,
    0x4e,
    0x47,
    13,
    10,
    26,
    10,
    0,
    0,
    0,
    13,
    0x49,
    0x48,
    0x44,
    0x52,
    0,
    0,
    2,
    128,
    0,
    0,
    1,
    144,
  ],
  gif: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 128, 2, 144, 1],
  // A long segment of metadata stands before the frame.
  jpeg: [0xff, 0xd8, 0xff, 0xe1, 0x10, 0x00, ...filled([], 0x0ffe), 0xff, 0xc2, 0, 17, 8, 1, 144, 2, 128, 3],
  lossy: [
    ...words("RIFF"),
    0,
    0,
    0,
    0,
    ...words("WEBPVP8 "),
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0x9d,
    1,
    0x2a,
    128,
    2,
    144,
    1,
  ],
  lossless: [...words("RIFF"), 0, 0, 0, 0, ...words("WEBPVP8L"), 0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x63, 0],
  extended: [
    ...words("RIFF"),
    0,
    0,
    0,
    0,
    ...words("WEBPVP8X"),
    10,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    127,
    2,
    0,
    143,
    1,
    0,
  ],
};

function words(text: string): readonly number[] {
  return [...text].map((char) => char.charCodeAt(0));
}

Deno.test("imageSizeOf reads the size of every common format", () => {
  for (const [format, head] of Object.entries(heads)) {
    const size = imageSizeOf(base64(filled(head, Math.max(64, head.length + 16))));
    assert.deepEqual(size, { width: 640, height: 400 }, format);
  }
});

Deno.test("imageSizeOf has no size for what it cannot read", () => {
  const jpeg = heads.jpeg ?? [];
  const cases = ["", "AAAA", "not base64!", base64(filled([0x89, 0x50], 64)), base64(jpeg.slice(0, 2_000))];
  for (const text of cases) assert.equal(imageSizeOf(text), undefined, text.slice(0, 20));
  // Segments of no length never come to an end.
  const endless = Array.from({ length: 4_000 }, (_, at) => at === 0 ? [0xff, 0xd8] : [0xff, 0xe0, 0, 0])
    .flat();
  assert.equal(imageSizeOf(base64(endless)), undefined);
});
