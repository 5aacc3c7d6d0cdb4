/** Whether a request's conversation may be shortened to fit into a model's context, and how. */

import { isConversation } from "../../protocols/canonical/request.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";

/**
 * `middle-out`: the plugin, which takes the middle of the conversation, then the middle of the longest texts.
 * `oldest-first`: `truncation: "auto"`.
 */
export type CompressionMode = "middle-out" | "oldest-first";

/** Contexts up to this many tokens are compressed for unless the request says otherwise. */
export const SMALL_CONTEXT = 8_192;

/** The part of a request that decides. */
export type ModeInput = Pick<ModelRequest, "plugins" | "truncation" | "speech" | "embeddings">;

/** How the request says it itself, for every endpoint alike; undefined where it leaves that to the endpoint. */
function requestedMode({ plugins, truncation }: ModeInput): CompressionMode | "none" | undefined {
  if (truncation === "auto") return "oldest-first";
  const plugin = plugins.find(({ id }) => id === "context-compression");
  if (plugin?.id === "context-compression") return plugin.enabled === false ? "none" : "middle-out";
  return truncation === "disabled" ? "none" : undefined;
}

/** Undefined where the request goes to the endpoint as it is. */
export function compressionMode(request: ModeInput, endpoint: Endpoint): CompressionMode | undefined {
  const { contextLength } = endpoint.model;
  const isSmall = contextLength !== null && contextLength <= SMALL_CONTEXT;
  const { plugins, truncation } = request;
  // Most requests say nothing, and most contexts are large.
  if (!isSmall && plugins.length === 0 && truncation !== "auto") return undefined;
  const requested = requestedMode(request) ?? (isSmall ? "middle-out" : "none");
  if (requested === "none" || !isConversation(request) || drawsOnly(endpoint)) return undefined;
  return requested;
}

const drawsOnly = ({ model: { outputModalities } }: Endpoint): boolean =>
  outputModalities.length > 0 && outputModalities.every((kind) => kind === "image");

/** The provider itself leaves out the oldest, by counts that are its own. The built-in provider takes the field only. */
export const trimsItself = (mode: CompressionMode, { provider }: Endpoint): boolean =>
  mode === "oldest-first" && provider.wire === "responses" && provider.builtIn !== true &&
  provider.quirks.omit?.includes("truncation") !== true;
