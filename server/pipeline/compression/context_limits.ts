/** How much of a conversation an endpoint takes: tokens beside the response, and messages. */

import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";

export interface InputLimits {
  /** Tokens of everything that is sent; Infinity where nobody tells the context. */
  readonly tokens: number;
  /** Messages as the provider counts them; Infinity where it takes any number. */
  readonly messages: number;
}

/** Cap of an answer that the Messages wire sends where neither the caller nor the catalog names one. */
const MESSAGES_CAP = 8_192;
/** Room for an answer that no cap bounds. */
export const USUAL_ANSWER = 4_096;
/** Tokens that a provider may add to a prompt: its template. */
const TEMPLATE = 256;
/** More messages are refused by Anthropic. */
export const ANTHROPIC_MESSAGES = 1_000;

export function inputLimits(request: ModelRequest, endpoint: Endpoint): InputLimits {
  const { model: { contextLength }, provider, upstreamModel } = endpoint;
  const messages = provider.wire === "messages" || /claude/i.test(upstreamModel)
    ? ANTHROPIC_MESSAGES
    : Infinity;
  if (contextLength === null) return { tokens: Infinity, messages };
  const share = Math.floor(contextLength / 32);
  // Counts of another tokenizer than the model's own may be too low.
  const slack = Math.min(TEMPLATE, share) + (endpoint.model.tokenizer === "GPT" ? 0 : share);
  return { tokens: Math.max(0, contextLength - outputTokens(request, endpoint) - slack), messages };
}

/**
 * Tokens that are left to the answer. A cap that leaves nearly nothing of the context to the prompt is one that the
 * provider itself has to lower, so it counts as none.
 */
export function outputTokens(
  { maxOutputTokens }: Pick<ModelRequest, "maxOutputTokens">,
  { model, provider, maxOutputTokens: limit }: Endpoint,
): number {
  const context = model.contextLength ?? Infinity;
  const usual = Math.min(USUAL_ANSWER, Math.floor(context / 4));
  const sent = maxOutputTokens ?? (provider.wire === "messages" ? limit ?? MESSAGES_CAP : usual);
  const capped = Math.min(sent, limit ?? Infinity);
  return capped <= context - Math.floor(context / 8) ? capped : usual;
}
