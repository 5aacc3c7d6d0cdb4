/** Interfaces of a wire: one for the side where clients call us, one for the side where we call. Pure. */

import type { ApiError, ApiErrorKind } from "../../shared/errors.ts";
import type { Usage } from "./canonical/usage.ts";
import type { DeveloperRole, HostTrait, ReasoningReplay } from "./canonical/endpoint_words.ts";
import type { AccountError, ModelEvent } from "./canonical/event.ts";
import type { JsonObject, WireId } from "./canonical/item.ts";
import type { ModelRequest } from "./canonical/request.ts";
import type { StateMachine } from "./stream/state_machine.ts";
import type { SseFrame } from "./stream/sse.ts";

export type { SseFrame };

/** Facts of the endpoint that a renderer may know: quirks are data, never code (providers/). */
export interface EndpointTraits {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  /** Unknown top-level keys of the client that this endpoint takes. */
  readonly passKeys: readonly string[];
  /** Parameters that the model's row lists (`supported_parameters`); absent: nothing is known. */
  readonly parameters?: readonly string[];
  /** The output cap to send, when one applies. */
  readonly maxOutputTokens?: number;
  /** The most that the model puts out, where it is known: some wires demand a cap, and refuse one above it. */
  readonly outputLimit?: number;
  /** Request keys of the wire that this endpoint refuses; they are left out. */
  readonly omit: readonly string[];
  /** Request keys that this endpoint spells otherwise (`max_completion_tokens` → `max_tokens`). */
  readonly rename: Readonly<Record<string, string>>;
  readonly developerRole: DeveloperRole;
  /** Where this endpoint wants an assistant's earlier reasoning back; absent: it wants none. */
  readonly reasoningReplay?: ReasoningReplay;
  /** Its words for efforts of reasoning that it calls otherwise or does not have. */
  readonly efforts?: Readonly<Record<string, string>>;
  /** Traits of its host, of its model and of the model's family; those of the wire come on top. */
  readonly traits?: readonly HostTrait[];
  /** Keys added to every request body (`stream_options` and the like). */
  readonly extraBody: JsonObject;
  /** End-user identity that may be sent: an HMAC, never the raw value. */
  readonly safetyIdentifier?: string;
}

/** Facts of the endpoint that a reader may know: the traits that its request was rendered with. */
export type ReadOptions = Pick<EndpointTraits, "traits">;

/** A call ready to be made. */
export interface RenderedRequest {
  /** Path below the provider's base URL, with a leading slash. */
  readonly path: string;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters that the target could not express and that were dropped, in words for the routing metadata. */
  readonly dropped: readonly string[];
}

/** An upstream's error answer, told in our words. `kind` decides what routing does next (promises §3). */
export interface ProviderError {
  readonly kind: ApiErrorKind;
  readonly message: string;
  /** The provider's own error code or type. */
  readonly code?: string;
  /** The request parameter that the provider blames. */
  readonly param?: string;
  /** True when another endpoint might take the same request (context length, unsupported parameter). */
  readonly endpointSpecific: boolean;
  /** Seconds, where the provider names them in the body and not in the header. */
  readonly retryAfter?: number;
  /** Set where the provider refuses the gateway, and not the request. */
  readonly account?: AccountError;
}

/** How a stream is cut into frames: text, or AWS's binary messages. */
export type StreamFraming = "sse" | "event-stream";

/** How to read the provider's usage counts from the state of `parseEvents` before the answer is over. */
interface UsageSoFar<State> {
  /** The latest counts in the wire's own form: another value whenever the provider sends new ones. */
  counts(state: State): unknown;
  /** The same as usage; undefined before the provider has sent any. */
  usage(state: State): Usage | undefined;
}

/** The side where we call. `State` is the wire's own. */
export interface Outbound<State> {
  readonly wire: WireId;
  /** Absent: `sse`. */
  readonly framing?: StreamFraming;
  renderRequest(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest;
  /**
   * A fold from the frames of the provider's stream to model events; the last of them is a finish or a failure.
   */
  parseEvents(
    request: ModelRequest,
    options?: ReadOptions,
  ): StateMachine<State, SseFrame, ModelEvent>;
  readonly usageSoFar: UsageSoFar<State>;
  /** A whole answer as the events that a stream would have brought. */
  parseResponse(body: unknown, request: ModelRequest, options?: ReadOptions): readonly ModelEvent[];
  /** `body` is the error answer's text, at most 64 KiB of it. */
  parseError(status: number, body: string): ProviderError;
  /** Where providers of this wire count the tokens of a request: what they are asked, and their answer's number. */
  renderCount?(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest;
  parseCount?(body: unknown): number | undefined;
}

/** Cost of an answer, in USD. */
export interface ReportedCost {
  /** Cost that the caller is charged. */
  readonly cost: number;
  /** Cost of the models at their providers, without tools and plugins; null where it is not known. */
  readonly upstreamCost: number | null;
  readonly inputCost: number;
  readonly outputCost: number;
  /** Cost of the provider's own tools. */
  readonly toolCost: number;
  /** The provider charges the caller itself. */
  readonly isByok: boolean;
  readonly webSearches: number;
  /** Calls of server tools that the model made, and those that ran. */
  readonly toolCallsRequested: number;
  readonly toolCallsExecuted: number;
}

/** Facts that are only known when the answer is over. */
export interface CompletionInfo {
  /** Unix seconds. */
  readonly completedAt: number;
  /** Keys added to the result: routing metadata under the caller's name for it, and the like. */
  readonly extra: JsonObject;
  /** Sentences on what of the request did not reach the model; the header `X-Tollgate-Notes` has them too. */
  readonly notes?: readonly string[];
  /** Keys added to `usage`: cost, is_byok, server_tool_use_details. */
  readonly usage: JsonObject;
}

/** Facts that a renderer is passed, since it may not look anything up itself. */
export interface InboundContext<Echo> {
  /** Fields of the request that the answer repeats, in the wire's own words. */
  readonly echo: Echo;
  /** The id of the answer, with the wire's own prefix. */
  readonly responseId: string;
  /** Goes into the ids of items that the provider did not name; unique for the answer. */
  readonly suffix: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The model that answers, as the catalog names it; asked when the answer begins. */
  readonly model: () => string;
  /** Called once, right before the terminal event is rendered. */
  readonly completionInfo: () => CompletionInfo;
  /** Upstream bodies to show (`debug.echo_upstream_body`): each is given out once, and not kept. */
  readonly takeDebugBodies: () => readonly JsonObject[];
  /**
   * The client is openai's `.stream()` helper, which throws on event types it does not know
   * (specification, Events .stream): those are left out.
   */
  readonly strictEvents: boolean;
  /** `include` values: they decide which optional fields are sent back. */
  readonly include: readonly string[];
}

export interface ParseOptions {
  /** The session that a header names; the body's own wins. */
  readonly sessionId?: string;
  /** The text of tokens of cl100k_base; absent where a body with tokens cannot be read. */
  readonly decodeTokens?: (tokens: readonly number[]) => string;
}

/** The side where clients call us. `Echo`, `State` and `Event` are the wire's own. */
export interface Inbound<Echo, State, Event> {
  /** Name of the API, as receipts have it. */
  readonly wire: WireId | "embeddings";
  /** Prefix of the answers' ids. */
  readonly idPrefix: string;
  /** Whether a body has tokens in the place of texts, so that `decodeTokens` is needed; absent: none has. */
  holdsTokens?(json: unknown): boolean;
  /** Throws ApiErrors that name what is wrong and what is allowed. */
  parseRequest(json: unknown, options: ParseOptions): { readonly request: ModelRequest; readonly echo: Echo };
  /** A fold whose last event is terminal, whatever it is fed. */
  renderEvents(context: InboundContext<Echo>): StateMachine<State, ModelEvent, Event>;
  /** The whole answer as one object: what the stream amounts to. */
  renderResponse(context: InboundContext<Echo>, events: readonly ModelEvent[]): JsonObject;
  /** Renders the cost of an answer in `usage`. */
  renderCost(billed: ReportedCost): JsonObject;
  /** An API error as the wire's clients expect it; `status` is the HTTP status it goes out with. */
  readonly renderError: RenderError;
  /** One event as one whole frame. */
  frame(event: Event): string;
  isLastEvent(event: Event): boolean;
  /** Follows the last frame. */
  readonly terminator: string;
}

export interface RenderErrorContext {
  readonly status: number;
  /** `req_…` */
  readonly requestId: string;
}

export type RenderError = (error: ApiError, reported: RenderErrorContext) => JsonObject;
