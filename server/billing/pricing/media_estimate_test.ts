import assert from "node:assert/strict";
import { estimateMedia, type MediaPart } from "./media_estimate.ts";

const nothing = { imageTokens: 0, audioTokens: 0, otherTokens: 0 };

function image(width: number, height: number, { detail }: { readonly detail?: string } = {}): MediaPart {
  const view = new DataView(new ArrayBuffer(64));
  view.setUint32(0, 0x89504e47);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return { type: "image", base64: btoa(String.fromCharCode(...new Uint8Array(view.buffer))), detail };
}

const estimated = (part: MediaPart, model: string) => estimateMedia([part], { model });

Deno.test("estimateMedia takes an image by its size and its provider's formula", () => {
  const cases: readonly (readonly [string, MediaPart, number])[] = [
    ["gpt-4o", image(1_024, 1_024), 765],
    ["gpt-4o", image(2_048, 4_096), 1_105],
    ["gpt-4.1", image(4_096, 8_192, { detail: "low" }), 85],
    ["gpt-4o-mini", image(1_024, 1_024), 25_501],
    ["o3", image(1_024, 1_024), 675],
    ["gpt-5", image(1_024, 1_024), 630],
    ["gpt-4.1-mini", image(1_024, 1_024), 1_659],
    ["gpt-5-nano", image(1_800, 2_400), 3_779],
    ["claude-sonnet-4-5", image(1_000, 1_000), 1_334],
    ["claude-sonnet-4-5", image(4_000, 3_000), 1_600],
    ["claude-opus-5-5", image(2_000, 1_500), 4_000],
    ["gemini-2.5-flash", image(300, 200), 258],
    ["gemini-2.5-flash", image(960, 540), 1_548],
    ["gemini-3.1-pro-preview", image(960, 540), 1_120],
    ["grok-4", image(448, 448), 512],
    ["nobody-knows", image(560, 280), 200],
    ["gpt-4o", { type: "image" }, 765],
    ["gpt-4o", { type: "image", base64: "????" }, 765],
  ];
  for (const [model, part, tokens] of cases) {
    assert.deepEqual(estimated(part, model), { ...nothing, imageTokens: tokens }, model);
  }
});

Deno.test("estimateMedia takes sound by its seconds", () => {
  const audio = (bytes: number | null, format: string): MediaPart => ({
    type: "audio",
    audio: { bytes, format },
  });
  const measured: MediaPart = { type: "audio", audio: { bytes: 1, format: "wav", seconds: 30 } };
  const cases: readonly (readonly [string, MediaPart, number])[] = [
    ["gpt-audio", measured, 300],
    ["gemini-2.5-flash", measured, 960],
    ["voxtral-small", audio(480_000, "mp3"), 375],
    ["nobody-knows", audio(96_000, "wav"), 50],
    ["nobody-knows", audio(null, "mp3"), 1_500],
  ];
  for (const [model, part, tokens] of cases) {
    assert.deepEqual(estimated(part, model), { ...nothing, audioTokens: tokens }, model);
  }
});

const pdf = (text: string) => btoa(`%PDF-1.7\n${text}`);
const compressed = pdf("\0".repeat(499_000));

Deno.test("estimateMedia takes a document by its pages or its size, whichever is more", () => {
  const file = (base64: string | undefined, mimeType?: string): MediaPart => ({
    type: "file",
    base64,
    mimeType,
  });
  const document = pdf("of 8 pages");
  const pages = new Map([[document, 8], [compressed, 1]]);
  const cases: readonly (readonly [string, MediaPart, number])[] = [
    ["gpt-4o", file(document), 20_000],
    ["claude-sonnet-4-5", file(document, "application/pdf"), 20_000],
    ["gemini-2.5-flash", file(document), 8 * 258],
    ["gpt-4o", file(compressed), 25_000],
    ["gpt-4o", file(undefined), 25_000],
    ["gpt-4o", file(btoa("x".repeat(3_000)), "text/csv"), 750],
  ];
  for (const [model, part, tokens] of cases) {
    assert.equal(estimateMedia([part], { model, pages }).otherTokens, tokens, model);
  }
  const bySize = estimateMedia([file(document)], { model: "gpt-4o" });
  assert.equal(bySize.otherTokens, 2_500);
});

Deno.test("estimateMedia takes a video by its size", () => {
  const base64 = btoa("x".repeat(750_000));
  assert.equal(estimated({ type: "video", base64 }, "gemini-2.5-flash").otherTokens, 870);
  assert.equal(estimated({ type: "video" }, "gemini-2.5-flash").otherTokens, 17_400);
});
