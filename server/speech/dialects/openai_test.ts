import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import type { AudioFormat } from "../../protocols/canonical/speech.ts";
import type { SpeechEndpoint, SpeechRequestPart, SpeechResponseFormat } from "../dialect.ts";
import { openaiSpeech } from "./openai.ts";

const fallback: SpeechRequestPart = {
  text: "Hi",
  voice: "alloy",
  customVoice: false,
  format: "pcm",
  options: {},
};
const plain: SpeechEndpoint = {
  upstreamModel: "tts",
  traits: { clones: false },
  omit: [],
  extraBody: {},
};

function bodyOf(utterance: Partial<SpeechRequestPart>, endpoint: Partial<SpeechEndpoint> = {}) {
  const { body } = openaiSpeech.render({ ...fallback, ...utterance }, { ...plain, ...endpoint });
  assert(body.type === "json");
  return body.value;
}

Deno.test("openai asks for the nearest format that an endpoint has", () => {
  const formatAt = (format: "mp3" | "pcm", ...formats: readonly string[]) =>
    bodyOf({ format }, { traits: { clones: false, formats } }).response_format;
  assert.equal(formatAt("pcm", "mp3", "wav"), "wav");
  assert.equal(formatAt("pcm", "opus", "mp3"), "mp3");
  assert.equal(formatAt("mp3", "wav", "pcm"), "pcm");
  assert.equal(formatAt("mp3", "mp3", "pcm"), "mp3");
});

Deno.test("openai leaves out what an endpoint refuses, and says so", () => {
  const { body, dropped } = openaiSpeech.render(
    { ...fallback, speed: 2, instructions: "Slowly." },
    { ...plain, omit: ["instructions"], extraBody: { language: "en" } },
  );
  assert(body.type === "json");
  assert.deepEqual(dropped, ["instructions"]);
  assert.equal(body.value.instructions, undefined);
  assert.equal(body.value.language, "en");
  assert.equal(body.value.speed, 2);
});

Deno.test("openai refuses what it cannot say, and names the place", () => {
  const reference = { data: "UklGRg==", mediaType: "audio/wav" };
  for (
    const [utterance, path] of [[{ voice: undefined }, "voice"], [{ reference }, "input_references"]] as const
  ) {
    assert.throws(
      () => bodyOf(utterance),
      (error) => error instanceof ApiError && error.details.metadata?.path === path,
    );
  }
});

function answerTo(contentType: string, format: AudioFormat): SpeechResponseFormat {
  const call = { ...openaiSpeech.render(fallback, plain), format };
  return openaiSpeech.parseResponse({ contentType, header: () => null }, call);
}

Deno.test("openai believes what an answer says of itself", () => {
  const pcm = { type: "pcm", sampleRate: 24_000, channels: 1 } as const;
  const rows: readonly (readonly [string, AudioFormat, AudioFormat])[] = [
    ["audio/wav", pcm, { type: "wav" }],
    ["audio/x-wav; codecs=1", { type: "mp3" }, { type: "wav" }],
    ["audio/mpeg", pcm, { type: "mp3" }],
    ["audio/ogg", pcm, { type: "opus" }],
    ["audio/pcm", { type: "mp3" }, pcm],
    ["audio/pcm;rate=16000;channels=2", pcm, { type: "pcm", sampleRate: 16_000, channels: 2 }],
    ["audio/L16; rate=44100", { type: "mp3" }, { type: "pcm", sampleRate: 44_100, channels: 1 }],
    ["audio/pcm;channels=99;rate=7", pcm, pcm],
    ["application/octet-stream", { type: "mp3" }, { type: "mp3" }],
    ["", pcm, pcm],
  ];
  for (const [contentType, requested, format] of rows) {
    const answer = answerTo(contentType, requested);
    assert(answer.type === "sound", contentType);
    assert.deepEqual(answer.format, format, contentType);
  }
});

Deno.test("openai takes text for an error, and events for sound", () => {
  const page = answerTo("text/html", { type: "mp3" });
  assert(page.type === "frames" && page.framing === "whole");
  assert.equal(page.read("<title>Oops</title>").failure?.kind, "upstream_failed");
  const events = answerTo("text/event-stream; charset=utf-8", { type: "mp3" });
  assert(events.type === "frames" && events.demandsLast);
  assert.deepEqual(events.read('{"type":"speech.audio.delta","audio":"AAE="}'), {
    audio: new Uint8Array([0, 1]),
  });
  assert.deepEqual(events.read('{"type":"keepalive"}'), {});
  assert.equal(events.read('{"type":"speech.audio.done"}').last, true);
  assert.match(events.read('{"type":"error","error":{"message":"No."}}').failure?.message ?? "", /No\./);
  for (const wrong of ["", "[DONE]", '{"type":"speech.audio.delta","audio":"*"}', "7", "null"]) {
    assert(events.read(wrong).failure !== undefined, wrong);
  }
});
