/**
 * Azure AI Speech: POST /cognitiveservices/v1 with SSML, whose answer is sound as it is made. It charges the
 * characters of the text, a Chinese one twice, and tells nothing of it.
 */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { AudioFormat, SpeechOutputFormat } from "../../protocols/canonical/speech.ts";
import { parseError as parseChatError, parseFailure } from "../../protocols/chat/outbound/parse_error.ts";
import type { ProviderError } from "../../protocols/wire.ts";
import type {
  RenderedSpeechRequest,
  SpeechDialect,
  SpeechEndpoint,
  SpeechRequestPart,
  SpeechResponseFormat,
  SpeechResponseHead,
} from "../dialect.ts";
import {
  audioUnlessText,
  clampSpeed,
  requireNamedVoice,
  unsupportedByProvider,
  unsupportedInstructions,
} from "../dialect_rendering.ts";

/**
 * Sound beyond ten minutes is left out without a word. A slow script at half the speed takes less than half a
 * second a character.
 */
const MAX_CHARS = 1_000;
const SPEEDS = { min: 0.5, max: 2 };

export const azureSpeech: SpeechDialect = {
  id: "azure",
  maxChars: MAX_CHARS,
  charactersOf,
  render,
  parseResponse: parseAnswer,
  parseError,
};

const wide = /\p{Script=Han}/gu;

function charactersOf(text: string): number {
  let count = text.match(wide)?.length ?? 0;
  for (const _ of text) count++;
  return count;
}

const outputs: { readonly [F in SpeechOutputFormat]: string } = {
  pcm: "raw-24khz-16bit-mono-pcm",
  mp3: "audio-24khz-96kbitrate-mono-mp3",
};

/** Options of the caller; all of them are written into the SSML. */
const known = ["lang", "style", "styledegree", "role", "pitch", "volume"] as const;
type PriceableOptions = { readonly [K in typeof known[number]]?: string };

function render(
  utterance: SpeechRequestPart,
  { upstreamModel, omit, extraBody }: SpeechEndpoint,
): RenderedSpeechRequest {
  const voice = pricedVoice(requireNamedVoice(utterance), upstreamModel);
  const { output_format: output = outputs[utterance.format], ...options } = {
    ...utterance.options,
    ...extraBody,
  };
  const { speed, dropped } = clampSpeed(utterance.speed, SPEEDS);
  const strange = Object.keys(options).filter((key) =>
    omit.includes(key) || !known.some((one) => one === key)
  );
  const preferences = prosodyOf(options, omit);
  const fast = isHd(voice) ? undefined : speed;
  return {
    path: "/cognitiveservices/v1",
    headers: { "x-microsoft-outputformat": String(output), "user-agent": "tollgate" },
    body: {
      type: "text",
      mediaType: "application/ssml+xml",
      text: ssml({ ...utterance, voice, speed: fast, preferences }),
    },
    format: formatNamed(output),
    dropped: [
      ...(fast === undefined && speed !== undefined && speed !== 1
        ? [`speed ${speed} (spoken at 1)`]
        : dropped),
      ...unsupportedInstructions(utterance),
      ...strange,
    ],
  };
}

/** Its most natural voices take no prosody. */
const isHd = (voice: string): boolean => /:DragonHD/.test(voice);

/**
 * Voices of each model; the charge depends on the voice alone, so each model has those of its price: dearer ones have
 * a colon.
 */
const ownVoices: { readonly [model: string]: (voice: string) => boolean } = {
  "neural": (voice) => !voice.includes(":"),
  "neural-hd": isHd,
};

function pricedVoice(voice: string, model: string): string {
  if (ownValue(ownVoices, model)?.(voice) === false) {
    const named = model === "neural" ? "en-US-JennyNeural" : "en-US-Ava:DragonHDLatestNeural";
    throw unsupportedByProvider(
      "voice",
      `is ${JSON.stringify(voice)}; this model has those named as ${named}`,
    );
  }
  return voice;
}

function prosodyOf(options: JsonObject, omit: readonly string[]): PriceableOptions {
  const prosody = known.filter((key) => !omit.includes(key)).flatMap((key) => {
    const value = ownValue(options, key);
    if (value === undefined || value === null) return [];
    if (typeof value === "string" || typeof value === "number") return [[key, String(value)] as const];
    throw unsupportedByProvider(`provider.options.azure-speech.${key}`, "is neither a word nor a number");
  });
  return Object.fromEntries(prosody);
}

interface SsmlInput {
  readonly text: string;
  readonly voice: string;
  readonly speed?: number;
  readonly preferences: PriceableOptions;
}

const NAMESPACES = 'xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="http://www.w3.org/2001/mstts"';

function ssml({ text, voice, speed, preferences }: SsmlInput): string {
  const { lang = localeOf(voice), style, styledegree, role, pitch, volume } = preferences;
  const rate = speed === undefined || speed === 1 ? undefined : String(speed);
  const paced = element("prosody", { attributes: { rate, pitch, volume }, inner: escaped(text) });
  const styled = element("mstts:express-as", { attributes: { style, styledegree, role }, inner: paced });
  const head = `<speak version="1.0" ${NAMESPACES} xml:lang="${escaped(lang)}">`;
  return `${head}<voice name="${escaped(voice)}">${styled}</voice></speak>`;
}

interface Element {
  readonly attributes: { readonly [name: string]: string | undefined };
  readonly inner: string;
}

/** Renders an element, or its content alone where it has no attributes: Azure charges for such elements. */
function element(name: string, { attributes, inner }: Element): string {
  const input = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(value)}"`]
  );
  return input.length === 0 ? inner : `<${name}${input.join("")}>${inner}</${name}>`;
}

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Characters that no XML may hold, escaped or not: they have no sound. Halves of a pair are none. */
const unspeakable = /[^\P{Cc}\t\n\r]|\p{Cs}|[\ufffe\uffff]/gu;

const escaped = (text: string): string =>
  text.replace(unspeakable, " ").replace(
    /[&<>"']/g,
    (character) => ownValue(entities, character) ?? character,
  );

/** `zh-CN-liaoning-XiaobeiNeural` speaks `zh-CN`. */
const localeOf = (voice: string): string =>
  /^[a-z]{2,3}(-[A-Z][a-z]{3})?-[A-Z]{2}(?=-)/.exec(voice)?.[0] ?? "en-US";

const khz: { readonly [name: string]: number } = {
  8: 8_000,
  16: 16_000,
  22050: 22_050,
  24: 24_000,
  44100: 44_100,
  48: 48_000,
};

function formatNamed(name: unknown): AudioFormat {
  const text = typeof name === "string" ? name : "";
  const [, rate = "", encoding] = /^raw-(\d+)k?hz-(?:16|8)bit-mono-(pcm|mulaw|alaw)$/.exec(text) ?? [];
  const sampleRate = ownValue(khz, rate);
  if (encoding !== undefined && sampleRate !== undefined) {
    const raw = { type: "pcm", sampleRate, channels: 1 } as const;
    return encoding === "mulaw" || encoding === "alaw" ? { ...raw, encoding } : raw;
  }
  if (/^riff-[a-z\d-]+-pcm$/.test(text)) return { type: "wav" };
  if (/^audio-[a-z\d-]+-mp3$/.test(text)) return { type: "mp3" };
  if (/^ogg-[a-z\d-]+-opus$/.test(text)) return { type: "opus" };
  throw unsupportedByProvider(
    "provider.options.azure-speech.output_format",
    `is ${JSON.stringify(name)}; allowed are raw samples, riff-…-pcm, audio-…-mp3 and ogg-…-opus`,
  );
}

function parseAnswer(head: SpeechResponseHead, { format }: RenderedSpeechRequest): SpeechResponseFormat {
  const upstreamId = head.header("x-requestid") ?? undefined;
  return audioUnlessText(head, { sound: { type: "sound", format, upstreamId }, failureOf: parseFailure });
}

/** Its errors are a status and mostly nothing else; 400 with a voice's name in it means that there is none. */
function parseError(status: number, body: string): ProviderError {
  const error = parseChatError(status, body);
  if (status === 400 && /unsupported voice|voice .*(not found|invalid)|invalid voice/i.test(body)) {
    return { ...error, param: "voice", endpointSpecific: true };
  }
  if (status === 502) return { ...error, kind: "upstream_failed" };
  return error;
}
