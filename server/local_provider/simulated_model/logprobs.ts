/** Log probabilities for tokens: invented, but plausible and always the same for the same text. */

import type { SimulatorRequest } from "./parse_request.ts";
import type { Chunk } from "../../billing/tokenizer/tokens.ts";

interface LogprobEntry {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

export interface TokenLogprob extends LogprobEntry {
  readonly top_logprobs: readonly LogprobEntry[];
}

/** How many alternatives a caller wants beside each token; undefined when it wants no log probabilities. */
export function requestedLogprobs(requested: SimulatorRequest): number | undefined {
  const count = requested.top_logprobs ?? 0;
  return count > 0 || requested.include?.includes("message.output_text.logprobs") ? count : undefined;
}

/** The chosen token has most of the probability, the others share what is left, each half of the one before. */
export function simulateLogprob(chunk: Chunk, count: number): TokenLogprob {
  const chosen = 0.6 + 0.39 * (hashOf(chunk.text) % 1_000) / 1_000;
  const others = Array.from(
    { length: Math.max(0, count - 1) },
    (_, n) => entry(alternative(chunk.text, n), (1 - chosen) / 2 ** (n + 1)),
  );
  const first = entry(chunk.text, chosen);
  return { ...first, top_logprobs: count > 0 ? [first, ...others] : [] };
}

function entry(token: string, probability: number): LogprobEntry {
  return { token, logprob: Math.log(probability), bytes: [...new TextEncoder().encode(token)] };
}

const words = "the a of and to in is it that for on with as was at by this be from or".split(" ");

/** Alternatives are all different, and none is the token itself. */
function alternative(token: string, n: number): string {
  const word = words[(hashOf(token) + n) % words.length] ?? "";
  const spaced = token.startsWith(" ") ? ` ${word}` : word;
  return spaced === token ? `${spaced}s` : spaced;
}

function hashOf(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) % 1_000_003;
  return hash;
}
