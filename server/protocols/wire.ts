/** What a wire is: one interface for the side where clients call us, one for the side where we call. Pure. */

import type { RefusalKind } from "../../shared/errors.ts";
import type { ModelEvent } from "../hub/event.ts";
import type { Json, WireId } from "../hub/item.ts";
import type { ModelRequest } from "../hub/request.ts";
import type { Machine } from "../stream/machine.ts";
import type { SseFrame } from "../stream/sse.ts";

export type { SseFrame };

/** What a renderer may know of the endpoint it renders for: quirks are data, never code (providers/). */
export interface EndpointTraits {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  /** Unknown top-level keys of the client that this endpoint takes. */
  readonly passKeys: readonly string[];
  /** The output cap to send, when one applies. */
  readonly maxOutputTokens?: number;
  /** Request keys of the wire that this endpoint refuses; they are left out. */
  readonly omit: readonly string[];
  /** Request keys that this endpoint spells otherwise (`max_completion_tokens` → `max_tokens`). */
  readonly rename: Readonly<Record<string, string>>;
  /** Role used for developer messages: many compatible servers know only `system`. */
  readonly developerRole: "developer" | "system";
  /** Where this endpoint wants an assistant's earlier reasoning back; absent: it wants none. */
  readonly reasoningReplay?: "reasoning_content" | "reasoning" | "reasoning_details";
  /** Keys added to every request body (`stream_options` and the like). */
  readonly extraBody: Json;
  /** End-user identity that may be sent: an HMAC, never the raw value. */
  readonly safetyIdentifier?: string;
}

/** A call ready to be made. */
export interface RenderedCall {
  /** Path below the provider's base URL, with a leading slash. */
  readonly path: string;
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the target could not express and was dropped, in words for the routing metadata. */
  readonly dropped: readonly string[];
}

/** An upstream's error answer, told in our words. `kind` decides what routing does next (promises §3). */
export interface UpstreamError {
  readonly kind: RefusalKind;
  readonly message: string;
  /** The provider's own error code or type. */
  readonly code?: string;
  /** The request parameter that the provider blames. */
  readonly param?: string;
  /** True when another endpoint might take the same request (context length, unsupported parameter). */
  readonly endpointSpecific: boolean;
}

/** The side where we call. `State` is the wire's own. */
export interface Outbound<State> {
  readonly wire: WireId;
  renderRequest(request: ModelRequest, endpoint: EndpointTraits): RenderedCall;
  /** A fold from the frames of the provider's stream to model events; the last of them is a finish or a failure. */
  parseEvents(request: ModelRequest): Machine<State, SseFrame, ModelEvent>;
  /** A whole answer as the events that a stream would have brought. */
  parseAnswer(body: unknown, request: ModelRequest): readonly ModelEvent[];
  /** `body` is the error answer's text, at most 64 KiB of it. */
  parseError(status: number, body: string): UpstreamError;
}
