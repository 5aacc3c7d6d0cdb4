/** Values that pass through the renderer of the chat API. */

import type { JsonObject } from "../../canonical/item.ts";
import type { InboundContext } from "../../wire.ts";

/** Facts of the request that its answer needs. */
export interface ChatResponseOptions {
  /** The caller does not want to see the model's thoughts. */
  readonly hideReasoning: boolean;
}

export type ChatContext = InboundContext<ChatResponseOptions>;

/** A chunk of the stream; nothing follows the last one but the terminator. */
export interface ChatChunk {
  readonly last: boolean;
  readonly body: JsonObject;
}
