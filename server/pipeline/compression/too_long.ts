/** Words and counts of the API error of a request that does not fit into a model's context. */

import { isConversation } from "../../protocols/canonical/request.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { compressionMode } from "./compression_mode.ts";
import { outputTokens } from "./context_limits.ts";

/** Tells the caller how requests are made to fit, where this one does not ask for it. */
export const COMPRESSION_ADVICE =
  'The plugin context-compression (plugins: [{"id": "context-compression"}]) ' +
  "leaves out the middle of a conversation that is too long.";

interface Estimated {
  /** Tokens of the whole input, roughly. */
  readonly likelyTokens: number;
}

interface GrownInput {
  readonly endpoint: Endpoint;
  readonly requirements: Estimated & { readonly minimumTokens: number };
}

/** The counts, for `error.metadata`. */
export const contextCounts = (endpoint: Endpoint | undefined, { likelyTokens }: Estimated) => ({
  context_length: endpoint?.model.contextLength ?? null,
  input_tokens: likelyTokens,
});

interface TooLongInput {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly requirements: Estimated;
}

/** The request cannot be shortened enough. */
export function tooLongError({ request, endpoint, requirements }: TooLongInput): ApiError {
  const { model, provider } = endpoint;
  const message =
    `The request cannot be made short enough for ${model.id}, which takes ${model.contextLength} tokens at ` +
    `${provider.name}: about ${requirements.likelyTokens} are its input, of which instructions, tools, the last ` +
    `message and calls have to stay, and ${outputTokens(request, endpoint)} are kept for the answer.`;
  return new ApiError("context_length", message, {
    metadata: { path: "input", ...contextCounts(endpoint, requirements) },
  });
}

/** The input has grown beyond the context, and the request is sent as it is. */
export function grownTooLongError({ endpoint, requirements }: GrownInput): ApiError {
  const { model, provider } = endpoint;
  const message =
    `${provider.name} takes ${model.contextLength} tokens for ${model.id}, and the input is at least ` +
    `${requirements.minimumTokens} with what the plugins of the request have added. ${COMPRESSION_ADVICE}`;
  return new ApiError("context_length", message, {
    metadata: { path: "input", ...contextCounts(endpoint, requirements) },
  });
}

/** A provider's own error with the counts, and with the advice where the request was sent as it is. */
export function withContextCounts(
  error: ApiError,
  { request, endpoint, requirements }: TooLongInput,
): ApiError {
  if (error.kind !== "context_length") return error;
  const isWhole = compressionMode(request, endpoint) === undefined && isConversation(request);
  const { metadata } = error.details;
  return new ApiError(error.kind, isWhole ? `${error.message} ${COMPRESSION_ADVICE}` : error.message, {
    ...error.details,
    metadata: { ...contextCounts(endpoint, requirements), ...metadata },
  });
}
