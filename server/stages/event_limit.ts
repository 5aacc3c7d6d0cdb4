/** How large one event of a provider's stream may be before anything of the response is delivered. */

import type { ProviderRequest, RequestContext } from "../pipeline/request_context.ts";

const MIB = 1024 * 1024;

/**
 * Providers repeat the request's instructions and tools in their first and last events (faults U11). Image deltas
 * are whole images in base64, and some models draw without being asked to.
 */
export function maxEventBytesFor(
  { request, endpoint }: RequestContext,
  { bytes, text }: ProviderRequest,
): number {
  const kinds = [...request.modalities ?? [], ...endpoint?.model.outputModalities ?? []];
  const images = kinds.includes("image") || request.tools.some(isImageTool);
  return (images ? 16 * MIB : MIB) + (bytes?.length ?? text.length);
}

const isImageTool = (tool: RequestContext["request"]["tools"][number]) =>
  (tool.type === "hosted" || tool.type === "server") && tool.kind === "image_generation";
