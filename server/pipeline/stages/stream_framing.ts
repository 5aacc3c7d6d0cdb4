/** How a provider's stream is cut into frames, by its wire. */

import type { StreamFraming } from "../../protocols/wire.ts";
import { awsEventStreamSource } from "../../protocols/stream/aws_event_stream.ts";
import { type ReadBytes, type SseFrame, type SseOptions, sseSource } from "../../protocols/stream/sse.ts";
import type { Source } from "../../protocols/stream/source.ts";

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
