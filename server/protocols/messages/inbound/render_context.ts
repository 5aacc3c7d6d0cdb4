/** What passes through the renderer of the messages door. */

import type { Json } from "../../../canonical/item.ts";
import type { InboundContext } from "../../wire.ts";

/** What the answer must know of its request. */
export interface MessagesEcho {
  /** The caller wants thoughts sealed only (`thinking.display: "omitted"`). */
  readonly omitThoughts: boolean;
}

export type MessagesContext = InboundContext<MessagesEcho>;

/** An event as it goes over the wire, under its own name. */
export type StreamEvent = { readonly type: string } & Json;
