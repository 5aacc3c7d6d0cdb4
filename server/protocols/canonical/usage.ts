/**
 * Usage of one answer, in the one form that every wire's counts are brought into: costs are computed from it. A count
 * that is absent is none.
 */

import type { NanoUsd } from "../../../shared/money.ts";

export interface Usage {
  /** All that went in: with what was cached, written to a cache, heard, seen, and read by the provider's tools. */
  readonly inputTokens: number;
  /** All that came out: with reasoning, audio and images. */
  readonly outputTokens: number;
  /** Part of the input that was read from a cache. */
  readonly cachedTokens: number;
  /** Part of the input that was written to a cache; none of it was read from it. */
  readonly cacheWriteTokens: number;
  /** Part of the output. */
  readonly reasoningTokens: number;
  /** Part of `cacheWriteTokens` that is kept for an hour. */
  readonly cacheWrite1hTokens?: number;
  /** Part of the input. */
  readonly inputAudioTokens?: number;
  /** Part of both `inputAudioTokens` and `cachedTokens`. */
  readonly cachedAudioTokens?: number;
  /** Part of the input, none of them audio. */
  readonly inputImageTokens?: number;
  /** Part of both `inputImageTokens` and `cachedTokens`. */
  readonly cachedImageTokens?: number;
  /** Part of the output. */
  readonly outputAudioTokens?: number;
  /** Part of the output. */
  readonly outputImageTokens?: number;
  /** Tokens of the provider's own image tool, which has a model of its own: beside the input, not in it. */
  readonly imageToolInputTokens?: number;
  /** The same of what it drew: beside the output. */
  readonly imageToolOutputTokens?: number;
  /** Chunks. */
  readonly inputImages?: number;
  readonly outputImages?: number;
  /** Searches that the provider ran and charges for; at xAI the sources used. */
  readonly webSearches?: number;
  /** Results of the gateway's searches that the model was given. No price depends on it. */
  readonly searchResults?: number;
  /** Searches of files that the provider keeps. */
  readonly fileSearches?: number;
  /** In which the provider ran programs. */
  readonly codeContainers?: number;
  /** Characters of text that was spoken. */
  readonly characters?: number;
  /** Seconds of audio, begun ones counted. */
  readonly seconds?: number;
  /** Calls that were made for one answer, where they are more than one: a long text is spoken in chunks. */
  readonly calls?: number;
  /** Bytes of speech that were delivered. Nobody charges for them. */
  readonly audioBytes?: number;
  /** The tier that was served, in our clients' words. */
  readonly serviceTier?: string;
  /** Cost that the provider reports, rounded up. */
  readonly reportedCost?: NanoUsd;
  /** True when the gateway counted because the provider did not say. */
  readonly estimated: boolean;
  /** The provider's own object. */
  readonly raw?: unknown;
}

/** A count as a provider told it, which may be anything. */
type Reported = number | null | undefined;

/** Counts as a wire told them, with our meaning but not yet possible ones. */
export type ReportedCounts =
  & {
    readonly [Field in keyof Omit<Usage, "serviceTier" | "reportedCost" | "estimated" | "raw">]?: Reported;
  }
  & Pick<Usage, "serviceTier" | "reportedCost" | "raw">
  & { readonly estimated?: boolean };

/** No request has more of anything; what a provider says beyond it is a fault of its counting. */
export const MAX_TOKENS = 100_000_000;

/** Makes a count of a reported number: a whole number from 0. What was begun counts whole, so nothing is free. */
export function toCount(reported: Reported): number {
  if (reported === null || reported === undefined || !(reported > 0)) return 0;
  return reported >= MAX_TOKENS ? MAX_TOKENS : Math.ceil(reported);
}

/** Whether a provider told a count: one below zero is nonsense, which is estimated rather than given away. */
export const isReported = (reported: Reported): reported is number =>
  typeof reported === "number" && reported >= 0;

/** A part cannot be more than what it is part of. */
const part = (reported: Reported, whole: number) => Math.min(toCount(reported), whole);

type Writable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] };

/** Counts that stand by themselves. */
const wholes = [
  "imageToolInputTokens",
  "imageToolOutputTokens",
  "inputImages",
  "outputImages",
  "webSearches",
  "searchResults",
  "fileSearches",
  "codeContainers",
  "characters",
  "seconds",
] as const;

/** Brings counts to what can be true: none is negative or a fraction, and no part is more than its whole. */
export function normalizeUsage(counts: ReportedCounts): Usage {
  const inputTokens = toCount(counts.inputTokens);
  const outputTokens = toCount(counts.outputTokens);
  const cachedTokens = part(counts.cachedTokens, inputTokens);
  const cacheWriteTokens = part(counts.cacheWriteTokens, inputTokens - cachedTokens);
  const usage: Writable<Usage> = {
    inputTokens,
    outputTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: part(counts.reasoningTokens, outputTokens),
    estimated: counts.estimated ?? false,
  };
  const cacheWrite1h = part(counts.cacheWrite1hTokens, cacheWriteTokens);
  if (cacheWrite1h > 0) usage.cacheWrite1hTokens = cacheWrite1h;
  giveMedia(usage, counts);
  for (const name of wholes) {
    const count = toCount(counts[name]);
    if (count > 0) usage[name] = count;
  }
  if (counts.serviceTier !== undefined) usage.serviceTier = counts.serviceTier;
  if (counts.reportedCost !== undefined) usage.reportedCost = counts.reportedCost;
  if (counts.raw !== undefined) usage.raw = counts.raw;
  return usage;
}

/** The same, in the tier that the provider reported elsewhere; `auto` is no tier but a preference. */
export function withServiceTier(
  usage: Usage | undefined,
  serviceTier: string | undefined,
): Usage | undefined {
  return usage === undefined || serviceTier === undefined || serviceTier === "auto"
    ? usage
    : { ...usage, serviceTier };
}

/**
 * Joins the usage of an answer that broke off: counts that its provider reported at its beginning are true of the
 * input and a guess of the output, so that the output is taken from the gateway's own `counted`. Counts of an end
 * stand.
 */
export function partialUsage(reported: Usage, counted: Usage): Usage {
  if (!reported.estimated) return reported;
  return normalizeUsage({
    ...reported,
    outputTokens: counted.outputTokens,
    reasoningTokens: counted.reasoningTokens,
    outputAudioTokens: 0,
    outputImageTokens: 0,
  });
}

const inputSide = [
  "inputTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "inputAudioTokens",
  "cachedAudioTokens",
  "inputImageTokens",
  "cachedImageTokens",
] as const;
const outputSide = ["outputTokens", "reasoningTokens", "outputAudioTokens", "outputImageTokens"] as const;

function side<Name extends keyof Usage>(usage: Usage, names: readonly Name[]): Pick<Usage, Name> {
  const counts: Partial<Pick<Usage, Name>> = {};
  for (const name of names) counts[name] = usage[name];
  return toSide(counts);
}

/** All names were given a value. */
const toSide = <Counts>(counts: Partial<Counts>): Counts => counts as Counts;

/**
 * The counts of one answer, of which some were told before and some later. They are cumulative and never fall: of
 * each side the greater hold, and where they are the same the later. Output that was told at the beginning is a guess.
 */
export function laterUsage(before: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (before === undefined || later === undefined) return later ?? before;
  const input = later.inputTokens < before.inputTokens ? before : later;
  const output = !before.estimated && later.outputTokens < before.outputTokens ? before : later;
  const fallen = wholes.filter((name) => (later[name] ?? 0) < (before[name] ?? 0));
  if (input === later && output === later && fallen.length === 0) return later;
  return normalizeUsage({
    ...later,
    ...side(input, inputSide),
    ...side(output, outputSide),
    ...side(before, fallen),
    raw: output.raw,
  });
}

/** The same, one or both sides of it as the gateway `counted` them. */
export function replaceCounts(
  reported: Usage,
  { counted, lacksInput, lacksOutput }: {
    readonly counted: Usage;
    readonly lacksInput: boolean;
    readonly lacksOutput: boolean;
  },
): Usage {
  return normalizeUsage({
    ...reported,
    ...(lacksInput ? side(counted, inputSide) : {}),
    ...(lacksOutput ? side(counted, outputSide) : {}),
    reasoningTokens: Math.max(reported.reasoningTokens, lacksOutput ? counted.reasoningTokens : 0),
    estimated: true,
  });
}

/** Tokens that are no text, of both sides: each a part of what is left of its whole. */
function giveMedia(usage: Writable<Usage>, counts: ReportedCounts): void {
  const { inputTokens, cachedTokens, outputTokens } = usage;
  const heard = part(counts.inputAudioTokens, inputTokens);
  const seen = part(counts.inputImageTokens, inputTokens - heard);
  const heardBefore = part(counts.cachedAudioTokens, Math.min(heard, cachedTokens));
  const seenBefore = part(counts.cachedImageTokens, Math.min(seen, cachedTokens - heardBefore));
  const speech = part(counts.outputAudioTokens, outputTokens);
  const drawn = part(counts.outputImageTokens, outputTokens - speech);
  if (heard > 0) usage.inputAudioTokens = heard;
  if (seen > 0) usage.inputImageTokens = seen;
  if (heardBefore > 0) usage.cachedAudioTokens = heardBefore;
  if (seenBefore > 0) usage.cachedImageTokens = seenBefore;
  if (speech > 0) usage.outputAudioTokens = speech;
  if (drawn > 0) usage.outputImageTokens = drawn;
}

/** Adds the usage of several answers; counts that are not the same kind of thing in all of them are left out. */
export function addUsage(some: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (some === undefined || more === undefined) return some ?? more;
  const sum: Writable<Usage> = {
    inputTokens: some.inputTokens + more.inputTokens,
    outputTokens: some.outputTokens + more.outputTokens,
    cachedTokens: some.cachedTokens + more.cachedTokens,
    cacheWriteTokens: some.cacheWriteTokens + more.cacheWriteTokens,
    reasoningTokens: some.reasoningTokens + more.reasoningTokens,
    estimated: some.estimated || more.estimated,
  };
  for (const name of optionalCounts) {
    const count = (some[name] ?? 0) + (more[name] ?? 0);
    if (count > 0) sum[name] = count;
  }
  return withServiceTier(sum, more.serviceTier);
}

const optionalCounts = [
  ...wholes,
  "cacheWrite1hTokens",
  "inputAudioTokens",
  "cachedAudioTokens",
  "inputImageTokens",
  "cachedImageTokens",
  "outputAudioTokens",
  "outputImageTokens",
  "calls",
  "audioBytes",
] as const;
