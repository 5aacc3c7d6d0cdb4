/** What content filters need of the gateway. */

import { setTimeout } from "node:timers";
import type { ModelRequest } from "./canonical/request.ts";
import { createAskExternal } from "./compose_external.ts";
import type { CompositionParts } from "./composition.ts";
import type { ModelApi } from "./management/core/management_deps.ts";
import { chatInbound } from "./protocols/chat/inbound/mod.ts";
import { messagesInbound } from "./protocols/messages/inbound/mod.ts";
import { responsesInbound } from "./protocols/responses/inbound/mod.ts";
import { parseSpeechRequest } from "./speech/parse_speech_request.ts";

/**
 * Lets everybody have a look at what has come for them. The runtime asks for what has come only when it has nothing else
 * to do, or after dozens of turns: `setImmediate` would give it something else to do at once.
 */
// deno-lint-ignore tollgate/clock-only-in-runtime -- no deadline: the shortest time in which the runtime does nothing else
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** What guardrails take: work that may be long, and services that judge texts. */
export function createWorkDeps(parts: Pick<CompositionParts, "config" | "runtime">) {
  const { clock, log } = parts.runtime;
  return { clock, log, pause, askExternal: createAskExternal(parts) };
}

const parsers: { readonly [A in ModelApi]: (body: unknown) => ModelRequest } = {
  responses: (body) => responsesInbound.parseRequest(body, {}).request,
  chat: (body) => chatInbound.parseRequest(body, {}).request,
  messages: (body) => messagesInbound.parseRequest(body, {}).request,
  speech: (body) => parseSpeechRequest(body),
};

/** Throws an ApiError (400) for what is no request to that API. */
export const parseModelRequest = (api: ModelApi, body: unknown): ModelRequest => parsers[api](body);
