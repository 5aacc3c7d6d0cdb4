/** How a provider's stream is cut into frames, by its wire. */

import type { Framing } from "../protocols/wire.ts";
import { eventStreamSource } from "../stream/aws_event_stream.ts";
import { type ReadBytes, type SseFrame, type SseOptions, sseSource } from "../stream/sse.ts";
import type { Source } from "../stream/source.ts";

/** The content type that says so. */
export const streamTypes: { readonly [F in Framing]: string } = {
  "sse": "text/event-stream",
  "event-stream": "application/vnd.amazon.eventstream",
};

const sources: { readonly [F in Framing]: (read: ReadBytes, options: SseOptions) => Source<SseFrame> } = {
  "sse": sseSource,
  "event-stream": eventStreamSource,
};

export const framesOf = (framing: Framing, read: ReadBytes, options: SseOptions): Source<SseFrame> =>
  sources[framing](read, options);
