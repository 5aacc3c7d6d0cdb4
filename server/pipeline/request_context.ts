/** The context that walks down the list of stages, and the response that comes back up. Types and composition only. */

import type { ToolOutput, ToolSource } from "./guardrails/text_slots/tool_output_shape.ts";
import type { Caller } from "../../shared/keys.ts";
import type { UsedPreset } from "../../shared/presets/records.ts";
import type { Usage } from "../protocols/canonical/usage.ts";
import type { OutputEvent } from "../protocols/canonical/event.ts";
import type { JsonObject } from "../protocols/canonical/item.ts";
import type { ModelRequest } from "../protocols/canonical/request.ts";
import type { BillingContext, LedgerTransaction, ReservationRequest } from "../billing/ledger/core/ledger.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import type { PluginUse } from "./plugins/plugin_use.ts";
import type { RouteCandidate } from "./routing/selection/endpoint_order.ts";
import type { Variant } from "./routing/selection/model_names.ts";
import type { RenderedSpeechRequest } from "../speech/dialect.ts";
import type { CancelSignal } from "../one_shot_signal.ts";
import type { Source } from "../protocols/stream/source.ts";
import type { RequestTrace } from "./request_trace.ts";
import type { CacheUse } from "./response_cache/cache_use.ts";
import type { CallRecord, RequestRecord, StageRecord } from "./request_record.ts";

/** Every method throws an ApiError (`blocked`) where a filter blocks, or cannot tell. */
export interface RequestGuard {
  /** The request as it may be sent. What was read before is not read again. */
  readRequest(request: ModelRequest): ModelRequest | Promise<ModelRequest>;
  /** The same of a request with which a provider is called: what cannot be read of it is counted, or blocked. */
  readCall(request: ModelRequest): ModelRequest | Promise<ModelRequest>;
  /** The response as it may go on. A block before anything of it is out is thrown, a later one ends it. */
  readResponse(response: ModelResponse, context: RequestContext): Promise<ModelResponse>;
  /** Reads a provider's error text, which may repeat the request. Throws nothing. */
  readErrorText(text: string): string;
  /** Reads the results of a server tool or a plugin, before the client or the model see them. */
  readToolOutput<T extends ToolOutput>(output: T, from: ToolSource): T | Promise<T>;
}

/** The guard of a request by the guardrails of now; undefined where they have no content filters. */
export interface RequestGuards {
  /** At once where the caller's rules are in memory. Rejects with an ApiError where they cannot be told. */
  current(): RequestGuard | undefined | Promise<RequestGuard | undefined>;
  /** The one that `current` gave last: for what belongs to a call that is made already. */
  readonly latest: RequestGuard | undefined;
}

export type { Caller, CallRecord, RequestRecord, StageRecord };

/** How to read the usage that the provider of a call under way has reported so far. */
export interface UsageReader {
  /** Another value whenever the provider sends new counts. */
  counts(): unknown;
  usage(): Usage | undefined;
}

/** A report of `call` to `billing` about a call under way. */
export interface ReportedUsage {
  /** Set once the provider's stream is being read. */
  reader?: UsageReader;
  /** The request has begun to go out. Absent where nobody can tell. */
  isSent?: boolean;
  /** The head of an answer has come. */
  hasBegun?: boolean;
  /** Whether the gateway has cut the call itself: a deadline, an abort, a disconnect. Set once it is made. */
  wasCut?: () => boolean;
}

/** The origin of a request, as far as the edge knows it. */
export interface RequestOrigin {
  /** The API: `responses`, `chat`, `messages`, `speech`. */
  readonly api: string;
  readonly referer?: string;
  readonly appTitle?: string;
  readonly userAgent?: string;
  /** The header by which the client names its own trace. */
  readonly traceparent?: string;
}

/** A request as its provider is to get it. */
export interface ProviderRequest {
  /** Path below the provider's base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** The body as it is sent: JSON, unless `headers` say otherwise. */
  readonly text: string;
  /** Instead of `text`, where the body is not text. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Request for speech, which is needed to read its answer. */
  readonly speech?: RenderedSpeechRequest;
  /** Parameters that the target could not express, in words for the routing metadata. */
  readonly dropped: readonly string[];
}

interface RequestIds {
  /** `gen-…`, exposed as X-Generation-Id. */
  readonly generation: string;
  readonly request: string;
}

/** The part of a plugin that depends on the endpoint. */
export interface CandidatePlugin {
  /** The candidates that can serve; absent: all. Throws an ApiError where none can. */
  choose?(candidates: readonly RouteCandidate[]): readonly RouteCandidate[];
  /**
   * The request as the endpoint of the context gets it, in every turn. What it adds is read by the guardrails.
   * Throws, or rejects with, an ApiError.
   */
  edit(context: RequestContext, costOf: CallCost): ModelRequest | Promise<ModelRequest>;
}

/** Money that the endpoint's call would need for a request; undefined where nobody limits it. */
export type CallCost = (request: ModelRequest) => ReservationRequest | undefined;

/** A response of the cache that may answer the request. */
export interface KeptAnswer {
  /** The one that gave it. */
  readonly endpoint: Endpoint;
  /** To be called where that one may serve the request. */
  give(): ModelResponse;
}

export interface RequestContext {
  /** Characters of the body that it came in. */
  readonly size?: number;
  readonly request: ModelRequest;
  /** The preset that filled it in; absent where it named none. */
  readonly preset?: UsedPreset;
  readonly caller: Caller;
  readonly ids: RequestIds;
  readonly clientDisconnect: CancelSignal;
  readonly record: RequestRecord;
  /** Record of this call, a part of `record`. */
  readonly call: CallRecord;
  /** Milliseconds of the monotonic clock when the request came in. */
  readonly startedAt: number;
  readonly origin?: RequestOrigin;
  /** Where the request's body names files of the gateway: field by file id, for errors. */
  readonly fileFields?: ReadonlyMap<string, string>;
  /** Absent where the response cache is off for the request. */
  readonly cacheUse?: CacheUse;
  /** Set by `response_cache`. */
  readonly kept?: KeptAnswer;
  /** Set by `input_guardrails`. */
  readonly guards?: RequestGuards;
  /** Spans of the request; absent where traces are off. Set by `receipt`, as the next ones. */
  readonly trace?: RequestTrace;
  readonly billing?: BillingContext;
  readonly transaction?: LedgerTransaction;
  /**
   * Throws, or rejects, where by now the caller may not make the call: asked once its money is reserved. Set by
   * `receipt` for the request, and by `route` for an endpoint.
   */
  readonly verify?: () => void | Promise<void>;
  /** Runs of models by tools that the request, or the call, is a part of; absent: none. */
  readonly runDepth?: number;
  /** A tool of the gateway makes the call for itself: the client does not see the response. */
  readonly isNested?: true;
  /** Where an earlier turn was answered: it is asked first. */
  readonly preferredEndpoint?: Endpoint;
  /** Plugins that are on for the request, in the order in which they run. Set by `plugins`, as the next one. */
  readonly plugins?: readonly PluginUse[];
  readonly candidatePlugins?: readonly CandidatePlugin[];
  /** Set by `route`. */
  readonly endpoint?: Endpoint;
  /** Variants of the model's name by which the endpoint was found. Set by `route`. */
  readonly variants?: ReadonlySet<Variant>;
  /** Another endpoint may be asked where this one fails. Set by `route`. */
  readonly hasFallback?: boolean;
  /** Set by `billing`. */
  readonly providerRequest?: ProviderRequest;
  /** Set by `billing`, filled by `call`. */
  readonly reported?: ReportedUsage;
  /** Told the rendered upstream body of every attempt, when the caller asked to see it (`debug`). */
  readonly onUpstreamBody?: (body: Readonly<Record<string, unknown>>) => void;
}

/**
 * An answer that has begun: its first batch is there, so a failure from now on is an event, not an exception.
 * `source` never throws.
 */
export interface ModelResponse {
  readonly endpoint: Endpoint;
  readonly source: Source<OutputEvent>;
}

export type Handler = (context: RequestContext) => Promise<ModelResponse>;
export type Stage = (next: Handler) => Handler;

/** Composes stages, first in the list outermost. */
export function composeStages(stages: readonly Stage[], innermost: Handler): Handler {
  return stages.reduceRight<Handler>((next, stage) => stage(next), innermost);
}
