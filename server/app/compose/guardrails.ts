/** Dependencies of content filters. */

import { pause } from "../../../shared/util/pause.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import { createAskExternal } from "./external.ts";
import { createModerator } from "./moderation.ts";
import type { CompositionParts } from "../composition_parts.ts";
import type { ModelApi } from "../../management/core/management_deps.ts";
import { chatInbound } from "../../protocols/chat/inbound/mod.ts";
import { messagesInbound } from "../../protocols/messages/inbound/mod.ts";
import { responsesInbound } from "../../protocols/responses/inbound/mod.ts";
import { embeddingsInbound } from "../../protocols/embeddings/inbound.ts";
import { parseSpeechRequest } from "../../speech/parse_speech_request.ts";

/** Makes what guardrails and plugins work with: pauses in long work, and services that judge texts. */
export function createWorkDeps(parts: CompositionParts) {
  const { clock, log } = parts.runtime;
  return { clock, log, pause, askExternal: createAskExternal(parts), moderator: createModerator(parts) };
}

const parsers: { readonly [A in ModelApi]: (body: unknown) => ModelRequest } = {
  responses: (body) => responsesInbound.parseRequest(body, {}).request,
  chat: (body) => chatInbound.parseRequest(body, {}).request,
  messages: (body) => messagesInbound.parseRequest(body, {}).request,
  speech: (body) => parseSpeechRequest(body),
  embeddings: (body) => embeddingsInbound.parseRequest(body, {}).request,
};

/** Throws an ApiError (400) for what is no request to that API. */
export const parseModelRequest = (api: ModelApi, body: unknown): ModelRequest => parsers[api](body);
