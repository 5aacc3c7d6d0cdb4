import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type Json, type Rig, textOf, withLocal } from "./rig.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

function base64(...bytes: readonly (number | string)[]): string {
  const parts = bytes.map((one) => typeof one === "string" ? Buffer.from(one, "latin1") : Buffer.from([one]));
  return Buffer.concat(parts).toString("base64");
}

/** A PNG of any size: only its head is looked at. */
function png(width: number, height: number): string {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), size, Buffer.alloc(9)])
    .toString("base64");
}

const gif = base64("GIF89a", 7, 0, 5, 0, 0, 0, 0);
const jfif = [0xff, 0xe0, 0, 16, "JFIF\0", 1, 1, 0, 0, 1, 0, 1, 0, 0];
const frame = [0xff, 0xc0, 0, 17, 8, 0, 9, 0, 11, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xff, 0xd9];
const jpeg = base64(0xff, 0xd8, ...jfif, ...frame);
const webp = base64("RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0", 12, 0, 0, 3, 0, 0, "\0\0\0\0");

function image(url: string, more: Json = {}): Json {
  return { input: [{ role: "user", content: [{ type: "input_image", image_url: url, ...more }] }] };
}

function file(part: Json): Json {
  return { input: [{ role: "user", content: [{ type: "input_file", ...part }] }] };
}

function test(name: string, run: (rig: Rig) => Promise<void>): void {
  Deno.test(name, () => withLocal(run));
}

test("echo describes images by what they are", async ({ ask }) => {
  const cases = [
    [PNG, "a PNG image of 1×1 pixels (70 bytes)"],
    [gif, "a GIF image of 7×5 pixels"],
    [jpeg, "a JPEG image of 11×9 pixels"],
    [webp, "a WebP image of 13×4 pixels"],
    [png(1920, 1080), "a PNG image of 1920×1080 pixels"],
  ] as const;
  for (const [data, reported] of cases) {
    // What a data URL calls itself is not asked.
    const text = textOf(await ask(image(`data:image/png;base64,${data}`)));
    assert.ok(text.includes(reported), text);
  }
});

test("echo counts an image by its tiles", async ({ ask }) => {
  const bare = (await ask({ input: [{ role: "user", content: [] }] })).usage.input_tokens;
  const cost = async (width: number, height: number, { detail } = { detail: "auto" }) =>
    (await ask(image(`data:image/png;base64,${png(width, height)}`, { detail }))).usage.input_tokens - bare;
  assert.equal(await cost(1, 1), 255);
  assert.equal(await cost(1024, 1024), 85 + 170 * 4);
  assert.equal(await cost(2048, 4096), 85 + 170 * 6);
  assert.equal(await cost(60_000, 60_000), 85 + 170 * 4);
  assert.equal(await cost(4096, 1536), 85 + 170 * 8);
  assert.equal(await cost(1024, 1024, { detail: "low" }), 85);
});

test("echo fetches nothing", async ({ ask }) => {
  const text = textOf(await ask(image("https://example.com/cat.png")));
  assert.ok(text.includes("an image at https://example.com/cat.png, which I do not fetch"), text);
  const other = textOf(await ask(file({ file_url: "https://example.com/a.pdf", filename: "a.pdf" })));
  assert.ok(other.includes("the file a.pdf at https://example.com/a.pdf, which I do not fetch"), other);
});

test("echo turns down broken images with the codes of the wire", async ({ post }) => {
  const cases = [
    ["data:image/png;base64,!!!", "invalid_base64_image"],
    ["data:image/png;base64,AAAAA", "invalid_base64_image"],
    ["data:image/png,abc", "invalid_base64_image"],
    ["data:image/png;base64,", "empty_image_file"],
    [`data:image/png;base64,${base64("hello world")}`, "invalid_image_format"],
    [`data:image/png;base64,${base64(0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff)}`, "image_parse_error"],
    [`data:image/png;base64,${base64("\x89PNG\r\n\x1a\n")}`, "image_parse_error"],
    ["file:///etc/passwd", "invalid_image_url"],
    ["", "invalid_image_url"],
  ] as const;
  for (const [url, code] of cases) {
    const response = await post({ model: "echo", ...image(url) });
    const { error } = await response.json();
    assert.deepEqual(
      [response.status, error.code, error.param],
      [400, code, "input[0].content[0].image_url"],
      url,
    );
  }
});

test("echo names files, their kind and their size", async ({ ask, post }) => {
  const pdf = `data:application/pdf;base64,${base64("%PDF-1.7 and more")}`;
  const cases = [
    [{ filename: "a.pdf", file_data: pdf }, "the file a.pdf (PDF, 17 bytes)"],
    [{ filename: "b.pdf", file_data: base64("%PDF-1.7") }, "the file b.pdf (PDF, 8 bytes)"],
    [
      { filename: "n.txt", file_data: `data:text/plain;base64,${base64("hello")}` },
      "the file n.txt (text/plain, 5 bytes)",
    ],
    [{ file_id: "file_1" }, "the file without a name at file_1"],
  ] as const;
  for (const [part, reported] of cases) {
    const text = textOf(await ask(file(part)));
    assert.ok(text.includes(reported), text);
  }
  const broken = await post({ model: "echo", ...file({ filename: "x", file_data: "%%%" }) });
  assert.equal((await broken.json()).error.param, "input[0].content[0].file_data");
});

test("echo counts what comes with a tool's result, and other media", async ({ ask }) => {
  const output = [{ type: "input_text", text: "see" }, {
    type: "input_image",
    image_url: `data:image/png;base64,${PNG}`,
  }];
  const input = [
    {
      role: "user",
      content: [{ type: "input_audio", input_audio: { data: base64("12345"), format: "wav" } }],
    },
    { type: "function_call", name: "f", call_id: "c", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output },
  ];
  const expected =
    "f returned: see\n\nWith it came a wav recording (5 bytes); a PNG image of 1×1 pixels (70 bytes).";
  assert.equal(textOf(await ask({ input })), expected);
});
