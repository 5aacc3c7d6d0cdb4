/** Parts of messages and results, items and their texts, as the canonical model has them. */

import type {
  AudioPart,
  CacheBreakpoint,
  FilePart,
  ImagePart,
  PassthroughPart,
  RefusalPart,
  TextPart,
  VideoPart,
  WireExtra,
} from "../../../protocols/canonical/item.ts";
import {
  address,
  anyValue,
  file,
  hidden,
  id,
  listOf,
  media,
  objectOf,
  opaque,
  type Shape,
  text,
  typed,
  wireObject,
} from "./shape.ts";
import { citation, messagesBlock, messagesFields } from "./wire_shapes.ts";

export const closed = hidden("one of a few words that the schema allows");

const fieldsOfWire = wireObject({ obfuscation: opaque("random letters of a provider") });

/** Shape of the fields that only one wire knows. */
export const extra: Shape = objectOf<WireExtra>({
  responses: fieldsOfWire,
  chat: wireObject({
    obfuscation: opaque("random letters of a provider"),
    extra_content: wireObject({
      google: wireObject({ thought_signature: opaque("only its provider can read it") }),
    }),
    indexes: opaque("numbers, made by a program"),
    of_call: opaque("set by the gateway"),
  }),
  messages: messagesFields({ blocks: listOf(messagesBlock) }),
  gemini: fieldsOfWire,
  bedrock: fieldsOfWire,
});

export const cache: Shape = objectOf<CacheBreakpoint>({
  ttl: closed,
  breakpoint: wireObject({ mode: closed }),
  extra,
});

/** Drops the likelihoods of the tokens of a changed text, and the places in it. */
const dropPlaces = (before: TextPart, after: TextPart): TextPart =>
  before.text === after.text ? after : { ...after, annotations: undefined, logprobs: undefined };

/** `streamed` stands for texts that come in pieces and are read as they come. */
const textPart = (streamed: Shape) =>
  objectOf<TextPart>({
    type: closed,
    text: streamed,
    annotations: listOf(citation),
    logprobs: anyValue,
    cache,
    extra,
  }, { adjust: dropPlaces });

const refusalPart = (streamed: Shape) => objectOf<RefusalPart>({ type: closed, text: streamed, extra });

const otherParts = {
  image: objectOf<ImagePart>(
    { type: closed, url: address, fileId: id, detail: closed, cache, extra },
    { isMedia: true },
  ),
  file: objectOf<FilePart>({
    type: closed,
    data: file,
    url: address,
    fileId: id,
    filename: text,
    mustBeTaken: closed,
    cache,
    extra,
  }, { isMedia: true }),
  audio: objectOf<AudioPart>({ type: closed, data: media, format: text, cache, extra }, { isMedia: true }),
  video: objectOf<VideoPart>({ type: closed, url: address, cache, extra }, { isMedia: true }),
  foreign: objectOf<PassthroughPart>({
    type: closed,
    wire: closed,
    kind: closed,
    value: messagesBlock,
    textFallback: text,
    cache,
  }),
} as const;

export const partsOf = (streamed: Shape): Shape =>
  typed({ text: textPart(streamed), refusal: refusalPart(streamed), ...otherParts }, anyValue);
