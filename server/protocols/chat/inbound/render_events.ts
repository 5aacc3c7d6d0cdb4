/**
 * Model events → the chunks of POST /chat/completions: the role first, then chunks, the finish reason on a chunk
 * of its own, usage on the last one (OpenAI's order; the dialect of reasoning is OpenRouter's).
 */

import { apiErrorKinds } from "../../../../shared/errors.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { FailureEvent, FinishEvent, ModelEvent } from "../../canonical/event.ts";
import type {
  Annotation,
  JsonObject,
  OutputItem,
  PassthroughItem,
  ServerToolCall,
  ToolCallItem,
} from "../../canonical/item.ts";
import { type StateMachine, stepByType } from "../../stream/state_machine.ts";
import { orderEvents, type OrderState } from "../../common/inbound/event_order.ts";
import type { ChatChunk, ChatContext } from "./render_context.ts";
import {
  type ChoiceDelta,
  renderAnnotations,
  renderCallDelta,
  renderCallStart,
  renderImageItem,
  renderTextDelta,
  renderToolDetail,
} from "./render_deltas.ts";
import {
  initialReasoning,
  openReasoning,
  type ReasoningState,
  renderReasoningDelta,
  renderSignature,
} from "./render_reasoning.ts";
import { renderUsage } from "./render_usage.ts";
import type { OrderedEvent, OrderedTextEvent } from "../../common/inbound/item_assembly.ts";

export interface RenderState {
  readonly context: ChatContext;
  readonly order: OrderState;
  readonly started: boolean;
  /** Calls that were opened. */
  readonly calls: number;
  /** The call that is open. */
  readonly call?: ToolCallItem;
  readonly thinking: ReasoningState;
  /** Whether anything stands before the thoughts that are open or have just ended. */
  readonly follows: boolean;
  /** Thoughts that have ended, and whose seal waits for the call that may come. */
  readonly ended?: OutputItem;
  /** Annotations so far. Clients keep the last delta that has any, so one has all of them. */
  readonly annotations: readonly Annotation[];
}

type Step = readonly [RenderState, readonly ChatChunk[]];

/** The renderer of one answer; its last chunk is marked as such. */
export function renderEvents(context: ChatContext): StateMachine<RenderState, ModelEvent, ChatChunk> {
  const order = orderEvents(context.suffix);
  const initial = {
    context,
    order: order.initial,
    started: false,
    calls: 0,
    thinking: initialReasoning,
    follows: false,
    annotations: [],
  };
  return {
    initial,
    step: (state, event) => {
      const [next, events] = order.step(state.order, event);
      return renderOrdered({ ...state, order: next }, events);
    },
    finish: (state) => renderOrdered(state, order.finish?.(state.order) ?? [])[1],
  };
}

function renderOrdered(state: RenderState, events: readonly OrderedEvent[]): Step {
  let next = state;
  const chunks: ChatChunk[] = [];
  for (const event of events) {
    for (const step of [tellSeal, tellAnnotations, handle]) {
      const [after, some] = step(next, event);
      next = after;
      chunks.push(...some);
    }
  }
  return [next, chunks];
}

/**
 * The seal of thoughts that have ended. Where something stands before them, the call right behind them is named, so that
 * they come back to their place.
 */
function tellSeal({ ended, ...state }: RenderState, event: OrderedEvent): Step {
  if (ended === undefined) return [state, []];
  const call = event.type === "open" && event.item.type === "call" && state.follows ? event.item : undefined;
  const [thinking, delta] = renderSignature(state.thinking, { item: ended, callId: call?.callId });
  return shown({ ...state, thinking, follows: true }, delta);
}

/** They stand behind everything else that the answer says. */
function tellAnnotations(state: RenderState, { type }: OrderedEvent): Step {
  const { annotations } = state;
  if (annotations.length === 0 || (type !== "finish" && type !== "failure")) return [state, []];
  return emit({ ...state, annotations: [] }, { delta: renderAnnotations(annotations) });
}

const handle = stepByType<RenderState, OrderedEvent, ChatChunk>({
  open,
  text: (state, event) => emit(state, renderTextDelta(event)),
  refusal: (state, event) => emit(state, renderTextDelta(event)),
  thought,
  summary: thought,
  arguments: (state, { delta }) =>
    state.call === undefined
      ? [state, []]
      : emit(state, { delta: renderCallDelta(state.call, { index: state.calls - 1, delta }) }),
  annotation: (state, { annotation }) => [
    { ...state, annotations: [...state.annotations, annotation] },
    [],
  ],
  close: (state, { item }) => close(state, item),
  foreign: (state) => [state, []],
  finish,
  failure,
});

function open(state: RenderState, { item }: { readonly item: OutputItem }): Step {
  if (item.type === "reasoning") return [{ ...state, thinking: openReasoning(state.thinking, item) }, []];
  if (item.type !== "call") return [{ ...state, follows: true }, []];
  const opened = { ...state, call: item, calls: state.calls + 1, follows: true };
  return emit(opened, { delta: renderCallStart(item, state.calls) });
}

function thought(state: RenderState, event: OrderedTextEvent): Step {
  const [thinking, delta] = renderReasoningDelta(state.thinking, event);
  return shown({ ...state, thinking }, delta);
}

/** A delta of thoughts, unless the caller does not want to see them. */
const shown = (state: RenderState, delta: JsonObject): Step =>
  state.context.echo.hideReasoning ? [state, []] : emit(state, { delta });

function close(state: RenderState, item: OutputItem): Step {
  switch (item.type) {
    case "message":
      return [state, []];
    case "call":
      return [{ ...state, call: undefined }, []];
    case "reasoning":
      return [{ ...state, ended: item }, []];
    case "foreign":
      return closePassthrough(state, item);
    default:
      return item satisfies never;
  }
}

function closePassthrough(state: RenderState, item: PassthroughItem): Step {
  if (item.call?.forClient === true) return clientCall(state, item.call);
  const [pictured, chunks] = emit(state, { delta: renderImageItem(item) });
  const detail = renderToolDetail(item, pictured.thinking.index);
  const index = pictured.thinking.index + ("reasoning_details" in detail ? 1 : 0);
  const [next, more] = shown({ ...pictured, thinking: { ...pictured.thinking, index } }, detail);
  return [next, [...chunks, ...more]];
}

/** A server tool that the client runs is a function here. */
function clientCall(state: RenderState, { callId, name, arguments: text }: ServerToolCall): Step {
  const call = { type: "call", kind: "function", callId, name, arguments: text } as const;
  const [opened, head] = emit({ ...state, calls: state.calls + 1 }, {
    delta: renderCallStart(call, state.calls),
  });
  const [next, rest] = emit(opened, { delta: renderCallDelta(call, { index: state.calls, delta: text }) });
  return [next, [...head, ...rest]];
}

/** One chunk for a chunk; the role goes ahead of the first. */
function emit(state: RenderState, { delta, logprobs }: ChoiceDelta): Step {
  if (Object.keys(delta).length === 0) return [state, []];
  const choice = { index: 0, delta, logprobs: logprobs ?? null, finish_reason: null };
  const chunk = chunkOf(state, { choices: [choice] });
  const debug = debugChunks(state);
  if (state.started) return [state, [...debug, chunk]];
  const opening = "content" in delta ? "" : null;
  return [{ ...state, started: true }, [...debug, roleChunk(state, opening), chunk]];
}

const nothing: readonly ChatChunk[] = [];

/** Upstream bodies that came up since the last chunk: those of a turn stand before what the turn says. */
function debugChunks(state: RenderState): readonly ChatChunk[] {
  const bodies = state.context.takeDebugBodies();
  if (bodies.length === 0) return nothing;
  return bodies.map((body) => chunkOf(state, { choices: [], debug: { echo_upstream_body: body } }));
}

/** Clients wait for the role; text begins as an empty string, anything else leaves no text behind. */
function roleChunk(state: RenderState, content: "" | null): ChatChunk {
  const delta = { role: "assistant", content };
  const choice = { index: 0, delta, logprobs: null, finish_reason: null };
  return chunkOf(state, { choices: [choice] });
}

function chunkOf({ context }: RenderState, fields: JsonObject): ChatChunk {
  const { responseId, createdAt } = context;
  const body = {
    id: responseId,
    object: "chat.completion.chunk",
    created: createdAt,
    model: context.model(),
    ...fields,
  };
  return { last: false, body };
}

const lastChunk = (state: RenderState, fields: JsonObject): ChatChunk => ({
  ...chunkOf(state, fields),
  last: true,
});

function finish(state: RenderState, event: FinishEvent): Step {
  const debug = debugChunks(state);
  const { message, choice: beside, answer } = ownFields(event);
  const begun = state.started ? debug : [...debug, roleChunk(state, null)];
  const messageChunks = isEmpty(message)
    ? nothing
    : [chunkOf(state, { choices: [{ index: 0, delta: message, logprobs: null, finish_reason: null }] })];
  const choice = { ...beside, index: 0, delta: {}, logprobs: null, finish_reason: reasonOf(state, event) };
  const ended = chunkOf(state, { choices: [choice] });
  const { extra, usage: more } = state.context.completionInfo();
  const { usage, serviceTier } = event;
  const last = {
    ...answer,
    choices: [],
    ...(usage === undefined ? {} : { usage: renderUsage(usage, more) }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
    ...extra,
  };
  return [{ ...state, started: true }, [...begun, ...messageChunks, ended, lastChunk(state, last)]];
}

/** Fields of a provider of this same wire that the gateway does not know, by where they stand. */
function ownFields({ extra }: FinishEvent): { readonly [K in "message" | "choice" | "answer"]: JsonObject } {
  const { message, choice, answer } = extra?.chat ?? {};
  return { message: record(message), choice: record(choice), answer: record(answer) };
}

const record = (value: unknown): JsonObject => isRecord(value) ? value : {};
const isEmpty = (fields: JsonObject) => Object.keys(fields).length === 0;

function reasonOf({ calls }: RenderState, { reason }: FinishEvent): string {
  if (reason !== "stop") return reason;
  return calls > 0 ? "tool_calls" : "stop";
}

/** A failure in mid-stream: clients look for `error` at the top of a chunk. */
function failure(state: RenderState, { failure, usage }: FailureEvent): Step {
  const { status, errorType } = apiErrorKinds[failure.kind];
  const provider = failure.code === undefined || status === 500 ? {} : { provider_code: failure.code };
  const { extra, usage: more } = state.context.completionInfo();
  const chunk = {
    error: {
      code: status,
      message: failure.message,
      metadata: { error_type: errorType, ...provider, ...failure.metadata },
    },
    choices: [{ index: 0, delta: { content: "" }, logprobs: null, finish_reason: "error" }],
    ...(usage === undefined ? {} : { usage: renderUsage(usage, more) }),
    ...extra,
  };
  return [state, [lastChunk(state, chunk)]];
}
