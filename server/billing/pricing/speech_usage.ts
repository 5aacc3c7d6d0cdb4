/** Computes the usage of speech, from what the provider has metered and what was delivered. */

import {
  isReported,
  normalizeUsage,
  type ReportedCounts,
  type Usage,
} from "../../protocols/canonical/usage.ts";
import {
  type ModelRequest,
  referenceTranscript,
  speechInputText,
} from "../../protocols/canonical/request.ts";
import type { Pricing } from "../../providers/endpoint.ts";
import { tokensOfBytes } from "./text_sample.ts";

/** Google counts 25 tokens for a second of sound, and OpenAI nearly as many. */
const TOKENS_A_SECOND = 25;

interface SpeechDelivery {
  readonly request: ModelRequest;
  /** Characters that were sent to the provider, as it counts them. */
  readonly characters: number;
  /** Length of the audio that it delivered, in seconds. */
  readonly seconds: number;
  /** That were passed on to the client. */
  readonly bytes: number;
  /** Chunks that were given to the provider. */
  readonly calls?: number;
  /** Tokens and the like that the provider told. */
  readonly metered?: ReportedCounts;
  /** The counts are the gateway's own where it matters. */
  readonly estimated: boolean;
}

export function computeSpeechUsage(
  { request, characters, seconds, bytes, calls = 1, metered, estimated }: SpeechDelivery,
): Usage {
  const outputTokens = Math.ceil(seconds * TOKENS_A_SECOND);
  const usage = normalizeUsage({
    inputTokens: estimateInputTokens(request, characters),
    outputTokens,
    outputAudioTokens: outputTokens,
    characters,
    seconds,
    ...possibleCounts(metered ?? {}),
    estimated,
  });
  return {
    ...usage,
    ...(bytes === 0 ? {} : { audioBytes: bytes }),
    ...(calls < 2 ? {} : { calls }),
  };
}

/** Without counts that cannot be: those stay as the gateway has counted them. */
const possibleCounts = (metered: ReportedCounts): ReportedCounts =>
  Object.fromEntries(
    Object.entries(metered).filter(([, count]) =>
      typeof count !== "number" ? count != null : isReported(count)
    ),
  );

function estimateInputTokens(request: ModelRequest, characters: number): number {
  const besides = (request.instructions?.length ?? 0) + (referenceTranscript(request)?.length ?? 0);
  return tokensOfBytes(Math.min(characters, speechInputText(request).length) + besides);
}

/** Whether the price depends on tokens, which nobody but the provider can count. */
export function isPricedByToken(pricing: Pricing | null): boolean {
  if (pricing === null) return true;
  const { prompt, completion, audio, audioOutput } = pricing;
  return [prompt, completion, audio, audioOutput].some((price) => Number(price ?? 0) > 0);
}

/** Characters a second, as people usually speak. */
const CHARACTERS_A_SECOND = 15;

/** Estimates the characters of text that so many seconds of speech stand for. */
export const charactersInSeconds = (seconds: number, speed = 1): number =>
  Math.ceil(seconds * CHARACTERS_A_SECOND * speed);

/** Sums the counts that several calls have metered: each names the same counts. Undefined where nobody has. */
export function sumCounts(metered: readonly ReportedCounts[]): ReportedCounts | undefined {
  const [first, ...others] = metered;
  return others.reduce<ReportedCounts | undefined>((sum, one) => plus(sum ?? {}, one), first);
}

function plus(a: ReportedCounts, b: ReportedCounts): ReportedCounts {
  const sums = Object.entries(b).map(([name, count]) => {
    const before: unknown = Object.entries(a).find(([key]) => key === name)?.[1];
    if (typeof count !== "number" || typeof before !== "number") return [name, count];
    return [name, isReported(count) && isReported(before) ? before + count : NaN];
  });
  return { ...a, ...Object.fromEntries(sums) };
}
