/** Speech in the gateway's own words: what is to be spoken and how, whatever provider speaks it. */

import type { JsonObject } from "./item.ts";

/** The dialects in which providers are asked to speak. */
export const speechDialectIds = [
  "openai",
  "elevenlabs",
  "gemini",
  "azure",
  "deepgram",
  "cartesia",
  "mistral",
] as const;
export type SpeechDialectId = typeof speechDialectIds[number];

/** Formats that clients are sent: MP3, or raw samples of 16 bits, little-endian. */
export type SpeechOutputFormat = "mp3" | "pcm";

/** How a provider's sound is written down. Raw samples say nothing of themselves, the others do. */
export type AudioFormat =
  | {
    readonly type: "pcm";
    /** Hz. */
    readonly sampleRate: number;
    readonly channels: number;
    /** Absent: 16 bits, little-endian, signed. */
    readonly encoding?: "s16le" | "f32le" | "mulaw" | "alaw";
  }
  | { readonly type: "wav" }
  | { readonly type: "mp3" }
  /** In an Ogg container. */
  | { readonly type: "opus" };

/** A voice to be cloned for this one request. Its transcript stands in the request's input. */
export interface VoiceReference {
  /** Bare base64. */
  readonly data: string;
  /** Media type by its first bytes, such as `audio/wav`. */
  readonly mediaType: string;
  /** Where its head tells. */
  readonly seconds?: number;
}

/** How a text is to be spoken. The text is the request's input, so that whatever judges text judges it, too. */
export interface SpeechOptions {
  /** The provider's name of the voice. */
  readonly voice?: string;
  /** The voice is one of the caller's own at the provider, named by its id. */
  readonly customVoice: boolean;
  readonly format: SpeechOutputFormat;
  /** The sound is sent as events, and not as bytes. */
  readonly events: boolean;
  /** 1 is the usual speed. */
  readonly speed?: number;
  readonly reference?: VoiceReference;
  /** Configuration for single providers, by their slugs. */
  readonly options: Readonly<Record<string, JsonObject>>;
}

/** Capabilities of an endpoint that speaks, as data. */
export interface SpeechCapabilities {
  /** All that there are; absent where nobody has listed them. */
  readonly voices?: readonly string[];
  /** Spoken by where a request names no voice. */
  readonly defaultVoice?: string;
  /** Clones the voice of a reference. */
  readonly clones: boolean;
  /** Characters that one call takes; the dialect's own unless stated. */
  readonly maxChars?: number;
  /** Hz of its raw samples, where they are not the dialect's own. */
  readonly sampleRate?: number;
  /** The formats in which it answers, as its dialect names them; absent: those of the dialect. */
  readonly formats?: readonly string[];
  /** It can be asked for a stream of events, which ends with what it has metered. */
  readonly events?: boolean;
}
