/** Whatever a caller asks and whatever a provider answers: a call or a refusal, sound or a failure. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../shared/errors.ts";
import type { SpeechDialectId } from "../../server/protocols/canonical/speech.ts";
import type { RenderedSpeechRequest, SpeechFrame, SpeechRequestPart } from "../../server/speech/dialect.ts";
import { speechDialect } from "../../server/speech/dialects/mod.ts";
import { speechEndpoint, speechHead, utterance } from "../support/utterance.ts";
import { assertProperty } from "../support/property.ts";

const models: Readonly<Record<SpeechDialectId, string>> = {
  openai: "tts-1",
  elevenlabs: "eleven_flash_v2_5",
  gemini: "gemini-3.8-flash-tts",
  azure: "neural",
  deepgram: "aura-2",
  cartesia: "sonic-3.5",
  mistral: "voxtral-mini-tts-3-0",
};
const ids = Object.keys(models).filter((id): id is SpeechDialectId => id in models);

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("</speak>", "&amp;", "\ud800", ""),
);
const options = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "output_format",
      "voice_settings",
      "generation_config",
      "generationConfig",
      "encoding",
      "style",
      "sample_rate",
      "container",
      "response_format",
    ),
    fc.string(),
  ),
  fc.jsonValue(),
  { maxKeys: 4 },
).map((input) => ({ ...input }));
const reference = fc.record({
  data: fc.constant("UklGRg=="),
  mediaType: fc.constantFrom("audio/wav", "audio/mpeg"),
  transcript: fc.option(text, { nil: undefined }),
});
const utterances: fc.Arbitrary<SpeechRequestPart> = fc.record({
  text,
  before: fc.option(text, { nil: undefined }),
  after: fc.option(text, { nil: undefined }),
  voice: fc.option(text, { nil: undefined }),
  customVoice: fc.boolean(),
  format: fc.constantFrom("pcm", "mp3"),
  speed: fc.option(fc.double({ min: 0.25, max: 4, noNaN: true }), { nil: undefined }),
  instructions: fc.option(text, { nil: undefined }),
  reference: fc.option(reference, { nil: undefined }),
  options,
});

/** The call, or undefined for a refusal, which is a 400 that names the field. */
function rendered(id: SpeechDialectId, preference: SpeechRequestPart): RenderedSpeechRequest | undefined {
  try {
    return speechDialect(id).render(preference, speechEndpoint(models[id]));
  } catch (error) {
    assert.ok(error instanceof ApiError && error.kind === "invalid_request", String(error));
    assert.equal(typeof error.details.metadata?.path, "string");
    return undefined;
  }
}

Deno.test("a dialect's render makes a call that can be sent, or refuses", () => {
  assertProperty(
    fc.property(fc.constantFrom(...ids), utterances, (id, preference) => {
      const call = rendered(id, preference);
      if (call === undefined) return;
      const url = new URL(`http://provider.example/base${call.path}`);
      assert.equal(url.origin, "http://provider.example");
      assert.ok(url.pathname.startsWith("/base/"), call.path);
      for (const value of Object.values(call.headers ?? {})) new Headers({ value });
      if (call.body.type === "json") JSON.stringify(call.body.value);
      if (call.format.type === "pcm") {
        assert.ok(Number.isInteger(call.format.sampleRate) && call.format.sampleRate >= 8_000, id);
      }
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("azure.render lets no text out of its element", () => {
  assertProperty(
    fc.property(
      text,
      fc.dictionary(fc.constantFrom("style", "role", "pitch", "lang"), text),
      (received, input) => {
        const call = rendered(
          "azure",
          utterance({ text: received, voice: "en-US-JennyNeural", options: { ...input } }),
        );
        assert.ok(call?.body.type === "text");
        const tags = call.body.text.match(/<[^>]*>/g) ?? [];
        const names = tags.map((tag) => /^<\/?([\w:-]+)/.exec(tag)?.[1]);
        assert.ok(
          names.every((name) => ["speak", "voice", "prosody", "mstts:express-as"].includes(String(name))),
        );
        const left = call.body.text.replaceAll(/<[^<>]*>/g, "");
        assert.doesNotMatch(left, /[<>]|&(?!(amp|lt|gt|quot|apos);)/);
        assert.ok(call.body.text.isWellFormed());
      },
    ),
  );
});

const events = fc.oneof(
  fc.jsonValue(),
  fc.record({
    type: fc.constantFrom("chunk", "done", "error", "speech.audio.delta", "speech.audio.done", "other"),
    data: fc.jsonValue(),
    audio: fc.jsonValue(),
    audio_data: fc.oneof(fc.base64String(), fc.string()),
    usage: fc.jsonValue(),
    error: fc.jsonValue(),
  }, { requiredKeys: ["type"] }),
  fc.record({
    candidates: fc.array(fc.record({
      content: fc.record({
        parts: fc.array(fc.record({
          inlineData: fc.record({
            mimeType: fc.constantFrom("audio/l16; rate=24000", "x"),
            data: fc.base64String(),
          }),
        })),
      }),
      finishReason: fc.option(fc.constantFrom("STOP", "OTHER", "SAFETY")),
    })),
    usageMetadata: fc.jsonValue(),
  }),
);
const frames = fc.oneof(fc.string(), events.map((value) => JSON.stringify(value)));
const types = fc.constantFrom("text/event-stream", "application/json", "audio/mpeg", "text/html", "");

function checked(chunk: SpeechFrame): void {
  if (chunk.audio !== undefined) assert.ok(chunk.audio instanceof Uint8Array);
  if (chunk.failure !== undefined) {
    assert.ok(chunk.failure.message !== "" && chunk.failure.message.length <= 300);
    assert.notEqual(chunk.last, true);
  }
}

Deno.test("a dialect's answers are sound or failures, whatever the provider says", () => {
  assertProperty(
    fc.property(fc.constantFrom(...ids), types, frames, (id, type, data) => {
      const call = rendered(id, utterance({ voice: id === "azure" ? "en-US-JennyNeural" : "vera" }));
      assert.ok(call !== undefined);
      const headers = { "character-cost": data.replaceAll(/[^\x20-\x7e]/g, "").trim() };
      const answer = speechDialect(id).parseResponse(speechHead(type, headers), call);
      if (answer.type === "frames") checked(answer.read(data));
    }),
    { numRuns: 500 },
  );
});

Deno.test("a dialect's parseError has words for every status and body", () => {
  assertProperty(
    fc.property(fc.constantFrom(...ids), fc.integer({ min: 400, max: 599 }), frames, (id, status, body) => {
      const error = speechDialect(id).parseError(status, body);
      assert.ok(error.message !== "" && error.message.length <= 300);
      assert.notEqual(error.kind, "unauthorized");
    }),
    { numRuns: 500 },
  );
});

Deno.test("a dialect's options speak no other text and of no other model", () => {
  const other = "another text or model";
  const keys = ["text", "input", "transcript", "contents", "model", "model_id"];
  const input = Object.fromEntries(keys.map((key) => [key, other]));
  for (const id of ids) {
    const call = rendered(
      id,
      utterance({ voice: id === "azure" ? "en-US-JennyNeural" : "vera", options: input }),
    );
    assert.ok(call !== undefined, id);
    const { body } = call;
    const sent = body.type === "json" ? body.value : { text: body.type === "text" ? body.text : "" };
    const texts = ["text", "input", "transcript", "contents"].map((key) => sent[key]).filter((one) =>
      one !== other
    );
    assert.ok(JSON.stringify(texts).includes("Good morning."), id);
    const names = [call.path, sent.model, sent.model_id].join(" ");
    assert.ok(id === "azure" || names.includes(models[id]), id);
  }
});
