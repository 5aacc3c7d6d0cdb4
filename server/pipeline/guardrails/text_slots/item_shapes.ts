/** Items of a conversation, as the canonical model has them. */

import type {
  Item,
  MessageItem,
  OutputItem,
  PassthroughItem,
  ReasoningItem,
  ServerToolCall,
  ToolCallItem,
  ToolResultItem,
} from "../../../protocols/canonical/item.ts";
import { closed, extra, partsOf } from "./part_shapes.ts";
import {
  anyValue,
  hidden,
  id,
  identifier,
  joinedListOf,
  json,
  listOf,
  loose,
  objectOf,
  providersOwn,
  reasoning,
  type Shape,
  text,
  typed,
  word,
} from "./shape.ts";
import { wireItem } from "./wire_shapes.ts";

const messageOf = (streamed: Shape) =>
  objectOf<MessageItem>({
    type: closed,
    role: closed,
    parts: joinedListOf(partsOf(streamed)),
    id,
    status: closed,
    phase: word,
    extra,
    quotes: closed,
  });

/** A signature is of the texts as they were: changed ones have none, and what has them inside goes as well. */
function dropSignature(before: ReasoningItem, after: ReasoningItem): ReasoningItem {
  const isSame = before.content === after.content && before.summary === after.summary &&
    before.encrypted === after.encrypted;
  return isSame ? after : { ...after, signature: undefined };
}

const reasoningOf = (streamed: Shape) =>
  objectOf<ReasoningItem>({
    type: closed,
    summary: listOf(streamed),
    content: listOf(streamed),
    encrypted: reasoning,
    signature: providersOwn,
    format: word,
    origin: hidden("set by the gateway"),
    id,
    status: closed,
    extra,
  }, { adjust: dropSignature });

const callFields = { type: closed, kind: closed, callId: id, name: identifier, id, status: closed, extra };

/** `kind` says whether the arguments are JSON; what is no JSON is read as text in any case. */
const callOf = (streamed: Shape) =>
  objectOf<ToolCallItem>({ ...callFields, namespace: identifier, arguments: streamed });

const result = objectOf<ToolResultItem>({
  type: closed,
  kind: closed,
  callId: id,
  output: { kind: "list", of: partsOf(loose), isJoined: true },
  id,
  status: closed,
  extra,
});

const serverCall = objectOf<ServerToolCall>({
  callId: id,
  name: hidden("the kind of a tool of the gateway"),
  arguments: json,
  output: loose,
  forClient: closed,
});

const foreign = objectOf<PassthroughItem>({
  type: closed,
  wire: closed,
  kind: closed,
  value: wireItem,
  id,
  textFallback: text,
  call: serverCall,
  extra,
});

/** An item of a request, whole. */
export const item: Shape = typed(
  {
    message: messageOf(text),
    reasoning: reasoningOf(text),
    call: callOf(json),
    result,
    foreign,
  } satisfies { readonly [T in Item["type"]]: Shape },
  anyValue,
);

/** An item of a response whose messages are JSON to the client. */
export const jsonItem: Shape = typed(
  {
    message: messageOf(json),
    reasoning: reasoningOf(text),
    call: callOf(json),
    foreign,
  } satisfies { readonly [T in OutputItem["type"]]: Shape },
  anyValue,
);

const streamed = hidden("read while it comes");

/** An item of a response, without the texts that come in pieces. */
export const streamedItem: Shape = typed(
  {
    message: messageOf(streamed),
    reasoning: reasoningOf(streamed),
    call: callOf(streamed),
    foreign,
  } satisfies { readonly [T in OutputItem["type"]]: Shape },
  anyValue,
);
