import assert from "node:assert/strict";
import { countTextBytes, countUtf8Bytes, mediaTokenBound, type RequestMedia } from "./media_tokens.ts";

const none: RequestMedia = { images: 0, audios: [], files: [], videos: 0, payloads: [] };
const bound = (media: Partial<RequestMedia>, model = "some-model") =>
  mediaTokenBound({ ...none, ...media }, { model, contextLength: 200_000 });

Deno.test("mediaTokenBound takes an image for the most that its model's provider publishes", () => {
  const cases: readonly (readonly [string, number])[] = [
    ["gpt-4o-mini-2024-07-18", 48_169],
    ["gpt-4o", 1_445],
    ["gpt-4.1", 1_536],
    ["gpt-5-2025-08-07", 1_536],
    ["gpt-5-mini", 3_779],
    ["gpt-5.4", 16_384],
    ["claude-sonnet-4-5-20250929", 1_600],
    ["claude-sonnet-4-20250514", 1_600],
    ["anthropic.claude-3-haiku-20240307-v1:0", 1_600],
    ["claude-opus-4-7", 4_784],
    ["claude-opus-5-5", 4_784],
    ["grok-4", 1_792],
    ["nobody-knows", 16_384],
  ];
  for (const [model, tokens] of cases) {
    assert.equal(bound({ images: 1 }, model).imageTokens, tokens, model);
  }
  assert.deepEqual(bound({ images: 3 }, "gpt-4o"), {
    images: 3,
    imageTokens: 4_335,
    audioTokens: 0,
    otherTokens: 0,
  });
  assert.equal(bound({ images: 100 }, "gpt-4o-mini").imageTokens, 200_000, "the context");
});

Deno.test("mediaTokenBound takes sound by its length, and by the context where that cannot be told", () => {
  const audio = (bytes: number | null, format: string) => bound({ audios: [{ bytes, format }] }).audioTokens;
  assert.equal(bound({ audios: [{ bytes: 1_000_000, format: "wav", seconds: 30 }] }).audioTokens, 960);
  assert.equal(audio(60_000, "mp3"), 1_920);
  assert.equal(audio(60_000, "wav"), 200_000);
  assert.equal(audio(60_000, "ogg"), 200_000);
  assert.equal(audio(null, "mp3"), 200_000);
});

Deno.test("mediaTokenBound takes a file of text for its bytes, and any other for the context", () => {
  assert.equal(bound({ files: [{ bytes: 5_000, type: "text/csv" }] }).otherTokens, 5_000);
  assert.equal(bound({ files: [{ bytes: 5_000, type: "application/pdf" }] }).otherTokens, 200_000);
  assert.equal(bound({ files: [{ bytes: null }] }).otherTokens, 200_000);
  assert.equal(bound({ videos: 1 }).otherTokens, 200_000);
});

Deno.test("countTextBytes leaves out what stands in the body as a payload, and nothing else", () => {
  const payload = "QUJD".repeat(300);
  const media: RequestMedia = { ...none, images: 1, payloads: [payload] };
  const json = JSON.stringify({ text: "ä", image_url: `data:image/png;base64,${payload}` });
  const bare = countUtf8Bytes(json) - payload.length;
  assert.equal(countTextBytes(json), countUtf8Bytes(json));
  assert.equal(countTextBytes(json, { media }), bare);
  assert.equal(countTextBytes(json, { media, dropped: true }), countUtf8Bytes(json));
  const twice = JSON.stringify([json, payload]);
  assert.equal(countTextBytes(twice, { media }), countUtf8Bytes(twice) - payload.length, "once");
  assert.equal(countTextBytes('{"text":"none of it"}', { media }), 21);
});

Deno.test("countUtf8Bytes counts as an encoder does", () => {
  for (const text of ["", "abc", "äöü", "日本語", "👋🏽", "x".repeat(600), "ä👋".repeat(300)]) {
    assert.equal(countUtf8Bytes(text), new TextEncoder().encode(text).byteLength, text.slice(0, 10));
  }
});
