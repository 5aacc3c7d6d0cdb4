/** Values that pass through the renderer of the Responses wire. */

import type { JsonObject } from "../../canonical/item.ts";
import type { InboundContext } from "../../wire.ts";
import type { ResponseEcho } from "./echo.ts";

export type RenderContext = InboundContext<ResponseEcho>;

/** An event as it goes over the wire. */
export type ResponsesStreamEvent = { readonly type: string; readonly sequence_number: number } & JsonObject;
