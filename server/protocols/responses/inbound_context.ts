/** What the renderer of the Responses wire must be told, since it may not look anything up itself. */

import type { Json } from "../../hub/item.ts";
import type { ResponseEcho } from "./echo.ts";

/** What is only known when the answer is over. */
export interface Settled {
  /** Unix seconds. */
  readonly completedAt: number;
  /** Keys added to the result object: routing metadata under the caller's name for it, and the like. */
  readonly extra: Json;
  /** Keys added to `usage`: cost, is_byok, server_tool_use_details. */
  readonly usage: Json;
}

export interface RenderContext {
  readonly echo: ResponseEcho;
  /** `resp_…`: the id of the response object. */
  readonly responseId: string;
  /** Goes into the ids of items that the provider did not name; unique for the response. */
  readonly suffix: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The model that answers, as the catalog names it; asked when the answer begins. */
  readonly model: () => string;
  /** Called once, right before the terminal event is rendered. */
  readonly settle: () => Settled;
  /** Upstream bodies to show before `response.created` (`debug.echo_upstream_body`). */
  readonly debugBodies: () => readonly Json[];
  /**
   * The client is openai's `.stream()` helper, which throws on event types it does not know
   * (wire-reference §10.4): those are left out.
   */
  readonly strictEvents: boolean;
  /** `include` values: they decide which optional fields are sent back. */
  readonly include: readonly string[];
}

/** An event as it goes over the wire. */
export type StreamEvent = { readonly type: string; readonly sequence_number: number } & Json;
