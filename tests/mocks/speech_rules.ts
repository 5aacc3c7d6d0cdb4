/**
 * Rules of the providers of speech, as their references publish them: every key, and the values that have bounds. The
 * real services refuse or ignore others; these refuse them.
 */

import { isObject, type Json } from "./published.ts";

/** A request for speech as it came in. */
export interface SpeechRequested {
  /** Below the base URL, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Headers;
  /** Empty where the body is no JSON. */
  readonly body: Json;
  readonly text: string;
}

export type Complaint = (requested: SpeechRequested) => string | undefined;

/** `true`: whatever it holds; a list: one of them; a pair: a number between them; else the keys of an object. */
type Rule = true | readonly string[] | { readonly least: number; readonly most: number } | {
  readonly keys: Rules;
};
interface Rules {
  readonly [key: string]: Rule;
}

/** The first thing that is not published. */
const judged = (value: Json, rules: Rules): string | undefined => judgedAt(value, { rules, path: "" });

interface Place<R> {
  readonly rules: R;
  readonly path: string;
}

function judgedAt(value: Json, { rules, path }: Place<Rules>): string | undefined {
  for (const [key, inner] of Object.entries(value)) {
    const place = path + key;
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) return `${place} is not published`;
    const wrong = rule === true ? undefined : judgedBy(inner, { rules: rule, path: place });
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function judgedBy(value: unknown, { rules: rule, path }: Place<Exclude<Rule, true>>): string | undefined {
  if (isWords(rule)) {
    return [value].flat().every((one) => rule.includes(String(one))) ? undefined : `${path} is wrong`;
  }
  if ("keys" in rule) {
    return isObject(value) ? judgedAt(value, { rules: rule.keys, path: `${path}.` }) : `${path} is no object`;
  }
  const number = Number(value);
  return number >= rule.least && number <= rule.most ? undefined : `${path} is ${String(value)}`;
}

const isWords = (rule: Rule): rule is readonly string[] => Array.isArray(rule);

const missing = (requested: Json, keys: readonly string[]) => {
  const key = keys.find((one) => requested[one] === undefined || requested[one] === "");
  return key === undefined ? undefined : `${key} is missing`;
};

const tooLong = (text: unknown, most: number) =>
  String(text).length > most ? `text_too_long: more than ${most} characters` : undefined;

const elevenlabsFormats = [
  ...["22050_32", "24000_48", "44100_32", "44100_64", "44100_96", "44100_128", "44100_192"].map((one) =>
    `mp3_${one}`
  ),
  ...[8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000].map((rate) => `pcm_${rate}`),
  ...["ulaw_8000", "alaw_8000"],
  ...[32, 64, 96, 128, 192].map((rate) => `opus_48000_${rate}`),
];

const elevenlabs: Complaint = ({ path, query, body }) =>
  (/^\/text-to-speech\/[^/]+\/stream$/.test(path) ? undefined : `no such path: ${path}`) ??
    judged(query, {
      output_format: elevenlabsFormats,
      enable_logging: ["true", "false"],
      optimize_streaming_latency: { least: 0, most: 4 },
    }) ??
    judged(body, {
      text: true,
      model_id: true,
      language_code: true,
      voice_settings: {
        keys: {
          stability: { least: 0, most: 1 },
          use_speaker_boost: true,
          similarity_boost: { least: 0, most: 1 },
          style: { least: 0, most: 1 },
          speed: { least: 0.7, most: 1.2 },
        },
      },
      pronunciation_dictionary_locators: true,
      seed: { least: 0, most: 4_294_967_295 },
      previous_text: true,
      next_text: true,
      previous_request_ids: true,
      next_request_ids: true,
      use_pvc_as_ivc: true,
      apply_text_normalization: ["auto", "on", "off"],
      apply_language_text_normalization: true,
      audio_effects: true,
    }) ??
    missing(body, ["text", "model_id"]) ??
    tooLong(body.text, body.model_id === "eleven_v3" ? 5_000 : 40_000);

const deepgram: Complaint = ({ path, query, body }) =>
  (path === "/v1/speak" ? undefined : `no such path: ${path}`) ??
    judged(query, {
      model: true,
      encoding: ["linear16", "flac", "mulaw", "alaw", "mp3", "opus", "aac"],
      container: ["none", "wav", "ogg"],
      sample_rate: ["8000", "16000", "22050", "24000", "32000", "48000"],
      bit_rate: true,
      speed: { least: 0.7, most: 1.5 },
      mip_opt_out: ["true", "false"],
      tag: true,
      callback: true,
      callback_method: true,
    }) ??
    (/^aura(-2)?-[a-z]+-[a-z]{2}$/.test(query.model ?? "")
      ? undefined
      : "No such model/version combination found.") ??
    judged(body, { text: true }) ?? missing(body, ["text"]) ?? tooLong(body.text, 2_000);

const cartesia: Complaint = ({ path, headers, body }) =>
  (path === "/tts/sse" ? undefined : `no such path: ${path}`) ??
    (/^\d{4}-\d\d-\d\d$/.test(headers.get("cartesia-version") ?? "")
      ? undefined
      : "Cartesia-Version is missing") ??
    judged(body, {
      model_id: true,
      transcript: true,
      voice: { keys: { mode: ["id"], id: true } },
      output_format: {
        keys: {
          container: ["raw"],
          encoding: ["pcm_f32le", "pcm_s16le", "pcm_mulaw", "pcm_alaw"],
          sample_rate: ["8000", "16000", "22050", "24000", "44100", "48000"],
        },
      },
      generation_config: {
        keys: { emotion: true, speed: { least: 0.6, most: 1.5 }, volume: { least: 0.5, most: 2 } },
      },
      context_id: true,
      language: true,
      locale: true,
      normalization: true,
      pronunciation_dict_id: true,
      add_timestamps: true,
      add_phoneme_timestamps: true,
      use_normalized_timestamps: true,
    }) ?? missing(body, ["model_id", "transcript", "voice", "output_format"]);

const mistral: Complaint = ({ path, body }) =>
  (path === "/audio/speech" ? undefined : `no such path: ${path}`) ??
    judged(body, {
      model: true,
      input: true,
      voice_id: true,
      ref_audio: true,
      response_format: ["pcm", "wav", "mp3", "flac", "opus"],
      stream: ["true", "false"],
      metadata: true,
      prompt_cache_key: true,
      expressiveness: true,
    }) ?? missing(body, ["input"]) ?? missing({ voice: body.voice_id ?? body.ref_audio }, ["voice"]);

const google: Complaint = ({ path, query, body }) =>
  (/^\/models\/[^/:]+-tts(-preview)?:streamGenerateContent$/.test(path)
    ? undefined
    : `no such path: ${path}`) ??
    judged(query, { alt: ["sse"] }) ??
    judged(body, {
      contents: true,
      generationConfig: {
        keys: {
          responseModalities: ["AUDIO"],
          speechConfig: {
            keys: {
              voiceConfig: { keys: { prebuiltVoiceConfig: { keys: { voiceName: true } } } },
              languageCode: true,
            },
          },
          seed: true,
          temperature: true,
        },
      },
      safetySettings: true,
    }) ?? judgedContents(body.contents);

function judgedContents(contents: unknown): string | undefined {
  const [content] = Array.isArray(contents) ? contents : [];
  if (!isObject(content) || !Array.isArray(content.parts)) return "contents has no parts";
  const part = { part: content.parts[0] };
  return judged(part, {
    part: { keys: { text: true, speechMetadata: { keys: { style: true, speaker: true } } } },
  });
}

const outputs =
  /^(raw|riff)-(8|16|22050|24|44100|48)k?hz-16bit-mono-pcm$|^audio-(16|24|48)khz-\d+kbitrate-mono-mp3$|^ogg-(16|24|48)khz-16bit-mono-opus$/;
const tags = /<\/?(speak|voice|prosody|mstts:express-as)(\s+[\w:]+="[^"<>]*")*>/g;

const azure: Complaint = ({ path, headers, text }) => {
  if (path !== "/cognitiveservices/v1") return `no such path: ${path}`;
  if (headers.get("content-type") !== "application/ssml+xml") {
    return "Content-Type must be application/ssml+xml";
  }
  if (!outputs.test(headers.get("x-microsoft-outputformat") ?? "")) return "X-Microsoft-OutputFormat";
  if (!headers.get("user-agent")) return "User-Agent is missing";
  if (!/^<speak [^>]*><voice name="[^"]+">.*<\/voice><\/speak>$/s.test(text)) return "no SSML with a voice";
  const left = text.replaceAll(tags, "");
  if (/[<>]/.test(left) || /&(?!(amp|lt|gt|quot|apos);)/.test(left)) return "SSML is not well-formed";
  return undefined;
};

/** At Azure, too. */
const openai: Complaint = ({ path, body }) =>
  (/^(\/openai\/v1)?\/audio\/speech$/.test(path) ? undefined : `no such path: ${path}`) ??
    judged(body, {
      model: true,
      input: true,
      voice: true,
      instructions: true,
      response_format: ["mp3", "opus", "aac", "flac", "wav", "pcm"],
      speed: { least: 0.25, most: 4 },
      stream_format: ["sse", "audio"],
    }) ?? missing(body, ["model", "input", "voice"]) ?? tooLong(body.input, 4_096);

const groq: Complaint = ({ path, body }) =>
  (path === "/audio/speech" ? undefined : `no such path: ${path}`) ??
    judged(body, {
      model: true,
      input: true,
      voice: true,
      response_format: ["wav"],
      speed: { least: 0.5, most: 5 },
      sample_rate: true,
    }) ?? missing(body, ["model", "input", "voice"]) ?? tooLong(body.input, 200);

export const speechRules = { elevenlabs, deepgram, cartesia, mistral, google, azure, openai, groq } as const;
export type SpeechProviderId = keyof typeof speechRules;
