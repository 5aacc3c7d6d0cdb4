/** The wires that stories are told of, each as the runner needs it: what its state is, is the wire's own. */

import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { bedrockOutbound } from "../../server/protocols/bedrock/outbound/mod.ts";
import { chatOutbound } from "../../server/protocols/chat/outbound/mod.ts";
import { messagesOutbound } from "../../server/protocols/messages/outbound/mod.ts";
import { geminiOutbound } from "../../server/protocols/gemini/outbound/mod.ts";
import { responsesOutbound } from "../../server/protocols/responses/outbound/mod.ts";
import type { Outbound } from "../../server/protocols/wire.ts";
import { runMachine, type Source } from "../../server/protocols/stream/source.ts";
import type { SseFrame } from "../../server/protocols/stream/sse.ts";

export type Wire = Pick<Outbound<unknown>, "wire" | "renderRequest" | "parseResponse" | "parseError"> & {
  /** The provider's frames as model events. */
  readonly events: (request: ModelRequest, frames: Source<SseFrame>) => Source<ModelEvent>;
};

function wireOf<State>(outbound: Outbound<State>): Wire {
  return { ...outbound, events: (request, frames) => runMachine(outbound.parseEvents(request), frames) };
}

export const wires: Readonly<Record<string, Wire>> = {
  bedrock: wireOf(bedrockOutbound),
  chat: wireOf(chatOutbound),
  gemini: wireOf(geminiOutbound),
  messages: wireOf(messagesOutbound),
  responses: wireOf(responsesOutbound),
};

/** Scenarios that every wire must have a story of: `tests/golden/<wire>/<scenario>.txt`. */
export const scenarios = [
  "text",
  "tool_call",
  "parallel_tool_calls",
  "custom_tool",
  "namespace_tool",
  "reasoning",
  "structured_output",
  "refusal",
  "image_in",
  "image_out",
  "logprobs",
  "cached_usage",
  "length",
  "error_before",
  "error_after",
  "cut",
  "malformed",
] as const;
