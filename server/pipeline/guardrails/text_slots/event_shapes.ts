/** Events of a response; texts that come in pieces are read while they come. */

import type {
  AnnotationEvent,
  ArgumentsEvent,
  BeginEvent,
  Failure,
  FailureEvent,
  FinishEvent,
  ItemEvent,
  OutputEvent,
  PassthroughEvent,
  TextEvent,
} from "../../../protocols/canonical/event.ts";
import { streamedItem } from "./item_shapes.ts";
import { closed, extra } from "./part_shapes.ts";
import { anyValue, hidden, id, objectOf, opaque, type Shape, text, word } from "./shape.ts";
import { citation, wireEvent } from "./wire_shapes.ts";

const streamed = hidden("read while it comes");
const number = hidden("a number");

export const textEvent = objectOf<TextEvent>({
  type: closed,
  itemKey: id,
  part: number,
  delta: streamed,
  logprobs: hidden("tokens of the text; they are dropped with it"),
  extra,
});

export const argumentsEvent = objectOf<ArgumentsEvent>({
  type: closed,
  itemKey: id,
  delta: streamed,
  extra,
});

/** Each kind of event, without the texts that come in pieces. */
export const eventShapes: { readonly [T in OutputEvent["type"]]: Shape } = {
  begin: objectOf<BeginEvent>({
    type: closed,
    upstreamId: id,
    model: opaque("the provider's name of the model"),
    usage: number,
    audio: number,
  }),
  item: objectOf<ItemEvent>({ type: closed, itemKey: id, item: streamedItem }),
  text: textEvent,
  refusal: textEvent,
  thought: textEvent,
  summary: textEvent,
  arguments: argumentsEvent,
  annotation: objectOf<AnnotationEvent>({
    type: closed,
    itemKey: id,
    part: number,
    annotation: citation,
    passage: number,
    extra,
  }),
  item_done: streamedItem,
  foreign: objectOf<PassthroughEvent>({ type: closed, wire: closed, itemKey: id, value: wireEvent }),
  finish: objectOf<FinishEvent>({
    type: closed,
    reason: closed,
    usage: number,
    serviceTier: word,
    extra,
  }),
  failure: objectOf<FailureEvent>({
    type: closed,
    failure: objectOf<Failure>({
      kind: closed,
      message: text,
      code: text,
      retryAfter: number,
      endpointSpecific: hidden("true or false"),
      account: closed,
      metadata: anyValue,
    }),
    usage: number,
    partial: closed,
  }),
  audio: hidden("sound"),
};
