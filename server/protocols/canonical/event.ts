/**
 * The events of a model, in the one form that every provider wire is parsed into (ARCHITECTURE.md, Life of a request).
 */

import type { ApiErrorKind } from "../../../shared/errors.ts";
import type { Usage } from "./usage.ts";
import type { Annotation, JsonObject, Logprob, OutputItem, WireExtra, WireId } from "./item.ts";

/** Names an item within one answer: the provider's output index, or a word of the wire's own. */
export type ItemKey = string | number;

export type FinishReason = "stop" | "length" | "content_filter";

/** How a provider refuses the gateway itself: its key, its account's money, or its access to a model or from a place. */
export type AccountError = "credentials" | "funds" | "access";

/** Why an answer broke off. `kind` gives the status while none is out yet, `code` is the provider's own word. */
export interface Failure {
  readonly kind: ApiErrorKind;
  readonly message: string;
  readonly code?: string;
  /** Seconds, when the provider named them. */
  readonly retryAfter?: number;
  /** Another endpoint might take the same request. */
  readonly endpointSpecific?: boolean;
  /** Set where the provider refuses the gateway, and not the request. */
  readonly account?: AccountError;
  /** Goes into `error.metadata`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The provider took the call. `extra` holds response-level fields that only its wire knows. */
export interface BeginEvent {
  readonly type: "begin";
  readonly upstreamId?: string;
  readonly model?: string;
  /** Where the provider counts at the beginning: true of the input, and a guess of the output. */
  readonly usage?: Usage;
  /** Format of the raw samples of speech. */
  readonly audio?: { readonly sampleRate: number; readonly channels: number };
}

/** An item opens; texts and arguments in it are empty or missing. */
export interface ItemEvent {
  readonly type: "item";
  readonly itemKey: ItemKey;
  readonly item: OutputItem;
}

/** A chunk of a message's text or refusal, a thought, or a thought's summary. Parts of an item go up from 0. */
export interface TextEvent {
  readonly type: "text" | "refusal" | "thought" | "summary";
  readonly itemKey: ItemKey;
  readonly part: number;
  readonly delta: string;
  readonly logprobs?: readonly Logprob[];
  readonly extra?: WireExtra;
}

/** A chunk of a call's arguments (function) or input (custom tool). */
export interface ArgumentsEvent {
  readonly type: "arguments";
  readonly itemKey: ItemKey;
  readonly delta: string;
  readonly extra?: WireExtra;
}

export interface AnnotationEvent {
  readonly type: "annotation";
  readonly itemKey: ItemKey;
  readonly part: number;
  readonly annotation: Annotation;
  /** Number, from 0, of the cited passage among those that the model was given. */
  readonly passage?: number;
  readonly extra?: WireExtra;
}

/**
 * An item closes. With `item` the provider told the whole item once more; it completes what was streamed and
 * never takes back what the client has seen.
 */
export interface ItemDoneEvent {
  readonly type: "item_done";
  readonly itemKey: ItemKey;
  readonly item?: OutputItem;
}

/** An event of one wire that the canonical model has no words for; `at` where it belongs to an item. */
export interface PassthroughEvent {
  readonly type: "foreign";
  readonly wire: WireId;
  readonly itemKey?: ItemKey;
  readonly value: { readonly type: string } & JsonObject;
}

/**
 * The answer is over as the provider meant it; items still open were cut short, which only a `reason` other than
 * `stop` allows. `extra`: response-level fields that only its wire knows.
 */
export interface FinishEvent {
  readonly type: "finish";
  readonly reason: FinishReason;
  readonly usage?: Usage;
  readonly serviceTier?: string;
  readonly extra?: WireExtra;
}

/** The answer broke off. Nothing follows. */
export interface FailureEvent {
  readonly type: "failure";
  readonly failure: Failure;
  readonly usage?: Usage;
  /** The client gets what was made before, in a whole response too. Set by the stage `receipt`. */
  readonly partial?: true;
}

/** A chunk of speech, in the format that the client asked for. Stands in answers to speech requests only. */
interface AudioEvent {
  readonly type: "audio";
  readonly bytes: Uint8Array;
  /** Length of the audio that the provider has delivered so far, in seconds. */
  readonly seconds: number;
  /** Characters that have been given to the provider so far, and calls in which they were. */
  readonly characters: number;
  readonly calls: number;
}

/** The parts of an answer: the events of a model, or chunks of speech between a beginning and an end. */
export type OutputEvent = ModelEvent | AudioEvent;

export type ModelEvent =
  | BeginEvent
  | ItemEvent
  | TextEvent
  | ArgumentsEvent
  | AnnotationEvent
  | ItemDoneEvent
  | PassthroughEvent
  | FinishEvent
  | FailureEvent;
