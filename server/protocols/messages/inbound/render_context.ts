/** Values that pass through the renderer of the messages API. */

import type { JsonObject } from "../../canonical/item.ts";
import type { InboundContext } from "../../wire.ts";

/** Facts of the request that its answer needs. */
export interface MessagesResponseOptions {
  /** The caller wants thoughts sealed only (`thinking.display: "omitted"`). */
  readonly omitReasoning: boolean;
}

export type MessagesContext = InboundContext<MessagesResponseOptions>;

/** An event as it goes over the wire, under its own name. */
export type MessagesStreamEvent = { readonly type: string } & JsonObject;
