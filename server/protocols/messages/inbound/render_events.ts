/**
 * Model events → the named events of POST /messages: `message_start`, blocks one after the other, `message_delta`
 * with the reason and the counts, `message_stop`. A failure is one `error` event and the end.
 */

import type { FailureEvent, FinishEvent, ModelEvent } from "../../../canonical/event.ts";
import type { Json, OutputItem } from "../../../canonical/item.ts";
import { byType, fold, type Machine } from "../../../stream/state_machine.ts";
import {
  inOrder,
  type OrderedEvent,
  type OrderState,
  type SaidEvent,
} from "../../common/inbound/event_order.ts";
import * as block from "./render_blocks.ts";
import type { MessagesContext, StreamEvent } from "./render_context.ts";
import { renderFailure } from "./render_error.ts";
import { type Held, renderUsage, startOf, stopOf } from "./render_message.ts";
import { collectMessage } from "./render_response.ts";

export interface RenderState {
  readonly context: MessagesContext;
  readonly order: OrderState;
  readonly started: boolean;
  readonly blocks: block.Blocks;
  readonly held: Held;
}

type Step = readonly [RenderState, readonly StreamEvent[]];

/** The renderer of one answer; its last event is `message_stop` or `error`. */
export function renderEvents(context: MessagesContext): Machine<RenderState, ModelEvent, StreamEvent> {
  const order = inOrder(context.suffix);
  const held = { calls: false, refusal: false };
  return {
    initial: { context, order: order.initial, started: false, blocks: block.noBlocks, held },
    step: (state, event) => {
      const [next, events] = order.step(state.order, event);
      return told({ ...state, order: next }, events);
    },
    finish: (state) => told(state, order.finish?.(state.order) ?? [])[1],
  };
}

/** The whole answer as one object: what its stream adds up to. */
export function renderAnswer(context: MessagesContext, events: readonly ModelEvent[]): Json {
  return collectMessage(fold(renderEvents(context), events));
}

function told(state: RenderState, events: readonly OrderedEvent[]): Step {
  let next = state;
  const out: StreamEvent[] = [];
  for (const event of events) {
    const [after, some] = handle(next, event);
    next = after;
    out.push(...some);
  }
  return [next, out];
}

const handle = byType<RenderState, OrderedEvent, StreamEvent>({
  open,
  text: (state, event) => emit(state, block.sayText(state.blocks, event)),
  refusal: (state, event) => {
    const refused = { ...state, held: { ...state.held, refusal: true } };
    return emit(refused, block.sayText(state.blocks, event));
  },
  thought,
  summary: thought,
  arguments: (state, { delta }) => emit(state, block.growCall(state.blocks, delta)),
  annotation: (state, { annotation }) => emit(state, block.cite(state.blocks, annotation)),
  close,
  finish,
  failure,
});

/** The message begins with its first block. */
function emit(state: RenderState, [blocks, events]: readonly [block.Blocks, readonly StreamEvent[]]): Step {
  if (state.started || events.length === 0) return [{ ...state, blocks }, events];
  return [{ ...state, blocks, started: true }, [greeting(state), ...events]];
}

const greeting = ({ context }: RenderState): StreamEvent => ({
  type: "message_start",
  message: startOf(context),
});

function open(state: RenderState, { item }: { readonly item: OutputItem }): Step {
  if (item.type !== "call") return [state, []];
  const called = { ...state, held: { ...state.held, calls: true } };
  return emit(called, block.beginCall(state.blocks, item));
}

function thought(state: RenderState, { type, part, delta }: SaidEvent): Step {
  if (state.context.echo.omitThoughts) return [state, []];
  return emit(state, block.sayThought(state.blocks, { part, delta, summary: type === "summary" }));
}

function close(state: RenderState, { item, status }: Extract<OrderedEvent, { type: "close" }>): Step {
  switch (item.type) {
    case "message":
      return emit(state, block.endBlock(state.blocks));
    case "reasoning":
      return emit(state, block.endThoughts(state.blocks, item));
    case "call":
      return emit(state, block.endCall(state.blocks, { cutShort: status === "incomplete" }));
    case "foreign":
      return emit(state, block.showForeign(state.blocks, item));
    default:
      return item satisfies never;
  }
}

function finish(state: RenderState, event: FinishEvent): Step {
  const begun = state.started ? [] : [greeting(state)];
  const { extra, usage: settled } = state.context.settle();
  const usage = renderUsage(event.usage, { serviceTier: event.serviceTier, settled });
  const delta = stopOf(event, state.held);
  const events = [...begun, { type: "message_delta", delta, usage }, { type: "message_stop", ...extra }];
  return [{ ...state, started: true }, events];
}

function failure(state: RenderState, { failure }: FailureEvent): Step {
  const { extra } = state.context.settle();
  return [state, [{ ...renderFailure(failure, `req_${state.context.suffix}`), ...extra }]];
}
