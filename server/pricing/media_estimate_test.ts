import assert from "node:assert/strict";
import { estimateMedia, type MediaPart } from "./media_estimate.ts";
import { pdfPages } from "./pdf_pages.ts";
import { threadMs } from "../../tests/support/thread_time.ts";

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

Deno.test("estimateMedia takes a document by its pages, else by its size", () => {
  const file = (base64: string | undefined, mimeType?: string): MediaPart => ({
    type: "file",
    base64,
    mimeType,
  });
  const pages = pdf("2 0 obj <</Type /Pages /Kids [3 0 R] /Count 8>> endobj");
  const cases: readonly (readonly [string, MediaPart, number])[] = [
    ["gpt-4o", file(pages), 20_000],
    ["claude-sonnet-4-5", file(pages, "application/pdf"), 20_000],
    ["gemini-2.5-flash", file(pages), 8 * 258],
    ["gpt-4o", file(compressed), 25_000],
    ["gpt-4o", file(undefined), 25_000],
    ["gpt-4o", file(btoa("x".repeat(3_000)), "text/csv"), 750],
  ];
  for (const [model, part, tokens] of cases) {
    assert.deepEqual(estimated(part, model), { ...nothing, otherTokens: tokens }, model);
  }
  const quick = estimateMedia([file(pages)], { model: "gpt-4o", quick: true });
  assert.equal(quick.otherTokens, 2_500, "by its size only");
});

Deno.test("estimateMedia takes a video by its size", () => {
  const base64 = btoa("x".repeat(750_000));
  assert.equal(estimated({ type: "video", base64 }, "gemini-2.5-flash").otherTokens, 870);
  assert.equal(estimated({ type: "video" }, "gemini-2.5-flash").otherTokens, 17_400);
});

Deno.test("pdfPages counts pages by the tree, else by the pages themselves", () => {
  const page = "<</Type /Page /Parent 2 0 R>>";
  const cases: readonly (readonly [string, number | undefined])[] = [
    [`<</Type/Pages/Count 3>> <</Count 200 /Kids [4 0 R 5 0 R] /Type /Pages>>`, 200],
    [`<</Type /Outlines /Count 99>> ${page} ${page}`, 2],
    ["<</Linearized 1 /L 9 /N 12 /T 5>>", 12],
    ["stream \0\0 endstream", undefined],
    ["<</Type /Pages /Count 999999999>>", 100_000],
  ];
  for (const [text, pages] of cases) assert.equal(pdfPages(pdf(text)), pages, text);
  assert.equal(pdfPages(btoa("PK zip")), undefined);
  assert.equal(pdfPages("JVBERi0!!!!"), undefined);
  assert.equal(pdfPages(compressed), undefined);
});

Deno.test("pdfPages takes no longer for a document that is made to be slow", async () => {
  const document = pdf("/Type /Pages ".repeat(400_000));
  const took = await threadMs(() => assert.equal(pdfPages(document), undefined));
  assert(took < 5_000, `${took} ms`);
});
