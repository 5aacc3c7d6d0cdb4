/**
 * How many tokens a prompt's images, sound, files and videos probably are: what they are charged as where the provider
 * has sent no counts. `request_media.ts` has the most that they could be. The figures are the providers' own where published.
 */

import { type ImageSize, imageSizeOf } from "./image_size.ts";
import { type AudioMedia, isPlainText } from "./media_tokens.ts";
import { ownValue } from "../../../shared/util/own_value.ts";

/** One chunk of media of a request. `base64` is absent for what the provider fetches itself or already has. */
export type MediaPart =
  | { readonly type: "image"; readonly base64?: string; readonly detail?: string }
  | { readonly type: "audio"; readonly audio: AudioMedia }
  | { readonly type: "file"; readonly base64?: string; readonly mimeType?: string }
  | { readonly type: "video"; readonly base64?: string };

/** Pages by the base64 of a document. */
export type PageCounts = ReadonlyMap<string, number>;

interface EstimateOptions {
  /** The provider's name of the model. */
  readonly model: string;
  /** Absent: the pages of a document by its size only. */
  readonly pages?: PageCounts;
}

interface MediaEstimate {
  readonly imageTokens: number;
  readonly audioTokens: number;
  /** Tokens of files and videos. */
  readonly otherTokens: number;
}

export function estimateMedia(parts: readonly MediaPart[], options: EstimateOptions): MediaEstimate {
  const sums = { imageTokens: 0, audioTokens: 0, otherTokens: 0 };
  for (const part of parts) {
    switch (part.type) {
      case "image":
        sums.imageTokens += imageTokens(part, options);
        break;
      case "audio":
        sums.audioTokens += Math.ceil(secondsOf(part.audio) * audioRate(options.model));
        break;
      case "file":
        sums.otherTokens += fileTokens(part, options);
        break;
      case "video":
        sums.otherTokens += videoTokens(part);
        break;
      default:
        part satisfies never;
    }
  }
  return sums;
}

type Part<T extends MediaPart["type"]> = Extract<MediaPart, { readonly type: T }>;

/** A size that is usual, for images that the provider fetches itself. */
const USUAL_SIZE: ImageSize = { width: 1_024, height: 1_024 };

function imageTokens({ base64, detail }: Part<"image">, { model }: EstimateOptions): number {
  const size = (base64 === undefined ? undefined : imageSizeOf(base64)) ?? USUAL_SIZE;
  const formula = imageFormulas.find(([pattern]) => pattern.test(model))?.[1] ?? patches28;
  return Math.ceil(formula(size, detail === "low"));
}

type Formula = (size: ImageSize, low: boolean) => number;

/** OpenAI: within 2,048 × 2,048, the short side at most 768, so much for each tile of 512 and a base amount. */
const openAiTiles = (base: number, tile: number): Formula => (size, low) => {
  if (low) return base;
  const { width, height } = shrunk(shrunk(size, { long: 2_048 }), { short: 768 });
  return base + tile * Math.ceil(width / 512) * Math.ceil(height / 512);
};

/** OpenAI's smaller models: patches of 32, at most so many, times a factor of the model. */
const openAiPatches = (factor: number, most: number): Formula => ({ width, height }, low) => {
  const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
  return Math.min(patches, low ? 256 : most) * factor;
};

/** Anthropic: a token for each 750 pixels of the image, which is shrunk first. */
const anthropic = (long: number, most: number): Formula => (size) => {
  const { width, height } = shrunk(size, { long });
  return Math.min(most, width * height / 750);
};

/** Google until Gemini 2.5: 258 for a small image, and for each tile of a larger one. */
const geminiTiles: Formula = ({ width, height }) => {
  if (width <= 384 && height <= 384) return 258;
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return 258 * Math.ceil(width / side) * Math.ceil(height / side);
};

/** Gemini 3: by resolution, whatever the size. */
const gemini3: Formula = (_size, low) => low ? 280 : 1_120;

/** xAI: 256 for each tile of 448, six at most, and for the image as a whole. */
const xai: Formula = ({ width, height }) =>
  256 * (1 + Math.min(6, Math.ceil(width / 448) * Math.ceil(height / 448)));

const squares = (side: number, { long, most }: { readonly long: number; readonly most: number }): Formula => {
  return (size) => {
    const { width, height } = shrunk(size, { long });
    return Math.min(most, Math.ceil(width / side) * Math.ceil(height / side));
  };
};

/** Qwen and most open models: squares of 28 pixels, up to a usual number. */
const patches28 = squares(28, { long: 2_048, most: 2_560 });

const imageFormulas: readonly (readonly [RegExp, Formula])[] = [
  [/gpt-4o-mini/i, openAiTiles(2_833, 5_667)],
  [/gpt-4\.1-mini|gpt-5(?:\.[1-3])?-mini/i, openAiPatches(1.62, 1_536)],
  [/gpt-4\.1-nano|gpt-5(?:\.[1-3])?-nano/i, openAiPatches(2.46, 1_536)],
  [/o4-mini/i, openAiPatches(1.72, 1_536)],
  [/gpt-(?:4o|4\.1|4\.5)|chatgpt-4o/i, openAiTiles(85, 170)],
  [/gpt-5\.[4-9]/i, openAiPatches(1, 2_500)],
  [/gpt-5/i, openAiTiles(70, 140)],
  [/\bo[13]\b/i, openAiTiles(75, 150)],
  [
    /claude-(?:3|(?:opus|sonnet|haiku)-4-[0-6](?:\D|$)|(?:opus|sonnet)-4(?:@|-2025|$))/i,
    anthropic(1_568, 1_600),
  ],
  [/claude/i, anthropic(2_576, 4_784)],
  [/gemini-[12]\b/i, geminiTiles],
  [/gemini/i, gemini3],
  [/pixtral/i, squares(16, { long: 1_024, most: 4_096 })],
  [/mistral|magistral/i, squares(28, { long: 1_540, most: 3_025 })],
  [/grok/i, xai],
];

/** Never enlarged. */
function shrunk(
  { width, height }: ImageSize,
  { long = Infinity, short = Infinity }: { readonly long?: number; readonly short?: number },
): ImageSize {
  const scale = Math.min(1, long / Math.max(width, height), short / Math.min(width, height));
  return { width: width * scale, height: height * scale };
}

/** Tokens a second. */
const audioRates: readonly (readonly [RegExp, number])[] = [
  [/gpt|whisper/i, 10],
  [/gemini/i, 32],
  [/voxtral|mistral/i, 12.5],
];

const audioRate = (model: string): number => audioRates.find(([pattern]) => pattern.test(model))?.[1] ?? 25;

/** Bytes a second as the formats usually have them. */
const usualBytesPerSecond: Readonly<Record<string, number>> = {
  wav: 48_000,
  pcm16: 48_000,
  g711_ulaw: 8_000,
  g711_alaw: 8_000,
  flac: 50_000,
  aiff: 48_000,
  opus: 6_000,
  ogg: 8_000,
  webm: 8_000,
};
/** MP3, AAC, M4A: 128 kbit/s. */
const COMPRESSED_BYTES_PER_SECOND = 16_000;
/** Assumed length of audio whose length is not known, in seconds. */
const USUAL_SECONDS = 60;

function secondsOf({ bytes, format, seconds }: AudioMedia): number {
  if (seconds !== undefined) return seconds;
  if (bytes === null) return USUAL_SECONDS;
  return bytes / (ownValue(usualBytesPerSecond, format.toLowerCase()) ?? COMPRESSED_BYTES_PER_SECOND);
}

/** Providers read a page as text and as an image. */
export const TOKENS_PER_PAGE = 2_500;
export const BYTES_PER_PAGE = 50_000;
/** Assumed number of pages of a file that the provider fetches itself. */
const USUAL_PAGES = 10;
const BYTES_PER_TOKEN = 4;

/** Google publishes what a page costs: as much as an image, whatever is on it. */
const pageRates: readonly (readonly [RegExp, number])[] = [
  [/gemini-[12]\b/i, 258],
  [/gemini/i, 560],
];

function fileTokens({ base64, mimeType }: Part<"file">, { model, pages }: EstimateOptions): number {
  const perPage = pageRates.find(([pattern]) => pattern.test(model))?.[1] ?? TOKENS_PER_PAGE;
  if (base64 === undefined) return USUAL_PAGES * perPage;
  const bytes = bytesIn(base64);
  if (mimeType !== undefined && isPlainText(mimeType)) return Math.ceil(bytes / BYTES_PER_TOKEN);
  // A document may hide pages from those who count them, but not its bytes.
  return Math.max(pages?.get(base64) ?? 0, Math.ceil(bytes / BYTES_PER_PAGE)) * perPage;
}

/** Google: 258 for a frame a second, and 32 for its sound. */
const VIDEO_TOKENS_PER_SECOND = 290;
/** 2 Mbit/s. */
const VIDEO_BYTES_PER_SECOND = 250_000;

const videoTokens = ({ base64 }: Part<"video">): number =>
  Math.ceil(
    (base64 === undefined ? USUAL_SECONDS : bytesIn(base64) / VIDEO_BYTES_PER_SECOND) *
      VIDEO_TOKENS_PER_SECOND,
  );

const bytesIn = (base64: string): number => Math.floor(base64.length / 4 * 3);
