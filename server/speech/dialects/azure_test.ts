import assert from "node:assert/strict";
import type { SpeechRequestPart } from "../dialect.ts";
import { partsOf, speechEndpoint, speechHead, utterance } from "../../../tests/support/utterance.ts";
import { azureSpeech } from "./azure.ts";

const VOICE = "en-US-JennyNeural";
const HD = "de-DE-Seraphina:DragonHDLatestNeural";
const render = (changes: Partial<SpeechRequestPart> = {}, model = "neural") =>
  azureSpeech.render(utterance({ voice: VOICE, ...changes }), speechEndpoint(model));

const speak = (inner: string, { voice = VOICE, lang = "en-US" } = {}) =>
  '<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="http://www.w3.org/2001/mstts" ' +
  `xml:lang="${lang}"><voice name="${voice}">${inner}</voice></speak>`;

/** Requests, and the SSML that they come to. */
const mapping: readonly (readonly [Partial<SpeechRequestPart>, ssml: string])[] = [
  [{}, speak("Good morning.")],
  [{ speed: 1 }, speak("Good morning.")],
  [{ speed: 1.5 }, speak('<prosody rate="1.5">Good morning.</prosody>')],
  [{ speed: 4 }, speak('<prosody rate="2">Good morning.</prosody>')],
  [{ speed: 0.25 }, speak('<prosody rate="0.5">Good morning.</prosody>')],
  [{ text: `R&D <b> "x" it's` }, speak("R&amp;D &lt;b&gt; &quot;x&quot; it&apos;s")],
  [{ text: "a\u0000b\u001bc\ufffed\ud800e\tf\n" }, speak("a b c d e\tf\n")],
  [
    { text: '</voice></speak><speak><audio src="http://inside"/>' },
    speak(
      "&lt;/voice&gt;&lt;/speak&gt;&lt;speak&gt;&lt;audio src=&quot;http://inside&quot;/&gt;",
    ),
  ],
  [{ voice: 'x"><break/>' }, speak("Good morning.", { voice: "x&quot;&gt;&lt;break/&gt;" })],
  [
    { voice: "zh-CN-liaoning-XiaobeiNeural" },
    speak("Good morning.", {
      voice: "zh-CN-liaoning-XiaobeiNeural",
      lang: "zh-CN",
    }),
  ],
  [
    { voice: "sr-Latn-RS-NicholasNeural" },
    speak("Good morning.", {
      voice: "sr-Latn-RS-NicholasNeural",
      lang: "sr-Latn-RS",
    }),
  ],
  [
    { options: { style: "cheerful", styledegree: 1.5 } },
    speak(
      '<mstts:express-as style="cheerful" styledegree="1.5">Good morning.</mstts:express-as>',
    ),
  ],
  [
    { speed: 2, options: { pitch: "+5%", volume: "soft", style: "sad" } },
    speak(
      '<mstts:express-as style="sad"><prosody rate="2" pitch="+5%" volume="soft">Good morning.</prosody></mstts:express-as>',
    ),
  ],
  [{ options: { lang: "de-DE" } }, speak("Good morning.", { lang: "de-DE" })],
];

Deno.test("azure.render writes SSML from which no text gets out", () => {
  for (const [changes, ssml] of mapping) {
    const call = render(changes);
    assert.equal(call.path, "/cognitiveservices/v1");
    assert.equal(partsOf(call).body, ssml, JSON.stringify(changes));
    assert.ok(call.body.type === "text" && call.body.mediaType === "application/ssml+xml");
  }
});

const pcm = { type: "pcm", sampleRate: 24_000, channels: 1 } as const;

/** Requests, the format's name, and the format of the answer. */
const formats: readonly (readonly [Partial<SpeechRequestPart>, name: string, object])[] = [
  [{}, "raw-24khz-16bit-mono-pcm", pcm],
  [{ format: "mp3" }, "audio-24khz-96kbitrate-mono-mp3", { type: "mp3" }],
  [{ options: { output_format: "raw-48khz-16bit-mono-pcm" } }, "raw-48khz-16bit-mono-pcm", {
    ...pcm,
    sampleRate: 48_000,
  }],
  [{ options: { output_format: "raw-22050hz-16bit-mono-pcm" } }, "raw-22050hz-16bit-mono-pcm", {
    ...pcm,
    sampleRate: 22_050,
  }],
  [{ options: { output_format: "raw-8khz-8bit-mono-alaw" } }, "raw-8khz-8bit-mono-alaw", {
    ...pcm,
    sampleRate: 8_000,
    encoding: "alaw",
  }],
  [{ options: { output_format: "riff-24khz-16bit-mono-pcm" } }, "riff-24khz-16bit-mono-pcm", { type: "wav" }],
  [{ options: { output_format: "ogg-24khz-16bit-mono-opus" } }, "ogg-24khz-16bit-mono-opus", {
    type: "opus",
  }],
];

Deno.test("azure.render names the format in a header", () => {
  for (const [changes, name, format] of formats) {
    const call = render(changes);
    assert.equal(call.headers?.["x-microsoft-outputformat"], name);
    assert.deepEqual(call.format, format);
  }
  assert.throws(
    () => render({ options: { output_format: "webm-24khz-16bit-mono-opus" } }),
    /output_format is/,
  );
});

Deno.test("azure.render has each voice in the model of its price", () => {
  assert.throws(
    () => render({ voice: HD }),
    /voice is "de-DE-Seraphina:DragonHDLatestNeural"; this model has/,
  );
  assert.throws(() => render({}, "neural-hd"), /voice is "en-US-JennyNeural"; this model has/);
  const call = render({ voice: HD, speed: 1.5 }, "neural-hd");
  assert.equal(partsOf(call).body, speak("Good morning.", { voice: HD, lang: "de-DE" }));
  assert.deepEqual(call.dropped, ["speed 1.5 (spoken at 1)"]);
});

Deno.test("azure.render refuses or notes what it cannot say", () => {
  assert.throws(() => render({ voice: undefined }), /voice is missing/);
  const reference = { data: "UklGRg==", mediaType: "audio/wav" };
  assert.throws(() => render({ reference }), /input_references is not taken/);
  assert.throws(() => render({ options: { style: ["sad"] } }), /style is neither a word nor a number/);
  const { dropped } = render({ speed: 3, instructions: "Softly.", options: { deploymentId: "x" } });
  assert.deepEqual(dropped, ["speed 3 (spoken at 2)", "instructions", "deploymentId"]);
});

/** Texts, and the characters that Azure charges. */
const counts: readonly (readonly [string, number])[] = [
  ["Good morning.", 13],
  ["", 0],
  ["早上好", 6],
  ["Guten Tag 早!", 13],
  ["𠀀", 2],
  ["👍", 1],
];

Deno.test("azure.charactersOf counts Chinese characters twice", () => {
  for (const [text, count] of counts) assert.equal(azureSpeech.charactersOf?.(text), count, text);
});

Deno.test("azure.parseAnswer knows sound from words", () => {
  const sound = azureSpeech.parseResponse(speechHead("audio/basic", { "x-requestid": "r" }), render());
  assert.deepEqual(sound, { type: "sound", format: pcm, upstreamId: "r" });
  const page = azureSpeech.parseResponse(speechHead("text/html"), render());
  assert.ok(page.type === "frames");
  assert.equal(page.read("<html><title>Gone</title></html>").failure?.kind, "upstream_failed");
});

/** Status, body, and the kind, the field, and whether another endpoint may do. */
const errors: readonly (readonly [number, body: string, kind: string, param?: string, elsewhere?: true])[] = [
  [400, "", "invalid_request"],
  [400, "Unsupported voice en-US-NobodyNeural.", "invalid_request", "voice", true],
  [401, "", "upstream_failed"],
  [403, '{"error":{"code":"QuotaExceeded","message":"Out of call volume quota."}}', "upstream_failed"],
  [415, "", "invalid_request"],
  [429, '{"error":{"code":"429","message":"Too many requests"}}', "rate_limited"],
  [499, "", "upstream_failed"],
  [502, "", "upstream_failed"],
  [503, "", "unavailable"],
];

Deno.test("azure.parseError goes by the status", () => {
  for (const [status, body, kind, param, elsewhere = false] of errors) {
    const error = azureSpeech.parseError(status, body);
    assert.deepEqual(
      [error.kind, error.param, error.endpointSpecific],
      [kind, param, elsewhere],
      `${status} ${body}`,
    );
  }
});
