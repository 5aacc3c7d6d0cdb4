/**
 * Model events → the named events of POST /messages: `message_start`, blocks one after the other, `message_delta`
 * with the reason and the counts, `message_stop`. A failure is one `error` event and the end.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import type { FailureEvent, FinishEvent, ModelEvent, PassthroughEvent } from "../../canonical/event.ts";
import type { JsonObject, OutputItem } from "../../canonical/item.ts";
import { foldEvents, type StateMachine, stepByType } from "../../stream/state_machine.ts";
import { orderEvents, type OrderState } from "../../common/inbound/event_order.ts";
import * as block from "./render_blocks.ts";
import type { MessagesContext, MessagesStreamEvent } from "./render_context.ts";
import { renderFailure } from "./render_error.ts";
import { renderMessageStart, renderStop, renderUsage, type ResponseContents } from "./render_message.ts";
import { collectMessage } from "./render_response.ts";
import type { OrderedEvent, OrderedTextEvent } from "../../common/inbound/item_assembly.ts";

export interface RenderState {
  readonly context: MessagesContext;
  readonly order: OrderState;
  readonly started: boolean;
  readonly blocks: block.BlockState;
  /** Fields of the open item that only clients of this wire know. */
  readonly own?: JsonObject;
  readonly held: ResponseContents;
}

type Step = readonly [RenderState, readonly MessagesStreamEvent[]];

/** The renderer of one answer; its last event is `message_stop` or `error`. */
export function renderEvents(
  context: MessagesContext,
): StateMachine<RenderState, ModelEvent, MessagesStreamEvent> {
  const order = orderEvents(context.suffix);
  const held = { calls: false, refusal: false, fetches: 0 };
  return {
    initial: { context, order: order.initial, started: false, blocks: block.initialBlocks, held },
    step: (state, event) => {
      const [next, events] = order.step(state.order, event);
      return renderOrdered({ ...state, order: next }, events);
    },
    finish: (state) => renderOrdered(state, order.finish?.(state.order) ?? [])[1],
  };
}

/** The whole answer as one object: what its stream adds up to. */
export function renderResponse(context: MessagesContext, events: readonly ModelEvent[]): JsonObject {
  return collectMessage(foldEvents(renderEvents(context), events));
}

function renderOrdered(state: RenderState, events: readonly OrderedEvent[]): Step {
  let next = state;
  const out: MessagesStreamEvent[] = [];
  for (const event of events) {
    const [after, some] = handle(next, event);
    next = after;
    out.push(...some);
  }
  return [next, out];
}

const handle = stepByType<RenderState, OrderedEvent, MessagesStreamEvent>({
  open,
  text: (state, event) => emit(state, block.renderTextDelta(state.blocks, event)),
  refusal: (state, event) => {
    const refused = { ...state, held: { ...state.held, refusal: true } };
    return emit(refused, block.renderTextDelta(state.blocks, event));
  },
  thought,
  summary: thought,
  arguments: (state, { delta }) => emit(state, block.renderCallDelta(state.blocks, delta)),
  annotation: (state, event) => emit(state, block.renderCitation(state.blocks, event)),
  foreign,
  close,
  finish,
  failure,
});

/** The message begins with its first block. */
function emit(
  state: RenderState,
  [blocks, events]: readonly [block.BlockState, readonly MessagesStreamEvent[]],
): Step {
  if (state.started || events.length === 0) return [{ ...state, blocks }, events];
  return [{ ...state, blocks, started: true }, [greeting(state), ...events]];
}

const greeting = ({ context }: RenderState): MessagesStreamEvent => ({
  type: "message_start",
  message: renderMessageStart(context),
});

/** An event of this same wire that nobody here knows goes on as it came. */
function foreign(state: RenderState, { wire, value }: PassthroughEvent): Step {
  return wire === "messages" ? emit(state, [state.blocks, [value]]) : [state, []];
}

function open(state: RenderState, { item }: { readonly item: OutputItem }): Step {
  if (item.type !== "call") return [{ ...state, own: item.extra?.messages }, []];
  const called = { ...state, held: { ...state.held, calls: true } };
  return emit(called, block.startCall(state.blocks, item));
}

function thought(state: RenderState, { type, part, delta }: OrderedTextEvent): Step {
  if (state.context.echo.omitReasoning) return [state, []];
  const { own } = state;
  return emit(
    state,
    block.renderReasoningDelta(state.blocks, { part, delta, summary: type === "summary", own }),
  );
}

function close(state: RenderState, { item, status }: Extract<OrderedEvent, { type: "close" }>): Step {
  switch (item.type) {
    case "message":
      return emit(state, block.endBlock(state.blocks));
    case "reasoning":
      return emit(state, block.endReasoning(state.blocks, item));
    case "call":
      return emit(state, block.endCall(state.blocks, { cutShort: status === "incomplete" }));
    case "foreign": {
      const calls = state.held.calls || item.call?.forClient === true;
      const [blocks, events] = block.renderPassthroughItem(state.blocks, item);
      const fetches = state.held.fetches + events.filter(isFetch).length;
      return emit({ ...state, held: { ...state.held, calls, fetches } }, [blocks, events]);
    }
    default:
      return item satisfies never;
  }
}

const isFetch = ({ content_block: block }: MessagesStreamEvent): boolean =>
  isRecord(block) && block.type === "server_tool_use" && block.name === "web_fetch";

function finish(state: RenderState, event: FinishEvent): Step {
  const begun = state.started ? [] : [greeting(state)];
  const { extra, usage: settled } = state.context.completionInfo();
  const usage = renderUsage(event.usage, {
    serviceTier: event.serviceTier,
    settled,
    fetches: state.held.fetches,
  });
  const delta = renderStop(event, state.held);
  const events = [...begun, { type: "message_delta", delta, usage }, { type: "message_stop", ...extra }];
  return [{ ...state, started: true }, events];
}

/** Renders a failure: the open blocks are closed and counted before the error. */
function failure(state: RenderState, { failure, usage, partial }: FailureEvent): Step {
  const { extra, usage: settled } = state.context.completionInfo();
  const error = { ...renderFailure(failure, `req_${state.context.suffix}`), ...extra };
  if (partial !== true) return [state, [error]];
  const begun = state.started ? [] : [greeting(state)];
  const [, closed] = block.endBlock(state.blocks);
  const delta = { stop_reason: null, stop_sequence: null, stop_details: null };
  return [state, [
    ...begun,
    ...closed,
    { type: "message_delta", delta, usage: renderUsage(usage, { settled, fetches: state.held.fetches }) },
    error,
  ]];
}
