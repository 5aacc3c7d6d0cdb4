/** How a provider's stream is cut into frames, by its wire. */

import type { StreamFraming } from "../protocols/wire.ts";
import { awsEventStreamSource } from "../stream/aws_event_stream.ts";
import { type ReadBytes, type SseFrame, type SseOptions, sseSource } from "../stream/sse.ts";
import type { Source } from "../stream/source.ts";
import type { ProviderRequest, RequestContext } from "../pipeline/request_context.ts";

/** The content type that says so. */
export const streamContentTypes: { readonly [F in StreamFraming]: string } = {
  "sse": "text/event-stream",
  "event-stream": "application/vnd.amazon.eventstream",
};

const sources: { readonly [F in StreamFraming]: (read: ReadBytes, options: SseOptions) => Source<SseFrame> } =
  {
    "sse": sseSource,
    "event-stream": awsEventStreamSource,
  };

export const decodeFrames = (
  framing: StreamFraming,
  read: ReadBytes,
  options: SseOptions,
): Source<SseFrame> => sources[framing](read, options);

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
