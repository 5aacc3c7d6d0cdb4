/** The plugin context-compression: it acts for each endpoint that is tried, in `stages/fit_context.ts`. */

import type { Compression } from "../compression/compress_request.ts";
import { compressionMode } from "../compression/compression_mode.ts";
import { fitRequest } from "../compression/fit_request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { PluginDefinition } from "./plugin.ts";
import type { PluginOptions } from "./plugin_use.ts";

export const contextCompression: PluginDefinition<PluginOptions<"context-compression">> = {
  impliedBy: (request, endpoint) =>
    endpoint !== undefined && compressionMode(request, endpoint) === "middle-out"
      ? { id: "context-compression" }
      : undefined,
  explain: async (_use, { request, endpoint, deps }) => {
    if (endpoint === undefined) return "fit the request into the context of the model that is called";
    const mode = compressionMode(request, endpoint);
    if (mode === undefined) return `do nothing: ${endpoint.model.id} puts out images only`;
    if (mode === "oldest-first") return "do nothing: truncation auto leaves out the oldest messages instead";
    return describe(await fitRequest(deps, { request, endpoint, mode }), endpoint);
  },
};

function describe(compression: Compression, { model: { id, contextLength } }: Endpoint): string {
  const context = contextLength === null
    ? `the context of ${id}, which is not known`
    : `the ${contextLength} tokens of ${id}`;
  switch (compression.type) {
    case "fits":
      return `send the request as it is: it fits into ${context}`;
    case "too_long":
      return `pass ${id} over: the request cannot be made to fit into ${context}`;
    case "compressed": {
      const { original, compressed, shortened } = compression;
      const texts = shortened === 0 ? "" : `, ${shortened} of them without the middle of their text`;
      return `send ${compressed} of ${original} messages${texts}, to fit into ${context}`;
    }
    default:
      return compression satisfies never;
  }
}
